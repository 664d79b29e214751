import assert from 'node:assert/strict';
import { test } from 'node:test';
import { zeroCounts } from '../event/counts.ts';
import { Journals } from '../journal/journal.ts';
import { RelayMetrics } from '../metrics/metrics.ts';
import { countSubscribers } from '../metrics/subscribers.ts';
import { OfrepStreams } from '../ofrep/streams.ts';
import { createTestRelay, type TestRelay } from '../testing/app.ts';
import { JournalFeed, JournalTally } from './journal-tally.ts';
import { RequestTally } from './tally.ts';
import { WorkerCounts } from './worker-counts.ts';

const ENVIRONMENT_ID = 3;

function workerOf(relay: TestRelay) {
  const tally = new RequestTally();
  const ofrep = new OfrepStreams(relay.registry);
  const request = {
    sdkKind: 'server' as const,
    environment: relay.environment,
    route: '/all',
    method: 'GET',
    userAgent: 'Go/7',
  };
  const journal = new JournalTally(() => ENVIRONMENT_ID);
  const report = () => ({
    ...tally.report(new Map([[ENVIRONMENT_ID, relay.environment]]), ofrep),
    journal: journal.report(),
  });
  return { tally, journal, request, report };
}

test('metrics cover all workers, count each request once, and keep what a worker that died has counted', async (t) => {
  const relay = createTestRelay(t);
  const counts = new WorkerCounts();
  const [one, two] = [workerOf(relay), workerOf(relay)];
  const collect = async () => {
    for (const worker of [one, two]) {
      const report = worker.report();
      counts.set(worker, report);
      metrics.add(report);
    }
  };
  const metrics = new RelayMetrics({
    prefix: 'r',
    environments: () => relay.environments,
    events: () => ({ counts: zeroCounts(), pending: 0 }),
    subscribers: (environment) =>
      counts.subscribers(ENVIRONMENT_ID, countSubscribers(environment, { size: () => 1, dropped: () => 2 })),
    workers: {
      get open() {
        return counts.open;
      },
      restarts: 1,
      refresh: collect,
    },
    now: () => 0,
    startedAt: 0,
    version: '1',
  });
  const read = async (name: string) => {
    const lines = (await metrics.render()).split('\n').filter((line) => line.startsWith(`r_${name}`));
    return lines.map((line) => Number(line.split(' ').at(-1)));
  };
  for (const { tally, request } of [one, one, two]) tally.request(request);
  const end = one.tally.stream(one.request);
  two.tally.stream(two.request);
  one.tally.evaluated(relay.environment, 'server', 5);
  two.tally.evaluated(relay.environment, 'server', 6);
  for (let scrape = 0; scrape < 2; scrape++) {
    assert.deepEqual(await read('requests'), [3]);
    assert.deepEqual(await read('connections'), [2]);
    assert.deepEqual(await read('newconnections'), [2]);
    assert.deepEqual(await read('evaluations_total'), [11]);
  }
  assert.deepEqual(await read('worker_restarts_total'), [1]);
  assert.deepEqual(await read('subscribers_dropped_total'), [2]);
  end();
  end();
  assert.deepEqual(await read('connections'), [1]);
  counts.forget(two);
  assert.equal(counts.open.filter(([, , , count]) => count > 0).length, 0);
});

test('clients that a worker dropped stay counted when it has died', () => {
  const counts = new WorkerCounts();
  const sizes = {
    all: 2,
    flags: 0,
    'mobile-ping': 0,
    'client-ping': 0,
    'mobile-evaluated': 0,
    'client-evaluated': 0,
    transfers: 0,
    ofrep: 1,
  };
  const none = { sizes: { ...sizes, all: 0, ofrep: 0 }, dropped: 0 };
  const report = {
    requests: [],
    opened: [],
    evaluations: [],
    open: [],
    journal: { requests: [], streams: [], flags: [] },
  };
  const worker = {};
  counts.set(worker, { ...report, subscribers: [[ENVIRONMENT_ID, { sizes, dropped: 4 }]] });
  assert.deepEqual(counts.subscribers(ENVIRONMENT_ID, none), { sizes, dropped: 4 });
  counts.forget(worker);
  assert.deepEqual(counts.subscribers(ENVIRONMENT_ID, none), { ...none, dropped: 4 });
});

test('journals have the SDKs, open streams and evaluations of all workers, and no streams of one that has died', (t) => {
  const relay = createTestRelay(t);
  const journals = new Journals(() => 5);
  const feed = new JournalFeed(journals, (id) => (id === ENVIRONMENT_ID ? relay.environment : undefined));
  const workers = [workerOf(relay), workerOf(relay)];
  const collect = () => {
    for (const worker of workers) feed.add(worker, worker.report().journal);
  };
  for (const { journal, request } of workers) {
    journal.request(request);
    journal.stream(request);
    journal.evaluated(relay.environment, 'server', 1, { key: 'f', variation: 0 });
    journal.evaluated(relay.environment, 'server', 1, { key: 'f', variation: null });
    journal.evaluated(relay.environment, 'server', 7);
  }
  collect();
  collect();
  const { sdks, evaluations } = journals.of(relay.environment);
  assert.deepEqual(sdks.sdks, [{ sdkKind: 'server', name: 'Go/7', streams: 2, requests: 2, lastAt: 5 }]);
  assert.deepEqual([...(evaluations.flags.get('f')?.variations ?? [])].sort(), [
    [-1, 2],
    [0, 2],
  ]);
  feed.forget(workers[0] as object);
  assert.equal(sdks.sdks[0]?.streams, 1);
});
