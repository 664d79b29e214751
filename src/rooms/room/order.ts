import type { RoomState } from './state.ts';
import type { CommitListener } from './writer.ts';

/** The order of rooms: by their latest message, newest first; then rooms without messages, newest first. */
export interface RoomPlace {
  readonly roomId: string;
  /** When its last message was written; 0: none. */
  readonly at: number;
}

/** The rooms in order, updated on demand by the rooms that have moved. */
export class RoomOrder {
  readonly #state: RoomState;
  #places: RoomPlace[];
  readonly #moved = new Set<string>();

  constructor(state: RoomState) {
    this.#state = state;
    this.#places = allPlaces(state);
  }

  /** A listener to commits. */
  readonly follow: CommitListener = (committed, { records, restart }) => {
    if (restart) this.#places = allPlaces(this.#state);
    for (const { event } of committed)
      if (event.type === 'message.created' || event.type === 'room.created') this.#moved.add(event.roomId);
    for (const { kind, key, value } of records) if (kind === 'room' && value === null) this.#forget(key);
  };

  /** The room was purged. */
  #forget(roomId: string): void {
    this.#places = this.#places.filter((place) => place.roomId !== roomId);
    this.#moved.delete(roomId);
  }

  /** The rooms after a place; all without one. */
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
    // A new array, since iterations of the old one may go on. Merges two sorted runs.
    this.#places = [...moved.map((roomId) => placeOf(this.#state, roomId)).sort(comparePlaces), ...rest];
    this.#places.sort(comparePlaces);
    return this.#places;
  }
}

function allPlaces(state: RoomState): RoomPlace[] {
  return [...state.all('room').keys()].map((roomId) => placeOf(state, roomId)).sort(comparePlaces);
}

export function placeOf(state: RoomState, roomId: string): RoomPlace {
  return { roomId, at: state.head(roomId).lastMessageAt ?? 0 };
}

export function comparePlaces(a: RoomPlace, b: RoomPlace): number {
  return b.at - a.at || (a.roomId < b.roomId ? 1 : a.roomId > b.roomId ? -1 : 0);
}
