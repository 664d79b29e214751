import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { FakeDatabase } from '../../testing/fake/database.ts';
import { RouteTree } from '../domain/route.ts';
import type { Delivery } from '../integrations/notifier.ts';
import { alertOf, HOUR, MINUTE, routeSettings, SECOND, START } from '../testing/parts.ts';
import { createTestPipeline, failure, settlePromises, type TestPipeline } from '../testing/pipeline/parts.ts';

/** All alerts in one group: notified after ten seconds, then every minute if something is new. */
const ROUTE = { groupWaitMs: 10 * SECOND, groupIntervalMs: MINUTE, repeatIntervalMs: 3 * MINUTE };

function start(options: Parameters<typeof createTestPipeline>[0] = {}): TestPipeline {
  const parts = createTestPipeline({ ...options, route: { ...ROUTE, ...options.route } });
  parts.state.dispatcher.start(parts.pipeline);
  return parts;
}

test('a new group waits for its alerts; later ones wait for the interval', async () => {
  const { post, advance, sent } = start();
  post('a');
  await advance(4 * SECOND);
  post('b');
  await advance(MINUTE);
  assert.deepEqual(sent, ['10s default/webhook first notification: +a +b']);
  post('c');
  await advance(6 * SECOND);
  assert.deepEqual(sent.slice(1), ['70s default/webhook new alerts added: +a +b +c']);
});

test('an alert older than the wait is notified at once', async () => {
  const { post, advance, sent, clock } = start();
  post('young', { startsAt: START - 10 * SECOND });
  await advance(9 * SECOND);
  assert.deepEqual(sent, []);
  await advance(SECOND);
  assert.equal(sent.length, 1);
  const other = start({ route: { groupBy: ['n'] } });
  other.post('old', { startsAt: START - 10 * SECOND - 1 });
  other.clock.advance(0);
  await settlePromises();
  assert.deepEqual(other.sent, ['0s default/webhook first notification: +old']);
  assert.equal(clock.now(), START + 10 * SECOND);
});

test('an unchanged group is not notified again before the repeat interval has passed', async () => {
  const { post, advance, sent } = start();
  post('a');
  await advance(8 * MINUTE);
  // An entry of exactly the interval's age is not older than it.
  assert.deepEqual(sent, [
    '10s default/webhook first notification: +a',
    '250s default/webhook repeat interval elapsed: +a',
  ]);
});

test('resolved alerts leave once notified; the group with the last of them', async () => {
  const { post, advance, sent, state } = start();
  post('a b');
  await advance(15 * SECOND);
  post('a', { startsAt: START, endsAt: START + 15 * SECOND });
  await advance(MINUTE);
  assert.deepEqual(sent.slice(1), ['70s default/webhook some alerts resolved: -a +b']);
  assert.equal(state.groups.sorted()[0]?.size, 1);
  post('b', { startsAt: START, endsAt: START + 75 * SECOND });
  await advance(MINUTE);
  assert.deepEqual(sent.slice(2), ['130s default/webhook all alerts resolved: -b']);
  assert.deepEqual(state.groups.sorted(), []);
  assert.equal(state.alerts.collectGarbage(START + HOUR), 2);
});

test('an emptied group starts again with its wait, and as new', async () => {
  const { post, advance, sent } = start();
  post('a');
  await advance(15 * SECOND);
  post('a', { startsAt: START, endsAt: START + 15 * SECOND });
  await advance(57 * SECOND);
  assert.equal(sent.length, 2);
  post('a');
  await advance(MINUTE);
  assert.deepEqual(sent.slice(2), ['82s default/webhook first notification: +a']);
});

test('alerts of a failed flush stay, and are notified by a later one', async () => {
  let broken = true;
  const { post, advance, sent, state } = start({
    receivers: { default: [{ answer: () => (broken ? failure() : { ok: true }) }] },
  });
  post('a b');
  await advance(12 * SECOND);
  broken = false;
  await advance(60 * SECOND);
  assert.deepEqual(sent, [
    '10s default/webhook first notification: +a +b',
    '70s default/webhook first notification: +a +b',
  ]);
  broken = true;
  post('a b', { startsAt: START, endsAt: START + 72 * SECOND });
  await advance(MINUTE);
  assert.equal(state.groups.sorted()[0]?.size, 2, 'resolved, but not notified');
  broken = false;
  await advance(MINUTE);
  assert.deepEqual(sent.slice(2), [
    '130s default/webhook all alerts resolved: -a -b',
    '190s default/webhook all alerts resolved: -a -b',
  ]);
  assert.equal(state.groups.size, 0);
});

/** An integration that answers only when a test lets it. */
function held() {
  const waiting: ((delivery: Delivery) => void)[] = [];
  return {
    answer: () => new Promise<Delivery>((resolve) => waiting.push(resolve)),
    release: async (delivery: Delivery = { ok: true }) => {
      waiting.shift()?.(delivery);
      await settlePromises();
    },
  };
}

test('an alert that fires again while its end is being sent stays', async () => {
  const { answer, release } = held();
  const { post, advance, sent, state } = start({ receivers: { default: [{ answer }] } });
  post('a');
  await advance(10 * SECOND);
  await release();
  post('a', { startsAt: START, endsAt: START + 10 * SECOND });
  await advance(MINUTE);
  post('a', { startsAt: START + 70 * SECOND });
  await release();
  assert.equal(state.groups.sorted()[0]?.size, 1);
  await advance(MINUTE);
  assert.deepEqual(sent.slice(1), [
    '70s default/webhook all alerts resolved: -a',
    '130s default/webhook first notification: +a',
  ]);
});

test('flushes of a group never overlap: a flush late by an interval is followed by the next at once', async () => {
  const { answer, release } = held();
  const { post, advance, sent } = start({
    receivers: { default: [{ answer }] },
    route: { groupIntervalMs: 5 * SECOND },
  });
  post('a');
  await advance(10 * SECOND);
  post('b');
  // Due at 15 s, but the flush of 10 s goes on until 17 s.
  await advance(7 * SECOND);
  assert.equal(sent.length, 1);
  await release();
  assert.deepEqual(sent.slice(1), ['17s default/webhook new alerts added: +a +b']);
  await release();
  post('c');
  await advance(5 * SECOND);
  assert.deepEqual(sent.slice(2), ['22s default/webhook new alerts added: +a +b +c'], 'counted from the late tick');
  await release();
});

test('a wait for the flushes under way does not include later ones', async () => {
  const { answer, release } = held();
  const { post, advance, sent, state } = start({ receivers: { default: [{ answer }] }, route: { groupBy: ['n'] } });
  await state.dispatcher.flushes();
  post('a b');
  await advance(10 * SECOND);
  let ended = 0;
  for (let waiting = 0; waiting < 2; waiting++) void state.dispatcher.flushes().then(() => ended++);
  post('c');
  await advance(10 * SECOND);
  assert.equal(sent.length, 3);
  await release();
  assert.equal(ended, 0);
  await release();
  assert.equal(ended, 2);
  await release();
});

test('the cadence is counted from the tick, however long notifying takes', async () => {
  const { answer, release } = held();
  const { post, advance, sent } = start({ receivers: { default: [{ answer }] } });
  post('a');
  await advance(15 * SECOND);
  await release();
  post('b');
  await advance(55 * SECOND);
  assert.deepEqual(sent.slice(1), ['70s default/webhook new alerts added: +a +b']);
  await release();
});

/** How long an attempt may take on a route with this interval. */
async function timeToTell(groupIntervalMs: number): Promise<number> {
  let took = 0;
  const parts = start({
    route: { groupIntervalMs },
    receivers: {
      default: [
        {
          answer: (_, signal) =>
            new Promise((resolve) => {
              signal.addEventListener('abort', () => {
                took ||= parts.clock.now() - START - 10 * SECOND;
                resolve(failure({ retry: true, reason: 'contextDeadlineExceeded' }));
              });
            }),
        },
      ],
    },
  });
  parts.post('a');
  await parts.advance(75 * SECOND);
  return took;
}

test('a flush ends with the interval, but has at least ten seconds', async () => {
  assert.equal(await timeToTell(SECOND), 10 * SECOND);
  assert.equal(await timeToTell(MINUTE), MINUTE);
});

test('before the start groups only fill; then late groups are flushed at once, the others when due', async () => {
  const parts = createTestPipeline({ route: { ...ROUTE, groupBy: ['n'] } });
  parts.post('a');
  await parts.advance(15 * SECOND);
  parts.post('b');
  await parts.advance(5 * SECOND);
  assert.deepEqual(parts.sent, []);
  parts.state.dispatcher.start(parts.pipeline);
  await parts.advance(10 * SECOND);
  assert.deepEqual(parts.sent.sort(), [
    '20s default/webhook first notification: +a',
    '25s default/webhook first notification: +b',
  ]);
});

test('a group restored after a restart keeps its wait; one that was flushed before is evaluated at once', async () => {
  const { state, post, advance, sent, pipeline } = createTestPipeline({ route: { ...ROUTE, groupBy: ['n'] } });
  const id = (n: string) => `{}:{n="${n}"}`;
  state.dispatcher.remember(
    new Map([
      [id('soon'), { at: START + 3 * SECOND, isFlushed: false }],
      [id('passed'), { at: START - 5 * SECOND, isFlushed: false }],
      [id('far'), { at: START + 10 * HOUR, isFlushed: false }],
      [id('gone'), { at: START + SECOND, isFlushed: false }],
      [id('flushed'), { at: START + 40 * SECOND, isFlushed: true }],
    ]),
  );
  post('soon passed far new flushed');
  state.dispatcher.start(pipeline);
  await advance(MINUTE);
  assert.deepEqual(sent, [
    '0s default/webhook first notification: +passed',
    '0s default/webhook first notification: +flushed',
    '3s default/webhook first notification: +soon',
    '10s default/webhook first notification: +far',
    '10s default/webhook first notification: +new',
  ]);
});

test('a restored flush time counts once: a group that is removed and created again waits as any other', async () => {
  const { state, post, advance, sent, pipeline } = createTestPipeline({ route: ROUTE });
  state.dispatcher.remember(new Map([['{}:{}', { at: START + 3 * SECOND, isFlushed: false }]]));
  state.dispatcher.start(pipeline);
  post('a');
  await advance(12 * SECOND);
  assert.deepEqual(
    sent,
    ['10s default/webhook first notification: +a'],
    'nothing of before is expected after the start',
  );
});

test('after the stop no group is flushed, including one whose last flush has not ended', async () => {
  const { answer, release } = held();
  const { post, advance, sent, state } = start({
    receivers: { default: [{ answer }] },
    route: { groupIntervalMs: 5 * SECOND },
  });
  post('a');
  await advance(17 * SECOND);
  post('b');
  const stopped = state.dispatcher.stop();
  await release();
  await stopped;
  await advance(MINUTE);
  assert.equal(sent.length, 1);
});

test('after the stop a waiting flush sends nothing; after the next start it does', async () => {
  const database = new FakeDatabase();
  const { state, sent, counts, advance } = start({ database, route: { groupBy: ['n'] } });
  state.alerts.put(Array.from({ length: 600 }, (_, n) => alertOf({ n: String(n) }, { endsAt: START + HOUR })));
  await advance(12 * SECOND);
  const count = sent.length;
  assert.ok(count > 0 && count < 500, String(count));
  await state.dispatcher.stop();
  assert.equal(sent.length, count);
  assert.deepEqual(
    [...counts],
    [
      ['attempted webhook', count],
      ['requested webhook ok', count],
    ],
  );
  await state.storage.timers.flush();
  const timers = database.committed.flat().filter(({ sql }) => sql.includes('INTO group_timers'));
  const flushed = new Map(timers.map(({ values: [id, , isFlushed] }) => [String(id), isFlushed]));
  assert.deepEqual(
    [flushed.size, new Set(flushed.values())],
    [600, new Set([1])],
    'a flushed group is evaluated at once',
  );
});

test('a group removed by a reload is not flushed again, also when its last flush was late', async () => {
  const { answer, release } = held();
  const { post, advance, sent, state } = start({
    receivers: { default: [{ answer }] },
    route: { groupIntervalMs: 5 * SECOND },
  });
  post('a');
  await advance(17 * SECOND);
  state.groups.reroute(new RouteTree(routeSettings({ ...ROUTE, receiver: 'nobody' })), state.alerts.sorted());
  await release();
  await advance(10 * MINUTE);
  assert.equal(sent.length, 1);
  assert.deepEqual(
    state.groups.sorted().map(({ receiver }) => receiver),
    ['nobody'],
  );
});

test('alerts are sent in the order of job, instance and labels', async () => {
  const { advance, state, notifications } = start();
  const labels = [
    { job: 'b', instance: '1' },
    { job: 'a', instance: '2' },
    { instance: '1' },
    { job: 'a' },
    { job: 'a', instance: '1', x: '1' },
    { job: 'a', instance: '1' },
  ];
  state.alerts.put(labels.map((one) => alertOf(one, { endsAt: START + HOUR })));
  await advance(10 * SECOND);
  assert.deepEqual(
    notifications[0]?.alerts.map((alert) => alert.labels),
    [labels[5], labels[4], labels[1], labels[3], labels[0], labels[2]],
  );
});

test('a firing alert is sent without an end, a resolved one with it', async () => {
  const { post, advance, notifications } = start();
  post('a');
  post('b', { endsAt: START + 5 * SECOND });
  await advance(10 * SECOND);
  assert.deepEqual(
    notifications[0]?.alerts.map(({ status, endsAt }) => [status, endsAt]),
    [
      ['firing', undefined],
      ['resolved', START + 5 * SECOND],
    ],
  );
});

test('ten thousand groups due at once are all notified, each once', async () => {
  const { state, clock, sent } = start({ route: { groupBy: ['n'] } });
  const times = { endsAt: START + HOUR };
  state.alerts.put(Array.from({ length: 10_000 }, (_, n) => alertOf({ n: String(n) }, times)));
  clock.advance(10 * SECOND);
  await eventually('all are notified', () => sent.length === 10_000);
  assert.equal(new Set(sent).size, 10_000);
  await settlePromises();
  clock.advance(MINUTE);
  await settlePromises();
  assert.equal(sent.length, 10_000);
  assert.ok(sent.every((line) => line.startsWith('10s ')));
});

test('a late flush sends the state of its turn, and has its full time', async () => {
  const { state, sent, counts, advance } = start({
    route: { groupBy: ['n'], groupIntervalMs: 10 * SECOND, repeatIntervalMs: HOUR },
  });
  const names = Array.from({ length: 600 }, (_, n) => String(n));
  const put = (some: readonly string[], endsAt: number) =>
    state.alerts.put(some.map((n) => alertOf({ n }, { startsAt: START, endsAt, updatedAt: endsAt })));
  put(names, START + HOUR);
  // Some turns of the event loop a second: the receiver takes a few dozen in that time.
  await advance(15 * SECOND);
  assert.ok(sent.length > 50 && sent.length < 400, String(sent.length));
  put(names.slice(-100), START + 15 * SECOND);
  await advance(30 * SECOND);
  assert.equal(counts.get('failed webhook contextDeadlineExceeded'), undefined);
  assert.equal(new Set(sent).size, 500);
  assert.equal(sent.length, 500);
  assert.equal(state.groups.size, 500);
});
