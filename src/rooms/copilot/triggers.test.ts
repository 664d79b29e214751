import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../testing/fake/clock.ts';
import { autoRunId } from '../domain/copilot/trigger.ts';
import type { Message } from '../domain/message/message.ts';
import { refuse } from '../domain/refusal.ts';
import type { RoomState } from '../room/state.ts';
import { copilotOf, messageOf, ROOM_ID, roomOf, viewOf } from '../testing/copilot/parts.ts';
import { CopilotTriggers, type CopilotTriggersParts } from './triggers.ts';

function kit(messages: readonly Message[] = []) {
  const clock = new FakeClock();
  const asked: string[] = [];
  const room = roomOf({ copilot: copilotOf({ trigger: 'always' }) });
  const stored = (found: readonly Message[]) => found.map((message) => ({ message, json: '', contentHash: '' }));
  const parts = {
    state: viewOf(room, { ana: 'member', ben: 'member' }) as RoomState,
    store: { messages: async (ids: readonly string[]) => stored(messages.filter(({ id }) => ids.includes(id))) },
    runs: {
      request: async ({ id }: { id: string }) => {
        asked.push(id);
        return refuse('archived', 'enough for a test');
      },
    },
    clock,
  };
  const triggers = new CopilotTriggers(parts as unknown as CopilotTriggersParts);
  const follow = (isOwn: boolean, messages: readonly Message[]) =>
    triggers.follow(
      messages.map((message, index) => ({
        pos: index + 1,
        data: '',
        event: { type: 'message.created', roomId: ROOM_ID, message },
      })),
      { isOwn },
    );
  const commit = (...messages: readonly Message[]) => follow(true, messages);
  const hear = (...messages: readonly Message[]) => follow(false, messages);
  return { clock, asked, triggers, commit, hear };
}

const ben = { author: { id: 'ben', name: 'Ben', kind: 'human' } } as const;
const idsOf = (...seqs: readonly number[]) => seqs.map((seq) => autoRunId(ROOM_ID, `message-${seq}`));

test('several messages of one author are answered once, after a pause', () => {
  const { clock, asked, commit } = kit();
  commit(messageOf(1, 'one'));
  clock.advance(1_000);
  commit(messageOf(2, 'two'));
  clock.advance(1_499);
  assert.deepEqual(asked, []);
  clock.advance(1);
  assert.deepEqual(asked, idsOf(2));
});

test('a message of another author in between is a separate question', () => {
  const { clock, asked, commit } = kit();
  commit(messageOf(1, 'one'), messageOf(2, 'two', ben));
  assert.deepEqual(asked, idsOf(1));
  clock.advance(1_500);
  assert.deepEqual(asked, idsOf(1, 2));
});

test('a message written through another node is asked there, and ends the wait of an earlier one here', () => {
  const { clock, asked, commit, hear } = kit();
  hear(messageOf(1, 'one'), messageOf(2, '@copilot two'));
  commit(messageOf(3, 'three'));
  hear(messageOf(4, 'four'));
  clock.advance(1_500);
  assert.deepEqual(asked, []);
  commit(messageOf(5, 'five'));
  hear(messageOf(6, 'six', ben));
  assert.deepEqual(asked, idsOf(5));
  clock.advance(1_500);
  assert.deepEqual(asked, idsOf(5));
});

test('threads wait separately, and nothing is triggered after the end', async () => {
  const { clock, asked, commit, triggers } = kit();
  commit(messageOf(1, 'one'), messageOf(2, 'two', { ...ben, threadId: 'message-0' }));
  clock.advance(1_500);
  assert.deepEqual(asked, idsOf(1, 2));
  commit(messageOf(3, 'three'));
  await triggers.close();
  clock.advance(1_500);
  assert.equal(asked.length, 2);
});
