import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_TRACES } from '../../kernel/tracing/tracer.ts';
import type { Delivery } from '../integrations/notifier.ts';
import { HOUR, MINUTE, SECOND } from '../testing/parts.ts';
import { createTestPipeline, type FakeIntegration, failure } from '../testing/pipeline/parts.ts';
import { Flush, type FlushParts } from './flush.ts';
import type { SendQueue } from './send-queue.ts';

const ROUTE = { groupWaitMs: 0, groupIntervalMs: MINUTE, repeatIntervalMs: HOUR };

/** A group with one alert, and flushes of it that a test leads by hand. */
function createFlushes(integration: FakeIntegration = {}) {
  const { clock, state, pipeline, post, sent } = createTestPipeline({
    route: ROUTE,
    receivers: { default: [integration] },
  });
  const events: string[] = [];
  const server = { isRunning: true };
  const parts: FlushParts = {
    now: () => clock.now(),
    claims: undefined,
    traces: NO_TRACES,
    isRunning: () => server.isRunning,
    announce: (alerts) => void events.push(`announced ${alerts.length}`),
    failed: (_, error) => void events.push(`failed ${error}`),
    ended: ({ state }) => void events.push(`ended ${state}`),
  };
  const queue = { enter: (name: string) => void events.push(`queued for ${name}`) } as unknown as SendQueue;
  post('a');
  const [group] = state.groups.sorted();
  assert.ok(group);
  const open = () => new Flush(group, pipeline, parts);
  /** One whose turn may come. */
  const openQueued = () => {
    const flush = open();
    flush.evaluate();
    flush.enter(queue);
    return flush;
  };
  return { clock, events, server, sent, post, open, openQueued };
}

test('a flush is due, evaluated, queued, sent and recorded; then all receivers are notified', async () => {
  let answer = (_: Delivery) => {};
  const answering = new Promise<Delivery>((resolve) => {
    answer = resolve;
  });
  const { events, openQueued, open } = createFlushes({ answer: () => answering });
  const first = open();
  assert.equal(first.state, 'due');
  first.evaluate();
  assert.equal(first.state, 'evaluated');
  const flush = openQueued();
  assert.equal(flush.state, 'queued');
  flush.prepare();
  assert.deepEqual(events, ['queued for default', 'announced 1']);
  const sending = flush.send(() => {});
  assert.deepEqual([flush.state, flush.isNotified], ['sent', false]);
  answer({ ok: true });
  await sending;
  assert.deepEqual([flush.state, flush.isNotified], ['recorded', true]);
  assert.equal(events.at(-1), 'ended recorded');
});

test('a flush with nothing new to send is recorded at once', async () => {
  const { open, openQueued } = createFlushes();
  await openQueued().send(() => {});
  const flush = open();
  flush.evaluate();
  assert.deepEqual([flush.state, flush.isNotified], ['recorded', true]);
});

test('a refused flush is recorded, and not all receivers are notified', async () => {
  const { openQueued } = createFlushes({ answer: () => failure() });
  const flush = openQueued();
  await flush.send(() => {});
  assert.deepEqual([flush.state, flush.isNotified], ['recorded', false]);
});

test('a flush begun after half of its time has the state of that moment', async () => {
  const { clock, openQueued, post, sent, events } = createFlushes();
  const flush = openQueued();
  post('b');
  clock.advance(30 * SECOND);
  flush.prepare();
  assert.equal(flush.state, 'evaluated');
  assert.equal(flush.at, clock.now());
  await flush.send(() => {});
  assert.equal(flush.state, 'recorded');
  assert.deepEqual(sent, ['30s default/webhook first notification: +a +b']);
  assert.ok(events.includes('announced 2'));
});

test('a late flush sends nothing when another has sent it all', async () => {
  const { clock, openQueued, sent } = createFlushes();
  const late = openQueued();
  await openQueued().send(() => {});
  clock.advance(30 * SECOND);
  late.prepare();
  assert.deepEqual([late.state, late.isNotified], ['recorded', true]);
  await late.send(() => {});
  assert.equal(sent.length, 1);
});

test('a flush overtaken by the stop of the server is due again, and sends nothing', async () => {
  const { openQueued, server, sent, events } = createFlushes();
  const flush = openQueued();
  server.isRunning = false;
  flush.prepare();
  await flush.send(() => {});
  assert.deepEqual([flush.state, flush.isNotified, sent], ['due', false, []]);
  assert.deepEqual(events, ['queued for default', 'ended due']);
});

test('a flush that fails through a fault of ours is due again', async () => {
  const broken = () => {
    throw new Error('a bug');
  };
  const { openQueued, events } = createFlushes({ answer: broken });
  const flush = openQueued();
  await flush.send(() => {});
  assert.deepEqual([flush.state, flush.isNotified], ['due', false]);
  assert.deepEqual(events.slice(1), ['failed Error: a bug', 'ended due']);
});

test('no state is left out', () => {
  const { open } = createFlushes();
  const flush = open();
  assert.throws(() => flush.enter({} as SendQueue), /a flush that is due cannot be queued/);
});
