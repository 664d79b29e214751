// Checks the histories of many writers and readers: no message of a room may be lost, doubled or reordered. Each room
// is one append-only log, so its numbers give the order and no search is needed.

/** One message, from its first attempt to its answer. Times are of one monotonic clock. */
export interface WriteRecord {
  readonly id: string;
  readonly room: string;
  readonly writer: string;
  /** Before the first attempt. */
  readonly startedAt: number;
  /** When its answer arrived; `null`: never, so the message may exist or not. */
  readonly answeredAt: number | null;
  /** As answered. */
  readonly seq: number | null;
}

/** A message of a room at the end. */
export interface KeptMessage {
  readonly seq: number;
  readonly id: string;
}

/** An event that a reader received. */
export interface ReadRecord {
  readonly room: string;
  readonly seq: number;
  readonly id: string;
  /** Of the log. */
  readonly pos: number;
}

/** All events that one reader received over its connections, in order. */
export interface ReaderRecord {
  readonly name: string;
  /** The rooms whose events it should have received from the beginning. */
  readonly rooms: readonly string[];
  readonly reads: readonly ReadRecord[];
}

export interface RoomHistory {
  readonly writes: readonly WriteRecord[];
  /** By room, in the server's order. */
  readonly kept: ReadonlyMap<string, readonly KeptMessage[]>;
  readonly readers: readonly ReaderRecord[];
}

export type ViolationKind =
  /** Acknowledged and missing. */
  | 'lost'
  /** Present more than once. */
  | 'doubled'
  /** Never written. */
  | 'invented'
  /** In another place than acknowledged. */
  | 'moved'
  /** The numbers of a room are not 1, 2, 3 … */
  | 'gap'
  /** A message acknowledged before another was sent follows it. */
  | 'order'
  | 'reader-missed'
  | 'reader-doubled'
  | 'reader-reversed'
  /** Received a message that the room does not hold. */
  | 'reader-wrong'
  /** Positions of the log went back. */
  | 'reader-position'
  /** Two readers received different events at one position. */
  | 'position-differs';

export interface Violation {
  readonly kind: ViolationKind;
  /** With the ids involved. */
  readonly text: string;
}

/** All violations; empty: the history is verified. */
export function checkHistory({ writes, kept, readers }: RoomHistory): readonly Violation[] {
  return [
    ...checkKept(writes, kept),
    ...checkNumbers(kept),
    ...checkOrder(writes),
    ...readers.flatMap((reader) => checkReader(reader, kept)),
    ...checkPositions(readers),
  ];
}

interface Place {
  readonly room: string;
  readonly seq: number;
}

function checkKept(writes: readonly WriteRecord[], kept: RoomHistory['kept']): readonly Violation[] {
  const violations: Violation[] = [];
  const places = new Map<string, Place>();
  for (const [room, messages] of kept) {
    for (const { id, seq } of messages) {
      const first = places.get(id);
      if (first) violations.push({ kind: 'doubled', text: `${id} is ${show(first)} and ${show({ room, seq })}` });
      else places.set(id, { room, seq });
    }
  }
  const written = new Set<string>();
  for (const { id, room, seq, answeredAt, writer } of writes) {
    written.add(id);
    const place = places.get(id);
    if (answeredAt === null) {
      if (place && place.room !== room)
        violations.push({ kind: 'moved', text: `${id} went to ${room} and is ${show(place)}` });
    } else if (!place) {
      violations.push({
        kind: 'lost',
        text: `${id} of ${writer} was acknowledged as ${show({ room, seq })} and is not there`,
      });
    } else if (place.room !== room || place.seq !== seq) {
      violations.push({
        kind: 'moved',
        text: `${id} was acknowledged as ${show({ room, seq })} and is ${show(place)}`,
      });
    }
  }
  for (const [id, place] of places)
    if (!written.has(id)) violations.push({ kind: 'invented', text: `${id} is ${show(place)}, and nobody wrote it` });
  return violations;
}

const show = ({ room, seq }: { readonly room: string; readonly seq: number | null }): string => `${room}#${seq}`;

function checkNumbers(kept: RoomHistory['kept']): readonly Violation[] {
  const violations: Violation[] = [];
  for (const [room, messages] of kept) {
    let last = 0;
    for (const { seq, id } of messages) {
      if (seq !== last + 1) violations.push({ kind: 'gap', text: `${room}: after #${last} comes #${seq} (${id})` });
      last = seq;
    }
  }
  return violations;
}

/** If A was acknowledged before B was sent, A precedes B. */
function checkOrder(writes: readonly WriteRecord[]): readonly Violation[] {
  const violations: Violation[] = [];
  const rooms = new Map<string, WriteRecord[]>();
  for (const write of writes) {
    const ofRoom = rooms.get(write.room) ?? [];
    ofRoom.push(write);
    rooms.set(write.room, ofRoom);
  }
  for (const [room, ofRoom] of rooms) {
    const numbered = ofRoom.filter(({ seq, answeredAt }) => seq !== null && answeredAt !== null);
    const started = [...numbered].sort((a, b) => a.startedAt - b.startedAt);
    const answered = [...numbered].sort((a, b) => Number(a.answeredAt) - Number(b.answeredAt));
    let next = 0;
    let highest: WriteRecord | undefined;
    for (const write of started) {
      for (;;) {
        const before = answered[next];
        if (!before || Number(before.answeredAt) >= write.startedAt) break;
        if (!highest || Number(before.seq) > Number(highest.seq)) highest = before;
        next++;
      }
      if (highest && Number(highest.seq) >= Number(write.seq))
        violations.push({
          kind: 'order',
          text: `${room}: ${highest.id} (#${highest.seq}) was acknowledged before ${write.id} (#${write.seq}) was sent`,
        });
    }
  }
  return violations;
}

function checkReader(reader: ReaderRecord, kept: RoomHistory['kept']): readonly Violation[] {
  const { name, rooms, reads } = reader;
  const violations: Violation[] = [];
  const last = new Map<string, number>();
  const seen = new Map<string, Set<number>>(rooms.map((room) => [room, new Set()]));
  let pos = 0;
  for (const read of reads) {
    const { room, seq, id } = read;
    const what = `${name} received ${id} as ${show(read)}`;
    if (read.pos <= pos) violations.push({ kind: 'reader-position', text: `${what} at ${read.pos}, after ${pos}` });
    pos = Math.max(pos, read.pos);
    const ofRoom = seen.get(room);
    const held = kept.get(room)?.[seq - 1];
    if (!ofRoom || held?.id !== id || held.seq !== seq) {
      violations.push({ kind: 'reader-wrong', text: `${what}, which it is not` });
      continue;
    }
    const before = last.get(room) ?? 0;
    if (ofRoom.has(seq)) violations.push({ kind: 'reader-doubled', text: `${what} twice` });
    else if (seq < before) violations.push({ kind: 'reader-reversed', text: `${what} after #${before}` });
    ofRoom.add(seq);
    last.set(room, Math.max(seq, before));
  }
  for (const [room, ofRoom] of seen) {
    for (const { seq, id } of kept.get(room) ?? [])
      if (!ofRoom.has(seq))
        violations.push({ kind: 'reader-missed', text: `${name} never received ${id} (${room}#${seq})` });
  }
  return violations;
}

/** A position of the log is the same message for all readers. */
function checkPositions(readers: readonly ReaderRecord[]): readonly Violation[] {
  const violations: Violation[] = [];
  const idAt = new Map<number, string>();
  for (const { name, reads } of readers) {
    for (const { pos, id } of reads) {
      const known = idAt.get(pos);
      if (known === undefined) idAt.set(pos, id);
      else if (known !== id)
        violations.push({ kind: 'position-differs', text: `${name} received ${id} at ${pos}, others ${known}` });
    }
  }
  return violations;
}
