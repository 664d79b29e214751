import assert from 'node:assert/strict';
import { test } from 'node:test';
import { copilotOf, ROOM_ID, roomOf, viewOf } from '../../testing/copilot/parts.ts';
import type { StateView } from '../change.ts';
import type { QuotaUse, RecordChange } from '../record.ts';
import { reserveRun, settleRun } from './quota.ts';

const HOUR_MS = 3_600_000;
const LIMITS = { perUserPerHour: 2, perRoomPerHour: 3, tokensPerDay: 1_000, concurrent: 1, queue: 5 };

/** Counts on, as the records of each decision say. */
function counter(limits: Partial<typeof LIMITS> = {}) {
  const uses = new Map<string, QuotaUse>();
  const empty = viewOf(roomOf());
  const view = { ...empty, get: (_kind: string, key: string) => uses.get(key) } as unknown as StateView;
  const note = (records: readonly RecordChange[]) => {
    for (const { key, value } of records) uses.set(key, value as QuotaUse);
  };
  const copilot = copilotOf({ limits: { ...LIMITS, ...limits }, maxOutputTokens: 100 });
  return {
    ask(userId: string, now: number) {
      const asked = reserveRun(view, { roomId: ROOM_ID, userId }, copilot, now);
      if (asked.ok) note(asked.value);
      return asked;
    },
    settle: (reserved: number, reservedAt: number, cost: number, now: number) =>
      note([settleRun(view, ROOM_ID, { reserved, reservedAt, cost }, now)]),
    tokens: () => uses.get(`copilot-tokens/${ROOM_ID}`)?.used,
  };
}

test('one person, and the room, have a limited number of runs per hour', () => {
  const { ask } = counter();
  assert.deepEqual([ask('ana', 0).ok, ask('ana', 1).ok, ask('ana', 2).ok], [true, true, false]);
  assert.deepEqual([ask('ben', 3).ok, ask('ben', 4).ok], [true, false]);
  const refused = ask('kim', HOUR_MS - 1_000);
  assert.deepEqual(
    [refused.ok, !refused.ok && refused.code, !refused.ok && refused.retryAfterS],
    [false, 'copilot_quota', 1],
  );
  assert.equal(ask('ana', HOUR_MS).ok, true);
});

test('a limit of 0 means no limit', () => {
  const { ask } = counter({ perUserPerHour: 0, perRoomPerHour: 0, tokensPerDay: 0 });
  for (let n = 0; n < 50; n++) assert.equal(ask('ana', n).ok, true);
});

test('tokens are reserved, and unused tokens are returned', () => {
  const { ask, settle, tokens } = counter({ perUserPerHour: 0, perRoomPerHour: 0, tokensPerDay: 250 });
  assert.deepEqual([ask('ana', 0).ok, ask('ana', 0).ok, ask('ana', 0).ok], [true, true, false]);
  settle(100, 0, 30, 5);
  assert.equal(tokens(), 130);
  assert.equal(ask('ana', 6).ok, true);
});

test('tokens reserved yesterday are settled today', () => {
  const { ask, settle, tokens } = counter();
  assert.equal(ask('ana', 0).ok, true);
  settle(100, 0, 30, 24 * HOUR_MS);
  assert.equal(tokens(), 30);
});
