/**
 * Where the people of an export have joined, counted in the messages that stand before it in the export: these get new
 * sequence numbers where they come in, and who was to see only what came after him must not see more there.
 */
export class JoinPlaces {
  readonly #rooms = new Map<string, RoomPlaces>();

  join(roomId: string, joinedSeq: number): void {
    this.#roomOf(roomId).ahead.push(joinedSeq);
  }

  /** The messages of a room come by their sequence numbers, after all who have joined it. */
  pass(roomId: string, seq: number): void {
    const room = this.#roomOf(roomId);
    if (room.messages === 0) room.ahead.sort((a, b) => b - a);
    for (let next = room.ahead.at(-1); next !== undefined && next < seq; next = room.ahead.at(-1)) {
      room.before.set(next, room.messages);
      room.ahead.pop();
    }
    room.messages++;
  }

  /** How many messages of the export he had not seen come. */
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
  /** Places that no message has passed yet, the nearest last. */
  readonly ahead: number[];
  /** How many messages stand before a place. */
  readonly before: Map<number, number>;
  messages: number;
}
