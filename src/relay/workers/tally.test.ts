import assert from 'node:assert/strict';
import { test } from 'node:test';
import { zeroCounts } from '../event/counts.ts';
import { RelayMetrics } from '../metrics/metrics.ts';
import { countSubscribers } from '../metrics/subscribers.ts';
import { OfrepStreams } from '../ofrep/streams.ts';
import { createTestRelay, type TestRelay } from '../testing/app.ts';
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
  const report = () => tally.report(new Map([[ENVIRONMENT_ID, relay.environment]]), ofrep);
  return { tally, request, report };
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
    ofrep: 1,
  };
  const none = { sizes: { ...sizes, all: 0, ofrep: 0 }, dropped: 0 };
  const report = { requests: [], opened: [], evaluations: [], open: [] };
  const worker = {};
  counts.set(worker, { ...report, subscribers: [[ENVIRONMENT_ID, { sizes, dropped: 4 }]] });
  assert.deepEqual(counts.subscribers(ENVIRONMENT_ID, none), { sizes, dropped: 4 });
  counts.forget(worker);
  assert.deepEqual(counts.subscribers(ENVIRONMENT_ID, none), { ...none, dropped: 4 });
});
