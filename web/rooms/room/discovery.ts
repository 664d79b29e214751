/** Of a room in which more happens than that while it is read, the count is off until the next one. */
const MAX_READS = 5;

/**
 * Reads rooms that an event has told of and the page does not know. What happens in such a room while it is read is in
 * nobody's count yet, so it is read once more.
 */
export class RoomDiscovery<Room> {
  readonly #read: (roomId: string) => Promise<Room | undefined>;
  readonly #rooms = new Map<string, 'reading' | 'stale'>();

  constructor(read: (roomId: string) => Promise<Room | undefined>) {
    this.#read = read;
  }

  /** An event has told of the room. `undefined`: there is none, or it is being read already for an earlier event. */
  async tell(roomId: string): Promise<Room | undefined> {
    if (this.#rooms.has(roomId)) return void this.#rooms.set(roomId, 'stale');
    for (let reads = 1; ; reads++) {
      this.#rooms.set(roomId, 'reading');
      const room = await this.#read(roomId);
      if (this.#rooms.get(roomId) === 'stale' && reads < MAX_READS) continue;
      this.#rooms.delete(roomId);
      return room;
    }
  }
}
