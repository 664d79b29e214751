import { findRoom, type RoomAccess } from '../access.ts';
import type { Caller } from '../caller.ts';
import type { Change, Decision } from '../change.ts';
import { record } from '../record.ts';
import { refuse } from '../refusal.ts';
import { type Involvement, type Member, memberKey } from './member.ts';

/** The caller's settings of a room; omitted ones take their defaults. */
export interface MeRequest {
  readonly involvement?: Involvement | undefined;
  readonly mutedUntil?: number | null | undefined;
  readonly archived?: boolean | undefined;
  readonly copilot?: boolean | undefined;
}

export interface ReadRequest {
  readonly seq?: number | undefined;
  /** By the ids of the threads' roots. */
  readonly threadReads?: Readonly<Record<string, number>> | undefined;
}

/** Of more threads the oldest are dropped. */
const MAX_THREADS = 500;

/** Replaces the caller's settings of a room. */
export function replaceMe(caller: Caller, idOrSlug: string, request: MeRequest): Change<Member> {
  const { involvement = 'mentions', mutedUntil = null, archived = false, copilot = false } = request;
  return changeMe(caller, idOrSlug, (member) => ({ ...member, involvement, mutedUntil, archived, copilot }));
}

/** Advances read positions; never back, and not past the last message. */
export function markRead(caller: Caller, idOrSlug: string, { seq = 0, threadReads = {} }: ReadRequest): Change<Member> {
  return changeMe(caller, idOrSlug, (member, lastSeq) => ({
    ...member,
    lastReadSeq: Math.max(member.lastReadSeq, Math.min(seq, lastSeq)),
    threadReads: mergeReads(member.threadReads, threadReads, lastSeq),
  }));
}

function mergeReads(
  held: Member['threadReads'],
  sent: Readonly<Record<string, number>>,
  lastSeq: number,
): Member['threadReads'] {
  const moved = Object.entries(sent)
    .map(([id, seq]) => [id, Math.min(seq, lastSeq)] as const)
    .filter(([id, seq]) => seq > (held[id] ?? 0));
  if (moved.length === 0) return held;
  const merged = Object.entries({ ...held, ...Object.fromEntries(moved) });
  if (merged.length <= MAX_THREADS) return Object.fromEntries(merged);
  return Object.fromEntries(merged.sort(([, a], [, b]) => b - a).slice(0, MAX_THREADS));
}

function changeMe(
  caller: Caller,
  idOrSlug: string,
  change: (member: Member, lastSeq: number) => Member,
): Change<Member> {
  return {
    decide(view) {
      const found = findRoom(view, caller, idOrSlug);
      if (!found.ok) return found;
      const { member, room } = found.value;
      return decideMe(caller, found.value, member && change(member, view.head(room.id).lastSeq));
    },
  };
}

/** Writes the caller's settings and notifies the caller alone; `undefined`: not a member. */
export function decideMe(
  caller: Caller,
  { room, member }: Pick<RoomAccess, 'room' | 'member'>,
  wanted: Member | undefined,
): Decision<Member> {
  if (!member || !wanted) return refuse('forbidden', 'only members of the room may do this; join it first');
  if (JSON.stringify(member) === JSON.stringify(wanted)) return { ok: true, write: null, answer: () => member };
  const changed: Member = { ...wanted, version: member.version + 1 };
  const key = memberKey(room.id, caller.user.id);
  return {
    ok: true,
    write: {
      records: [record('member', key, changed)],
      events: [{ type: 'read.updated', roomId: room.id, audience: caller.user.id, member: changed }],
    },
    answer: () => changed,
  };
}
