import type { Committed } from '../domain/event.ts';
import type { RoomState } from './state.ts';

/** Where a room stands in the order: those with the latest message first, those without one last, the newest of them first. */
export interface RoomPlace {
  readonly roomId: string;
  /** When its last message was written; 0: it has none. */
  readonly at: number;
}

/** All rooms in their order. It is put right when it is asked for, and then only by what has moved since. */
export class RoomOrder {
  readonly #state: RoomState;
  #places: RoomPlace[];
  readonly #moved = new Set<string>();

  constructor(state: RoomState) {
    this.#state = state;
    this.#places = [...state.all('room').keys()].map((roomId) => placeOf(state, roomId)).sort(comparePlaces);
  }

  /** A listener to commits. */
  readonly follow = (committed: readonly Committed[]): void => {
    for (const { event } of committed)
      if (event.type === 'message.created' || event.type === 'room.created') this.#moved.add(event.roomId);
  };

  /** The room is gone for good. */
  forget(roomId: string): void {
    this.#places = this.#places.filter((place) => place.roomId !== roomId);
    this.#moved.delete(roomId);
  }

  /** Those that come after a place; all of them without one. */
  *after(place: RoomPlace | undefined): Iterable<RoomPlace> {
    const places = this.#settle();
    let from = 0;
    if (place) {
      let to = places.length;
      while (from < to) {
        const middle = (from + to) >>> 1;
        if (comparePlaces(places[middle] as RoomPlace, place) <= 0) from = middle + 1;
        else to = middle;
      }
    }
    for (; from < places.length; from++) yield places[from] as RoomPlace;
  }

  #settle(): readonly RoomPlace[] {
    if (this.#moved.size === 0) return this.#places;
    const moved = [...this.#moved];
    const rest = this.#places.filter(({ roomId }) => !this.#moved.has(roomId));
    this.#moved.clear();
    // A new array: whoever walks the old one goes on with it. Sorting two runs is merging them.
    this.#places = [...moved.map((roomId) => placeOf(this.#state, roomId)).sort(comparePlaces), ...rest];
    this.#places.sort(comparePlaces);
    return this.#places;
  }
}

export function placeOf(state: RoomState, roomId: string): RoomPlace {
  return { roomId, at: state.head(roomId).lastMessageAt ?? 0 };
}

export function comparePlaces(a: RoomPlace, b: RoomPlace): number {
  return b.at - a.at || (a.roomId < b.roomId ? 1 : a.roomId > b.roomId ? -1 : 0);
}
