import type { WireMe, WireMember } from '../contract/member.ts';
import { wireMe, wireMember } from '../contract/member.ts';
import { printPage } from '../contract/message.ts';
import type { WireOpenedRoom, WireRoom, WireRooms } from '../contract/room.ts';
import { wireRoom } from '../contract/room.ts';
import { accessTo, findRoom, type RoomAccess } from '../domain/access.ts';
import type { Caller } from '../domain/caller.ts';
import type { Member } from '../domain/member/member.ts';
import { accepted, type Outcome, refuse } from '../domain/refusal.ts';
import { type RoomFilter, selectRoom } from '../domain/room/list.ts';
import type { Room } from '../domain/room/room.ts';
import type { UserRef } from '../domain/user/user.ts';
import type { MessageReader } from '../messages/reader.ts';
import type { UnreadCounts } from '../messages/unread-counts.ts';
import { followedRooms } from './followed.ts';
import { comparePlaces, placeOf, type RoomOrder, type RoomPlace } from './order.ts';
import type { RoomState } from './state.ts';

export interface RoomDirectoryParts {
  readonly state: RoomState;
  readonly unread: UnreadCounts;
  readonly order: RoomOrder;
  readonly messages: Pick<MessageReader, 'page'>;
  /** The current cursor of the stream. */
  readonly cursor: () => string;
  /** Members online now. */
  readonly onlineCount: (roomId: string) => number;
}

export interface ListPage {
  readonly limit: number;
  /** The end of the previous page. */
  readonly next?: string | undefined;
}

/** Members included when a room is opened. */
const FIRST_MEMBERS = 200;
/** Larger rooms do not show members' read positions. */
const MAX_WITH_READS = 100;

/** Rooms as callers see them. */
export class RoomDirectory {
  readonly #parts: RoomDirectoryParts;

  constructor(parts: RoomDirectoryParts) {
    this.#parts = parts;
  }

  /** A room in its wire form, with the caller's settings. */
  async show(caller: Caller, room: Room): Promise<WireRoom> {
    const { state, onlineCount } = this.#parts;
    const { id } = room;
    const facts = {
      head: state.head(id),
      memberCount: state.memberCount(id),
      firingAlerts: state.firingAlerts(id),
      onlineCount: onlineCount(id),
    };
    const wire = wireRoom(room, facts);
    const access = accessTo(state, caller, room);
    return access?.member ? { ...wire, me: await this.#me(access, access.member) } : wire;
  }

  /** A room, its last messages and members, and the cursor from which the stream continues. */
  async open(caller: Caller, room: Room, messages: number): Promise<Outcome<string>> {
    const cursor = this.#parts.cursor();
    const page = await this.#parts.messages.page(caller, room.id, { limit: Math.max(1, messages) });
    if (!page.ok) return page;
    const members = this.members(room)
      .slice(0, FIRST_MEMBERS)
      .map((member) => this.showMember(member));
    const facts = { ...(await this.show(caller, room)), members, cursor };
    return accepted(printPage<WireOpenedRoom>(messages === 0 ? [] : page.value.messages, facts));
  }

  async list(caller: Caller, filter: RoomFilter, page: ListPage): Promise<Outcome<WireRooms>> {
    const from = page.next === undefined ? accepted(undefined) : readPlace(page.next);
    if (!from.ok) return from;
    const found: RoomPlace[] = [];
    const rooms: Room[] = [];
    for (const place of this.#candidates(caller, filter, from.value)) {
      const access = selectRoom(this.#parts.state, caller, place.roomId, filter);
      if (!access) continue;
      if (rooms.length === page.limit) {
        const next = printPlace(found.at(-1) as RoomPlace);
        return accepted({ rooms: await this.#showAll(caller, rooms), next });
      }
      rooms.push(access.room);
      found.push(place);
    }
    return accepted({ rooms: await this.#showAll(caller, rooms), next: null });
  }

  /** A member's settings and counts of a room. */
  async me(caller: Caller, idOrSlug: string): Promise<Outcome<WireMe>> {
    const found = findRoom(this.#parts.state, caller, idOrSlug);
    if (!found.ok) return found;
    const { member } = found.value;
    if (!member) return refuse('member_not_found', 'you are not a member of this room');
    return accepted(await this.#me(found.value, member));
  }

  /** The unread mentions of a caller in all rooms. Cheap: the counts are kept. */
  async mentions(caller: Caller): Promise<number> {
    const { state, unread } = this.#parts;
    const rooms = followedRooms(state, caller);
    const counts = await Promise.all(rooms.map(({ member, afterSeq }) => unread.count(member, afterSeq)));
    return counts.reduce((sum, { mentions }) => sum + mentions, 0);
  }

  /** Sorted by id. */
  members(room: Room): readonly Member[] {
    return [...this.#parts.state.membersOf(room.id)].sort((a, b) => (a.userId < b.userId ? -1 : 1));
  }

  showMember(member: Member): WireMember {
    const { state } = this.#parts;
    const { lastReadSeq, ...rest } = wireMember(member, this.user(member.userId));
    return state.memberCount(member.roomId) > MAX_WITH_READS ? rest : { ...rest, lastReadSeq };
  }

  user(id: string): UserRef {
    return this.#parts.state.get('user', id) ?? { id, name: id, kind: 'human' };
  }

  #candidates(caller: Caller, filter: RoomFilter, from: RoomPlace | undefined): Iterable<RoomPlace> {
    const { state, order } = this.#parts;
    if (filter.joined !== true) return order.after(from);
    const places = [...state.roomIdsOf(caller.user.id)].map((roomId) => placeOf(state, roomId));
    return places.filter((place) => !from || comparePlaces(place, from) > 0).sort(comparePlaces);
  }

  #showAll(caller: Caller, rooms: readonly Room[]): Promise<WireRoom[]> {
    return Promise.all(rooms.map((room) => this.show(caller, room)));
  }

  async #me({ afterSeq }: RoomAccess, member: Member): Promise<WireMe> {
    return wireMe(member, await this.#parts.unread.count(member, afterSeq));
  }
}

const printPlace = ({ roomId, at }: RoomPlace): string => Buffer.from(`${at}.${roomId}`).toString('base64url');

function readPlace(text: string): Outcome<RoomPlace> {
  const [, at, roomId] = /^(\d{1,16})\.([\w-]{1,64})$/.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  if (at === undefined || roomId === undefined)
    return refuse('invalid_cursor', 'next: send it as the last page had it, or begin without it');
  return accepted({ at: Number(at), roomId });
}
