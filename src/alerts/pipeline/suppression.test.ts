import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InhibitionRule } from '../domain/inhibition.ts';
import { HOUR, MINUTE, matcherOf, postedSilence, SECOND, START } from '../testing/parts.ts';
import { createTestPipeline, type TestPipeline, type TestPipelineOptions } from '../testing/pipeline/parts.ts';

/** Every flush sends all unsuppressed alerts: none counts as notified. */
const ROUTE = { groupWaitMs: 0, groupIntervalMs: MINUTE, repeatIntervalMs: 1 };

function start({ route, ...options }: TestPipelineOptions = {}): TestPipeline {
  const parts = createTestPipeline({ ...options, route: { ...ROUTE, ...route } });
  parts.state.dispatcher.start(parts.pipeline);
  return parts;
}

const onLabel = (name: string, value: string) => [matcherOf(name, '=', value)];

/** The alert `source` inhibits the alert `target`. */
const RULE: InhibitionRule = {
  name: '',
  sourceMatchers: onLabel('n', 'source'),
  targetMatchers: onLabel('n', 'target'),
  equal: [],
};

/** Silences the alert of that name until the end. */
async function silence({ state, clock }: TestPipeline, value: string, endsAt = clock.now() + HOUR): Promise<string> {
  const matchers = [{ name: 'n', value, isRegex: false, isEqual: true }];
  const posted = await state.silences.set(postedSilence({ matchers, startsAt: clock.now(), endsAt }), clock.now());
  assert.ok(posted.ok);
  return posted.value;
}

/** Silences all alerts until they have resolved. */
async function acknowledge({ state, clock }: TestPipeline): Promise<void> {
  const matchers = [{ name: 'alertname', value: 'Test', isRegex: false, isEqual: true }];
  const annotations = { expire_when_resolved: 'true' };
  await state.silences.set(postedSilence({ matchers, annotations, startsAt: clock.now() }), clock.now());
}

/** START is a Thursday at midnight, UTC. */
const hours = (from: number, to: number) => [{ times: [{ startMinute: from * 60, endMinute: to * 60 }] }];

const INTERVALS = [
  { name: 'night', intervals: hours(0, 6) },
  { name: 'first hour', intervals: hours(0, 1) },
  { name: 'day', intervals: hours(8, 20) },
  { name: 'evening', intervals: hours(20, 24) },
];

const mutedBy = ({ state }: TestPipeline) => state.groups.sorted()[0]?.mutedBy;

test('an inhibited alert is left out as long as its source fires', async () => {
  const parts = start({ rules: [RULE] });
  parts.post('source', { endsAt: START + 30 * SECOND });
  parts.post('target other');
  await parts.advance(61 * SECOND);
  assert.deepEqual(parts.sent, [
    '0s default/webhook first notification: +other +source',
    '60s default/webhook new alerts added: +other -source +target',
  ]);
  assert.equal(parts.counts.get('suppressed inhibition'), 1);
});

test('a silenced alert is left out until its silence is over, and is then sent as new', async () => {
  const parts = start();
  await silence(parts, 'a', START + 30 * SECOND);
  parts.post('a b');
  await parts.advance(61 * SECOND);
  assert.deepEqual(parts.sent, [
    '0s default/webhook first notification: +b',
    '60s default/webhook new alerts added: +a +b',
  ]);
  assert.equal(parts.counts.get('suppressed silence'), 1);
});

test('an alert that is silenced after its notification is not sent as resolved', async () => {
  const parts = start({ route: { repeatIntervalMs: HOUR } });
  parts.post('a b');
  await parts.advance(SECOND);
  await silence(parts, 'a');
  await parts.advance(3 * MINUTE);
  assert.equal(parts.sent.length, 1);
  assert.deepEqual(mutedBy(parts), []);
});

test('an alert that resolves while it is silenced leaves its group without a notification', async () => {
  const parts = start();
  await silence(parts, 'a');
  parts.post('a', { endsAt: START + 30 * SECOND });
  await parts.advance(61 * SECOND);
  assert.deepEqual([parts.sent, parts.state.groups.size], [[], 0]);
  assert.equal(parts.state.alerts.sorted()[0]?.isSettled, true);
});

test('inside a mute time nothing is sent; the group names the mute times while they last', async () => {
  const route = { groupIntervalMs: 30 * MINUTE, muteTimeIntervals: ['night', 'first hour', 'day'] };
  const parts = start({ route, intervals: INTERVALS });
  parts.post('a b', { endsAt: START + 24 * HOUR });
  await parts.advance(0);
  assert.deepEqual(mutedBy(parts), ['night', 'first hour']);
  assert.equal(parts.counts.get('suppressed mute_time_interval'), 2);
  await parts.advance(2 * HOUR, 30 * MINUTE);
  assert.deepEqual([mutedBy(parts), parts.sent], [['night'], []]);
  await parts.advance(4 * HOUR, 30 * MINUTE);
  assert.deepEqual(mutedBy(parts), []);
  assert.equal(parts.sent[0], `${6 * 3600}s default/webhook first notification: +a +b`);
});

test('outside of all its active times a route is quiet, and is muted by all of them', async () => {
  const route = { groupIntervalMs: HOUR, activeTimeIntervals: ['day', 'evening'] };
  const parts = start({ route, intervals: INTERVALS });
  parts.post('a', { endsAt: START + 48 * HOUR });
  await parts.advance(SECOND);
  assert.deepEqual(mutedBy(parts), ['day', 'evening']);
  assert.equal(parts.counts.get('suppressed active_time_interval'), 1);
  assert.equal(parts.counts.get('suppressed mute_time_interval'), undefined);
  await parts.advance(8 * HOUR, HOUR);
  assert.deepEqual([mutedBy(parts), parts.sent.length], [[], 1]);
});

test('a mute time counts inside an active one, too', async () => {
  const route = { activeTimeIntervals: ['night'], muteTimeIntervals: ['first hour'] };
  const parts = start({ route, intervals: INTERVALS });
  parts.post('a');
  await parts.advance(SECOND);
  assert.deepEqual([mutedBy(parts), parts.sent], [['first hour'], []]);
});

test('a suppressed alert is counted once: inhibition, active times, mute times, silences', async () => {
  const order = ['inhibition', 'active_time_interval', 'mute_time_interval', 'silence'];
  for (const [from, expected] of order.entries()) {
    const parts = start({
      rules: from === 0 ? [{ ...RULE, targetMatchers: [matcherOf('n', '!=', 'source')] }] : [],
      intervals: INTERVALS,
      route: {
        activeTimeIntervals: from <= 1 ? ['day'] : [],
        muteTimeIntervals: from <= 2 ? ['night'] : [],
        groupBy: ['n'],
      },
    });
    await silence(parts, 'a');
    parts.post('a');
    if (from === 0) parts.post('source');
    await parts.advance(SECOND);
    assert.deepEqual(parts.sent, []);
    const counted = order.filter((reason) => parts.counts.has(`suppressed ${reason}`));
    // The source itself is kept quiet by the next in order.
    assert.deepEqual(counted, from === 0 ? ['inhibition', 'active_time_interval'] : [expected]);
    assert.equal(parts.counts.get(`suppressed ${expected}`), 1);
  }
});

test('an unknown receiver passes everything: its alerts resolve and go', async () => {
  const parts = start({ receivers: {} });
  parts.post('a', { endsAt: START + 30 * SECOND });
  await parts.advance(61 * SECOND);
  assert.equal(parts.state.groups.size, 0);
});

test('a silence that ends with its alerts silences them, but not their end', async () => {
  const parts = start();
  parts.post('a', { endsAt: START + 150 * SECOND });
  await parts.advance(SECOND);
  await acknowledge(parts);
  await parts.advance(3 * MINUTE);
  parts.post('a');
  await parts.advance(MINUTE);
  assert.deepEqual(parts.sent, [
    '0s default/webhook first notification: +a',
    '180s default/webhook all alerts resolved: -a',
  ]);
});
