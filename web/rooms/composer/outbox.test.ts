import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../../src/testing/fake/clock.ts';
import { ApiError, outcomeOf } from '../api-error.ts';
import { Outbox, type OutboxItem, type SendOutcome } from './outbox.ts';

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

const item = (id: string, createdAt = 1): Omit<OutboxItem, 'state' | 'reason' | 'userId'> => ({
  id,
  roomId: 'r1',
  body: `words of ${id}`,
  threadId: null,
  replyTo: null,
  attachments: [],
  createdAt,
});

function setUp(stored: readonly OutboxItem[] = []) {
  const clock = new FakeClock();
  const kept = new Map(stored.map((one) => [one.id, one]));
  const sent: string[] = [];
  const answers: SendOutcome[] = [];
  const refused: string[] = [];
  const outbox = new Outbox({
    clock,
    userId: 'ana',
    random: () => 1,
    changed: () => {},
    refused: ({ id, reason }) => void refused.push(`${id}: ${reason}`),
    storage: {
      all: async () => [...kept.values()],
      put: async (one) => void kept.set(one.id, one),
      remove: async (id) => void kept.delete(id),
    },
    send: async ({ id }) => {
      sent.push(id);
      return answers.shift() ?? { kind: 'sent' };
    },
  });
  return { clock, kept, sent, answers, refused, outbox };
}

const states = ({ items }: Outbox) => items.map(({ id, state }) => `${id} ${state}`);

test('messages go out one after the other, in the order in which they were written', async () => {
  const { outbox, sent } = setUp();
  await Promise.all(['a', 'b', 'c'].map((id) => outbox.add(item(id))));
  await settled();
  assert.deepEqual(sent, ['a', 'b', 'c']);
});

test('a message is kept before it is sent, and forgotten only when the server has it', async () => {
  const { outbox, kept, answers, clock } = setUp();
  answers.push({ kind: 'later' });
  await outbox.add(item('a'));
  await settled();
  assert.deepEqual([...kept.keys()], ['a']);
  clock.advance(1000);
  await settled();
  assert.deepEqual([...kept.keys()], []);
});

test('a message without an answer is sent again with the same id, each time after a longer wait, and holds up the next', async () => {
  const { outbox, sent, answers, clock } = setUp();
  answers.push({ kind: 'later' }, { kind: 'later' });
  await outbox.add(item('a'));
  await settled();
  clock.advance(1000);
  await settled();
  assert.deepEqual(sent, ['a', 'a']);
  clock.advance(1999);
  await settled();
  assert.deepEqual(sent, ['a', 'a'], 'the second wait is twice as long');
  clock.advance(1);
  await settled();
  assert.deepEqual(sent, ['a', 'a', 'a']);
});

test('messages written while the server is away are tried at once, in order', async () => {
  const { outbox, sent, answers } = setUp();
  answers.push({ kind: 'later' });
  await outbox.add(item('a'));
  await settled();
  await outbox.add(item('b', 2));
  await settled();
  assert.deepEqual(sent, ['a', 'a', 'b']);
});

test('a retry waits for the time that the server names', async () => {
  const { outbox, sent, answers, clock } = setUp();
  answers.push({ kind: 'later', afterMs: 7000 });
  await outbox.add(item('a'));
  await settled();
  clock.advance(6999);
  await settled();
  assert.equal(sent.length, 1);
  clock.advance(1);
  await settled();
  assert.equal(sent.length, 2);
});

test('a refused message is reported once it is kept with its reason, and holds up nothing', async () => {
  const { outbox, kept, sent, refused, answers } = setUp();
  answers.push({ kind: 'refused', reason: 'the room is archived' });
  await outbox.add(item('a'));
  await outbox.add(item('b', 2));
  await settled();
  assert.deepEqual(states(outbox), ['a failed', 'b sent']);
  assert.equal(kept.get('a')?.reason, 'the room is archived');
  assert.deepEqual(refused, ['a: the room is archived']);
  assert.deepEqual(sent, ['a', 'b']);
  outbox.retry('a');
  await settled();
  assert.deepEqual(states(outbox), ['a sent', 'b sent']);
});

test('the next page sends the messages left by the last one, the oldest first, without refused ones and those of another person', async () => {
  const left = (id: string, createdAt: number, change: Partial<OutboxItem>): OutboxItem => ({
    ...item(id, createdAt),
    userId: 'ana',
    state: 'sending',
    reason: '',
    ...change,
  });
  const { outbox, sent } = setUp([
    left('second', 2, {}),
    left('first', 1, {}),
    left('refused', 3, { state: 'failed', reason: 'no' }),
    left('ben’s', 4, { userId: 'ben' }),
  ]);
  await outbox.restore();
  await settled();
  assert.deepEqual(sent, ['first', 'second']);
  assert.deepEqual(states(outbox), ['first sent', 'second sent', 'refused failed']);
});

test('a message that is seen in its room is no longer on its way', async () => {
  const { outbox } = setUp();
  await outbox.add(item('a'));
  outbox.confirm('a');
  assert.deepEqual(states(outbox), []);
});

const outcomes: readonly (readonly [what: string, error: unknown, outcome: SendOutcome])[] = [
  ['no answer', new ApiError('gone', 'unreachable'), { kind: 'later', afterMs: undefined }],
  ['500', new ApiError('broken', 'failed', { status: 500 }), { kind: 'later', afterMs: undefined }],
  ['429', new ApiError('slow', 'busy', { status: 429, retryAfterMs: 3000 }), { kind: 'later', afterMs: 3000 }],
  ['401', new ApiError('who?', 'refused', { status: 401 }), { kind: 'later', afterMs: undefined }],
  ['400', new ApiError('too long', 'refused', { status: 400 }), { kind: 'refused', reason: 'too long' }],
  ['409', new ApiError('taken', 'refused', { status: 409 }), { kind: 'refused', reason: 'taken' }],
  ['a fault of the page', new Error('odd'), { kind: 'later' }],
];
for (const [what, error, outcome] of outcomes) {
  test(`${what}: the message is ${outcome.kind === 'later' ? 'sent again' : 'refused'}`, () => {
    assert.deepEqual(outcomeOf(error), outcome);
  });
}
