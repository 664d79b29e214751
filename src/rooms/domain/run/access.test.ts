import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '../caller.ts';
import type { StateView } from '../change.ts';
import { memberKey, newMember } from '../member/member.ts';
import type { Room } from '../room/room.ts';
import { findRun } from './access.ts';
import type { Run } from './run.ts';

const ROOM = { id: 'r1', visibility: 'private', historyVisibility: 'joined', deletedAt: null } as Room;

/** ben has joined at 100, after the fifth message. */
const VIEW = {
  get: (kind: string, key: string) => {
    if (kind === 'room') return ROOM;
    return kind === 'member' && key === memberKey('r1', 'ben')
      ? newMember({ roomId: 'r1', lastSeq: 5 }, 'ben', 'member', 100)
      : undefined;
  },
  head: () => ({ lastSeq: 5, firstSeq: 1, lastMessageAt: 50 }),
} as unknown as StateView;

const BEN = { kind: 'user', user: { id: 'ben' }, isAdmin: false, roomIds: null } as unknown as Caller;
const runOf = (queuedAt: number, startedBy = 'ana') =>
  ({ id: 'run1', roomId: 'r1', audience: null, startedBy, queuedAt }) as Run;
const found = (run: Run) => findRun(VIEW, BEN, 'run1', run, { answer: undefined, trigger: undefined }).ok;

test('a run that left no answer belongs to the time in which it was asked for', () => {
  assert.equal(found(runOf(99)), false);
  assert.equal(found(runOf(101)), true);
});

test('the author of a run sees it at any time', () => {
  assert.equal(found(runOf(99, 'ben')), true);
});
