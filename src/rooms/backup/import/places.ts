/**
 * The join positions of members, counted in the messages that precede them in the export. Imported messages get new
 * sequence numbers, and a member who saw only later messages must not see more.
 */
export class JoinPlaces {
  readonly #rooms = new Map<string, RoomPlaces>();

  join(roomId: string, joinedSeq: number): void {
    this.#roomOf(roomId).ahead.push(joinedSeq);
  }

  /** Messages come in the order of their sequence numbers, after all members of their room. */
  pass(roomId: string, seq: number): void {
    const room = this.#roomOf(roomId);
    if (room.messages === 0) room.ahead.sort((a, b) => b - a);
    for (let next = room.ahead.at(-1); next !== undefined && next < seq; next = room.ahead.at(-1)) {
      room.before.set(next, room.messages);
      room.ahead.pop();
    }
    room.messages++;
  }

  /** How many messages of the export precede the join. */
  placeOf(roomId: string, joinedSeq: number): number {
    const { before, messages } = this.#roomOf(roomId);
    return before.get(joinedSeq) ?? messages;
  }

  #roomOf(roomId: string): RoomPlaces {
    const known = this.#rooms.get(roomId);
    if (known) return known;
    const room: RoomPlaces = { ahead: [], before: new Map(), messages: 0 };
    this.#rooms.set(roomId, room);
    return room;
  }
}

interface RoomPlaces {
  /** Positions not yet reached, the nearest last. */
  readonly ahead: number[];
  /** How many messages precede the position. */
  readonly before: Map<number, number>;
  messages: number;
}
