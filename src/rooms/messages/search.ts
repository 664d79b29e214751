import { accessTo, findRoom } from '../domain/access.ts';
import type { Caller } from '../domain/caller.ts';
import { accepted, type Outcome, refuse } from '../domain/refusal.ts';
import { parseSearch, type SoughtMessages } from '../domain/search-query.ts';
import type { RoomState } from '../room/state.ts';
import type { RoomStore, SearchPage, SearchQuery } from '../store/store.ts';

/** A search: a query with filters in it, and separate filters. */
export interface SearchFilter {
  readonly q?: string | undefined;
  readonly room?: string | undefined;
  readonly from?: string | undefined;
  readonly type?: string | undefined;
  readonly has?: string | undefined;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
  readonly next?: number | undefined;
}

const DEFAULT_LIMIT = 20;
const NAMES = { room: 'in', from: 'from', type: 'type', has: 'has', before: 'before', after: 'after' } as const;

/** Searches the rooms that a caller may read. */
export class MessageSearch {
  readonly #state: RoomState;
  readonly #store: RoomStore;

  constructor(state: RoomState, store: RoomStore) {
    this.#state = state;
    this.#store = store;
  }

  async search(caller: Caller, filter: SearchFilter): Promise<Outcome<SearchPage>> {
    const sought = soughtBy(filter);
    if (!sought.ok) return sought;
    const { terms, in: room, from, has, type, before, after } = sought.value;
    const rooms = this.#roomsOf(caller, room);
    if (!rooms.ok) return rooms;
    const query: SearchQuery = {
      rooms: rooms.value,
      terms,
      limit: filter.limit ?? DEFAULT_LIMIT,
      ...(from === undefined ? {} : { authorId: from }),
      ...(type === undefined ? {} : { type }),
      ...(has === undefined ? {} : { has }),
      ...(after === undefined ? {} : { createdFrom: after }),
      ...(before === undefined ? {} : { createdTo: before }),
      ...(filter.next === undefined ? {} : { next: filter.next }),
    };
    return accepted(await this.#store.search(query));
  }

  #roomsOf(caller: Caller, named: string | undefined): Outcome<SearchQuery['rooms']> {
    if (named !== undefined) {
      const found = findRoom(this.#state, caller, named);
      return found.ok ? accepted([{ roomId: found.value.room.id, afterSeq: found.value.afterSeq }]) : found;
    }
    const rooms: { readonly roomId: string; readonly afterSeq: number }[] = [];
    for (const room of this.#state.all('room').values()) {
      const access = room.deletedAt === null ? accessTo(this.#state, caller, room) : undefined;
      if (access) rooms.push({ roomId: room.id, afterSeq: access.afterSeq });
    }
    return accepted(rooms);
  }
}

function soughtBy(filter: SearchFilter): Outcome<SoughtMessages> {
  const typed = parseSearch(filter.q ?? '');
  if (!typed.ok) return typed;
  let sought = typed.value;
  for (const [parameter, name] of Object.entries(NAMES)) {
    const value = filter[parameter as keyof typeof NAMES];
    if (value === undefined) continue;
    const apart = parseSearch(`${name}:"${value.replaceAll('"', '')}"`);
    if (!apart.ok) return refuse('invalid_query', apart.reason.replace('q: ', ''), { path: parameter });
    sought = { ...sought, ...apart.value, terms: sought.terms };
  }
  const { terms, in: _, ...filters } = sought;
  if (terms.every(({ not }) => not) && Object.keys(filters).length === 0)
    return refuse('invalid_query', 'q: say a word that the messages hold, or a filter such as from:ana', { path: 'q' });
  return accepted(sought);
}
