import type { AuditEntry } from '../domain/change.ts';
import type { EventType } from '../domain/event.ts';
import type { FileRef } from '../domain/file/file.ts';
import type { Edit } from '../domain/message/message.ts';
import type { RecordChange } from '../domain/record.ts';
import type { Run } from '../domain/run/run.ts';
import type { RemovalPart } from './engine.ts';
import { typeCode, typeOfCode } from './event-types.ts';

// A commit as passed from a store to its engine. The first line is JSON; the texts of its events follow, each on a line
// of its own, since JSON holds no line breaks. The journal of 0.1.0 held such commits, and removals.

/** A placed event. */
export interface PlacedEvent {
  readonly type: EventType;
  readonly roomId: string | null;
  /** Of a message's events, the message's; else 0. */
  readonly seq: number;
  readonly audience: string | null;
  /** For a message's creation, its content hash; else `null`. */
  readonly hash: string | null;
  /** As of contract/event.ts, without its position, in UTF-8. */
  readonly text: Buffer;
}

/** The parts of a write beside its events. */
export interface WrittenParts {
  readonly records?: readonly RecordChange[];
  readonly edits?: readonly Edit[];
  readonly runs?: readonly Run[];
  readonly files?: readonly FileRef[];
  readonly audit?: readonly AuditEntry[];
}

export interface PlacedWrite extends WrittenParts {
  readonly events: readonly PlacedEvent[];
}

export interface CommitEntry {
  readonly kind: 'commit';
  /** Before its first event. */
  readonly pos: number;
  readonly writes: readonly PlacedWrite[];
}

export type StoreEntry = CommitEntry | { readonly kind: 'removal'; readonly part: RemovalPart };

/** A write in the first line. */
export interface PrintedWrite extends WrittenParts {
  readonly events: readonly EventPlace[];
}

type EventPlace = readonly [code: number, roomId: string | null, seq: number, audience: string | null, hash?: string];

export function eventPlace(event: Omit<PlacedEvent, 'text'>): EventPlace {
  const { type, roomId, seq, audience, hash } = event;
  const code = typeCode(type);
  return hash === null ? [code, roomId, seq, audience] : [code, roomId, seq, audience, hash];
}

/** `texts`: of all events, in order. */
export function printCommit(pos: number, writes: readonly PrintedWrite[], texts: readonly string[]): Uint8Array {
  return encodeLines([JSON.stringify({ kind: 'commit', pos, writes }), ...texts]);
}

const LINE_END = 0x0a;
const SCRATCH_BYTES = 256 * 2 ** 10;
const scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);

/** In shared memory, written line by line: building one text of all lines would cost more than the rest. */
function encodeLines(lines: readonly string[]): Uint8Array {
  let most = lines.length;
  // A UTF-16 unit takes at most three bytes.
  for (const line of lines) most += line.length * 3;
  const room = most > SCRATCH_BYTES ? Buffer.allocUnsafeSlow(most) : scratch;
  let used = 0;
  for (const line of lines) {
    used += room.write(line, used);
    room[used++] = LINE_END;
  }
  const bytes = new Uint8Array(new SharedArrayBuffer(used));
  bytes.set(room.subarray(0, used));
  return bytes;
}

export function readEntry(payload: Uint8Array): StoreEntry {
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength);
  let start = 0;
  const nextLine = () => {
    const end = bytes.indexOf(LINE_END, start);
    if (end < 0) throw new Error('a commit ends too early');
    const line = bytes.subarray(start, end);
    start = end + 1;
    return line;
  };
  const head = JSON.parse(nextLine().toString()) as
    | { readonly kind: 'commit'; readonly pos: number; readonly writes: readonly PrintedWrite[] }
    | Extract<StoreEntry, { kind: 'removal' }>;
  if (head.kind === 'removal') return head;
  const writes = head.writes.map((write) => ({
    ...write,
    events: write.events.map(([code, roomId, seq, audience, hash = null]) => ({
      type: typeOfCode(code),
      roomId,
      seq,
      audience,
      hash,
      text: nextLine(),
    })),
  }));
  return { kind: 'commit', pos: head.pos, writes };
}
