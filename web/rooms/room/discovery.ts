/** Maximum reads of a room; in a busier one the unread count is wrong until its next event. */
const MAX_READS = 5;

/**
 * Reads rooms that the page knows only from an event. Messages that arrive during a read are not in its unread count, so
 * the room is then read once more.
 */
export class RoomDiscovery<Room> {
  readonly #read: (roomId: string) => Promise<Room | undefined>;
  readonly #rooms = new Map<string, 'reading' | 'stale'>();

  constructor(read: (roomId: string) => Promise<Room | undefined>) {
    this.#read = read;
  }

  /** To be called for each event of the room. `undefined`: there is no such room, or an earlier event reads it already. */
  async find(roomId: string): Promise<Room | undefined> {
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
