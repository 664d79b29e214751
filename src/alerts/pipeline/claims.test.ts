import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR, MINUTE, SECOND, START } from '../testing/parts.ts';
import { createTestPipeline, failure, type TestPipelineOptions } from '../testing/pipeline/parts.ts';
import type { Claim, ClaimOutcome, Claims, FlushResult } from './claims.ts';

const ROUTE = { groupBy: ['n'], groupWaitMs: 10 * SECOND, groupIntervalMs: MINUTE, repeatIntervalMs: HOUR };

/** A node among others, whose claims a test grants or refuses; granted unless it says otherwise. */
function createNode(options: TestPipelineOptions = {}) {
  const claim: Claim = {
    isInDoubt: false,
    get isLost() {
      return !node.isHeld;
    },
    confirm: async () => node.isHeld,
  };
  const granted: ClaimOutcome = { ok: true, claim };
  const node = {
    isHeld: true,
    outcome: (): ClaimOutcome | Promise<ClaimOutcome> => granted,
    asked: [] as string[],
    completed: [] as (FlushResult & { readonly isInDoubt: boolean })[],
  };
  const claims: Claims = {
    async claim({ labelsText }) {
      node.asked.push(labelsText);
      return node.outcome();
    },
    complete: (_, result, isInDoubt) => void node.completed.push({ ...result, isInDoubt }),
  };
  const parts = createTestPipeline({ route: ROUTE, ...options, claims });
  parts.state.dispatcher.start(parts.pipeline);
  return { ...parts, claims: node, claim, granted, groupId: `${parts.state.groups.tree.root.id}:{n="a"}` };
}

test('a group is flushed with a claim, whose end names the next flush', async () => {
  const { claims, post, advance, sent } = createNode();
  post('a');
  await advance(10 * SECOND);
  assert.deepEqual(sent, ['10s default/webhook first notification: +a']);
  assert.deepEqual(claims.asked, ['{n="a"}']);
  assert.deepEqual(claims.completed, [{ nextFlushAt: START + 70 * SECOND, released: [], isInDoubt: false }]);
});

test('a flush with nothing to send and nothing to release needs no claim', async () => {
  const { claims, post, advance, sent } = createNode();
  post('a');
  await advance(10 * MINUTE);
  assert.equal(sent.length, 1);
  assert.equal(claims.asked.length, 1);
});

test('a flush that releases resolved alerts needs a claim even if there is nothing to send', async () => {
  const { claims, post, advance, sent, state } = createNode();
  post('a', { endsAt: START + 5 * SECOND });
  await advance(10 * SECOND);
  assert.deepEqual(sent, []);
  assert.deepEqual(claims.completed, [
    {
      nextFlushAt: undefined,
      released: [{ fingerprint: state.alerts.sorted()[0]?.alert.fingerprint, endsAt: START + 5 * SECOND }],
      isInDoubt: false,
    },
  ]);
});

test('a refused flush sends nothing and asks again at the given time, then even with nothing to send', async () => {
  const { claims, claim, post, advance, sent } = createNode();
  claims.outcome = () => ({ ok: false, retryAt: START + 14 * SECOND });
  post('a');
  await advance(13 * SECOND);
  assert.deepEqual([sent, claims.asked.length, claims.completed], [[], 1, []]);
  claims.outcome = () => ({ ok: true, claim: { ...claim, isInDoubt: true } });
  post('a', { startsAt: START, endsAt: START + 13 * SECOND });
  await advance(SECOND);
  // The other node may have sent that it fires.
  assert.deepEqual(sent, ['14s default/webhook all alerts resolved: -a']);
  assert.equal(claims.asked.length, 2);
});

test('a failed notification leaves the doubt to the next claim, a delivered one ends it', async () => {
  let isReached = false;
  const { claims, claim, post, advance } = createNode({
    receivers: { default: [{ answer: () => (isReached ? { ok: true } : failure({ retry: false })) }] },
  });
  claims.outcome = () => ({ ok: true, claim: { ...claim, isInDoubt: true } });
  post('a');
  await advance(10 * SECOND);
  isReached = true;
  await advance(MINUTE);
  assert.deepEqual(
    claims.completed.map(({ isInDoubt }) => isInDoubt),
    [true, false],
  );
});

test('without a doubt, an alert that has resolved unsent stays unsent', async () => {
  const { claims, granted, post, advance, sent } = createNode();
  claims.outcome = () => ({ ok: false, retryAt: START + 14 * SECOND });
  post('a');
  await advance(12 * SECOND);
  post('a', { startsAt: START, endsAt: START + 13 * SECOND });
  claims.outcome = () => granted;
  await advance(2 * SECOND);
  assert.deepEqual([sent, claims.completed.length], [[], 1]);
});

test('what another node has recorded by the time of the claim is not sent again', async () => {
  const { claims, granted, post, advance, sent, state } = createNode();
  claims.outcome = () => {
    const [group] = state.groups.sorted();
    const [key] = group?.logKeys ?? [];
    const [slot] = state.alerts.sorted();
    assert.ok(key && slot);
    const firing = new Set([slot.alert.fingerprint]);
    const entry = { key, at: START + 10 * SECOND, firing, resolved: new Set<string>(), receiverData: {} };
    state.notificationLog.receive({ ...entry, expiresAt: START + HOUR });
    return granted;
  };
  post('a');
  await advance(10 * SECOND);
  assert.deepEqual([sent, claims.completed.length], [[], 1]);
});

test('the flush of another node moves the next one and releases the same alerts', async () => {
  const { claims, groupId, post, advance, sent, state } = createNode();
  post('a');
  await advance(5 * SECOND);
  post('a', { startsAt: START, endsAt: START + 5 * SECOND });
  const [slot] = state.alerts.sorted();
  assert.ok(slot);
  const { fingerprint, endsAt } = slot.alert;
  state.dispatcher.flushedElsewhere(groupId, {
    nextFlushAt: START + 30 * SECOND,
    released: [{ fingerprint, endsAt: endsAt + 1 }],
  });
  assert.equal(state.groups.sorted()[0]?.nextFlushAt, START + 30 * SECOND);
  assert.equal(slot.isSettled, false, 'another resolution was released');
  state.dispatcher.flushedElsewhere(groupId, { nextFlushAt: undefined, released: [{ fingerprint, endsAt }] });
  assert.deepEqual([state.groups.size, slot.isSettled], [0, true]);
  await advance(MINUTE);
  assert.deepEqual([sent, claims.asked], [[], []]);
});

test('the next flush of a group that comes later is that of the other nodes', async () => {
  const { groupId, post, advance, sent, state } = createNode();
  state.dispatcher.flushedElsewhere(groupId, { nextFlushAt: START + 40 * SECOND, released: [] });
  post('a');
  await advance(39 * SECOND);
  assert.deepEqual(sent, []);
  await advance(SECOND);
  assert.equal(sent.length, 1);
});

test('a claim that was lost before a request keeps the request back', async () => {
  const { claims, post, advance, sent, counts } = createNode();
  claims.isHeld = false;
  post('a');
  await advance(10 * SECOND);
  assert.deepEqual(sent, []);
  assert.equal(counts.get('failed webhook contextCanceled'), 1);
  claims.isHeld = true;
  await advance(SECOND);
  assert.deepEqual(
    sent,
    ['11s default/webhook first notification: +a'],
    'asked for again, as the other node may have failed',
  );
});

test('each attempt asks whether the claim still holds', async () => {
  const { claims, post, advance, sent } = createNode({
    receivers: { default: [{ answer: () => failure({ retry: true }) }] },
  });
  post('a');
  await advance(10 * SECOND);
  assert.equal(sent.length, 1);
  claims.isHeld = false;
  await advance(MINUTE - 10 * SECOND);
  assert.equal(sent.length, 1);
});

test('a claim that is granted during a stop is given back, due at once, with its doubt', async () => {
  const { claims, claim, post, advance, sent, state } = createNode();
  let grant = () => {};
  claims.outcome = () =>
    new Promise((done) => {
      grant = () => done({ ok: true, claim: { ...claim, isInDoubt: true } });
    });
  post('a');
  await advance(10 * SECOND);
  const stopped = state.dispatcher.stop();
  grant();
  await stopped;
  assert.deepEqual(sent, []);
  assert.deepEqual(claims.completed, [{ nextFlushAt: START + 10 * SECOND, released: [], isInDoubt: true }]);
});
