import { decodeText } from '../../../kernel/postgres/text.ts';
import { messageJsonOf, readMessage } from '../../contract/message-json.ts';
import type { Committed, RoomEvent } from '../../domain/event.ts';
import type { RecordChange } from '../../domain/record.ts';
import type { RoomHead } from '../../domain/room/room.ts';
import { typeOfCode } from '../event-types.ts';
import type { StoredState } from '../store.ts';

/** Commits and a position that are known, and the most events. */
export const FOLLOW_ROWS = 'SELECT * FROM opsdeck.follow_rooms($1, $2, $3)';

/** A row of follow_rooms, or the answer of append_to_rooms; what its columns hold depends on `what`. */
export interface FollowRow {
  readonly what: 'log' | 'record' | 'room' | 'event' | 'append';
  readonly n: number;
  readonly m: number;
  readonly a: string;
  readonly b: string | null;
  readonly c: string | null;
  readonly d: string | null;
  readonly e: string | null;
  /** Of an event: the incarnation of its node. */
  readonly writer: string | null;
}

export interface FollowedEvent {
  readonly committed: Committed;
  readonly writer: string;
}

/** What was committed after a known state, as of one moment. */
export interface Followed {
  readonly epoch: string;
  readonly commits: number;
  readonly pos: number;
  readonly firstPos: number;
  /** Removed records up to this commit are no longer there to be followed. */
  readonly pruned: number;
  /** The epoch began on this server and timeline. */
  readonly isSameOrigin: boolean;
  readonly records: readonly RecordChange[];
  readonly heads: ReadonlyMap<string, RoomHead>;
  readonly events: readonly FollowedEvent[];
}

export function readFollowed(rows: readonly FollowRow[]): Followed {
  const [log, ...rest] = rows;
  if (log?.what !== 'log') throw new Error('the table opsdeck.room_log has no row: the database was changed by hand');
  const of = (what: FollowRow['what']) => rest.filter((row) => row.what === what);
  return {
    epoch: log.a,
    commits: log.n,
    pos: log.m,
    firstPos: Number(log.b),
    pruned: Number(log.c),
    isSameOrigin: log.d === 'true',
    records: of('record').map(readRecord),
    heads: new Map(of('room').map(({ a, n, m, b }) => [decodeText(a), headOf(n, m, b)])),
    events: of('event').map((row) => ({ committed: readEvent(row), writer: row.writer ?? '' })),
  };
}

/** The whole state, read from the beginning and without events. */
export function readState(rows: readonly FollowRow[]): { readonly state: StoredState; readonly commits: number } {
  const { epoch, commits, pos, firstPos, records, heads } = readFollowed(rows);
  const present = records.filter(({ value }) => value !== null);
  return { state: { epoch, pos, firstPos, records: present, heads }, commits };
}

function headOf(firstSeq: number, lastSeq: number, lastAt: string | null): RoomHead {
  return { firstSeq, lastSeq, lastMessageAt: lastAt === null ? null : Number(lastAt) };
}

function readRecord({ a: kind, b: key, c: data }: FollowRow): RecordChange {
  return { kind, key: decodeText(key ?? ''), value: data === null ? null : JSON.parse(data) } as RecordChange;
}

/** The columns of an event: position and sequence number; type, room, audience, data and draft. */
function readEvent({ n: pos, a: code, b: room, c: audience, d: text, e: draft }: FollowRow): Committed {
  const data = `{"pos":${pos},${text}`;
  if (draft !== null) return { pos, event: JSON.parse(draft) as RoomEvent, data };
  const type = typeOfCode(Number(code));
  const event = {
    type,
    roomId: decodeText(room ?? ''),
    ...(audience === null ? {} : { audience: decodeText(audience) }),
    ...(type.startsWith('reaction.') || type.startsWith('pin.') ? whoOf(data) : {}),
    message: readMessage(messageJsonOf(data)),
  };
  return { pos, event: event as RoomEvent, data };
}

/** The user and the emoji, which stand before the message. */
function whoOf(data: string): { readonly userId: string; readonly emoji?: string } {
  const { userId, emoji } = JSON.parse(data) as { userId: string; emoji?: string };
  return emoji === undefined ? { userId } : { userId, emoji };
}
