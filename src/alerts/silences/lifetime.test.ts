import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startMaintenance } from '../state/maintenance.ts';
import { HOUR, MINUTE, postedSilence, SECOND, START } from '../testing/parts.ts';
import { createTestPipeline } from '../testing/pipeline/parts.ts';

const EXPIRING = { expire_when_resolved: 'true' };

async function start(annotations: Record<string, string> = EXPIRING, gcIntervalMs = 30 * MINUTE) {
  const parts = createTestPipeline({ route: { groupWaitMs: 0, groupIntervalMs: 10 * SECOND } });
  const { state, clock, log, pipeline } = parts;
  startMaintenance({ options: { maintenanceIntervalMs: 15 * MINUTE, gcIntervalMs }, state, clock, log });
  state.dispatcher.start(pipeline);
  const silence = async (startsAt = clock.now(), endsAt = START + 24 * HOUR) => {
    const matchers = [{ name: 'alertname', value: 'Test', isRegex: false, isEqual: true }];
    await state.silences.set(postedSilence({ matchers, annotations, startsAt, endsAt }), clock.now());
  };
  /** Seconds from START to the end of the silence; 86400 as it was posted. */
  const endOf = () => [...state.silences.all()].map(({ endsAt }) => (endsAt - START) / 1000);
  return { ...parts, silence, endOf };
}

test('a silence that is to end with its alerts does so, soon after the last of them has resolved', async () => {
  const { silence, post, advance, endOf } = await start();
  await silence();
  post('a', { endsAt: START + 7 * SECOND });
  post('b', { endsAt: START + 62 * SECOND });
  await advance(60 * SECOND);
  assert.deepEqual(endOf(), [86_400]);
  await advance(10 * SECOND);
  assert.deepEqual(endOf(), [65]);
});

test('any other silence stays, also one with another value of the annotation', async () => {
  for (const annotations of [{}, { expire_when_resolved: 'false' }, { expire_when_resolved: '' }]) {
    const { silence, post, advance, endOf } = await start(annotations);
    await silence();
    post('a', { endsAt: START + SECOND });
    await advance(MINUTE);
    assert.deepEqual(endOf(), [86_400]);
  }
});

test('it waits for an alert to silence; alerts resolved before it do not count', async () => {
  const { silence, post, advance, endOf } = await start();
  post('before', { endsAt: START + 2 * SECOND });
  await advance(3 * SECOND);
  await silence();
  await advance(MINUTE);
  assert.deepEqual(endOf(), [86_400]);
  post('a');
  await advance(SECOND);
  post('a', { startsAt: START + 63 * SECOND, endsAt: START + 64 * SECOND });
  await advance(10 * SECOND);
  assert.deepEqual(endOf(), [65]);
});

test('a pending silence does not end before its start', async () => {
  const { silence, post, advance, endOf } = await start();
  await silence(START + HOUR);
  post('a', { endsAt: START + SECOND });
  await advance(MINUTE);
  assert.deepEqual(endOf(), [86_400]);
});

test('it ends also where resolved alerts are forgotten at once', async () => {
  const { silence, post, advance, endOf, state } = await start(EXPIRING, SECOND);
  await silence();
  post('a', { endsAt: START + 11 * SECOND });
  await advance(MINUTE);
  assert.equal(state.alerts.size, 0);
  assert.deepEqual(endOf(), [11]);
});

const ACKNOWLEDGED = { acknowledged_until: new Date(START + 2 * HOUR).toISOString() };

test('an acknowledgement runs as long as its alert fires, which notifies when it fires again', async () => {
  const { silence, post, advance, endOf, sent } = await start(ACKNOWLEDGED);
  post('a', { endsAt: START + 50 * MINUTE });
  await advance(SECOND);
  await silence(START, START + 15 * MINUTE);
  await advance(49 * MINUTE, 5 * SECOND);
  assert.deepEqual(endOf(), [60 * 60]);
  assert.deepEqual(sent, ['0s default/webhook first notification: +a']);
  await advance(MINUTE + 10 * SECOND);
  assert.deepEqual(endOf(), [50 * 60]);
  post('a', { endsAt: START + 80 * MINUTE });
  await advance(10 * SECOND);
  assert.deepEqual(
    sent.slice(1).map((one) => one.slice(-4)),
    [': -a', ': +a'],
  );
});

test('an acknowledgement ends at its limit, or when anyone expires it', async () => {
  const { silence, post, advance, endOf, state, clock } = await start(ACKNOWLEDGED);
  post('a', { endsAt: START + 24 * HOUR });
  await silence(START, START + 15 * MINUTE);
  await advance(7 * MINUTE, MINUTE);
  await silence(clock.now(), clock.now() + 15 * MINUTE);
  const [first] = [...state.silences.all()];
  await state.silences.expire(first?.id ?? '', clock.now());
  await advance(3 * HOUR, MINUTE);
  assert.deepEqual(endOf(), [7 * 60, 120 * 60]);
});
