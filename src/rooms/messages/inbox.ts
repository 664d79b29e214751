import { printInbox } from '../contract/inbox.ts';
import type { Caller } from '../domain/caller.ts';
import { unreadConcerns } from '../domain/member/concern.ts';
import type { StoredMessage } from '../domain/message/message.ts';
import { type FollowedRoom, followedRooms } from '../room/followed.ts';
import { comparePlaces, placeOf } from '../room/order.ts';
import type { RoomState } from '../room/state.ts';
import type { RoomStore } from '../store/store.ts';
import type { MessageReader } from './reader.ts';

/** The rooms read, the latest first, and the messages of each that are looked at. */
const MAX_ROOMS = 100;
const MAX_MESSAGES = 200;
const MAX_ITEMS = 100;

export interface InboxParts {
  readonly state: RoomState;
  readonly store: Pick<RoomStore, 'page' | 'messages'>;
  readonly reader: Pick<MessageReader, 'print'>;
}

interface Found {
  readonly mentions: readonly StoredMessage[];
  readonly threads: readonly { readonly root: StoredMessage; readonly last: StoredMessage; readonly unread: number }[];
}

/** The unread mentions and threads of a caller. */
export class Inbox {
  readonly #parts: InboxParts;

  constructor(parts: InboxParts) {
    this.#parts = parts;
  }

  /** As JSON. */
  async print(caller: Caller): Promise<string> {
    const found = await Promise.all(this.#rooms(caller).map((access) => this.#find(access)));
    const mentions = found
      .flatMap((room) => room.mentions)
      .sort(byAge)
      .slice(0, MAX_ITEMS);
    const threads = found
      .flatMap((room) => room.threads)
      .sort((a, b) => byAge(a.last, b.last))
      .slice(0, MAX_ITEMS);
    const messages = [...mentions, ...threads.flatMap(({ root, last }) => [root, last])];
    const json = await this.#parts.reader.print(caller, messages);
    const ofThreads = threads.map(({ unread }, index) => {
      const at = mentions.length + 2 * index;
      return { root: json[at] ?? '', last: json[at + 1] ?? '', unread };
    });
    return printInbox(json.slice(0, mentions.length), ofThreads);
  }

  #rooms(caller: Caller) {
    const { state } = this.#parts;
    const latestFirst = followedRooms(state, caller)
      .map((access) => ({ access, place: placeOf(state, access.room.id) }))
      .sort((a, b) => comparePlaces(a.place, b.place));
    return latestFirst.slice(0, MAX_ROOMS).map(({ access }) => access);
  }

  async #find({ room, member, afterSeq }: FollowedRoom): Promise<Found> {
    const { store } = this.#parts;
    const query = { roomId: room.id, concerns: member.userId, afterSeq, limit: MAX_MESSAGES };
    const { messages } = await store.page(query);
    const byId = new Map(messages.map((stored) => [stored.message.id, stored]));
    const { mentionIds, threads } = unreadConcerns(
      messages.map(({ message }) => message),
      member,
    );
    const roots = threads.length === 0 ? [] : await store.messages(threads.map(({ rootId }) => rootId));
    const rootById = new Map(roots.map((stored) => [stored.message.id, stored]));
    return {
      mentions: mentionIds.flatMap((id) => byId.get(id) ?? []),
      threads: threads.flatMap(({ rootId, lastId, unread }) => {
        const [root, last] = [rootById.get(rootId), byId.get(lastId)];
        return root && last && root.message.seq > afterSeq ? [{ root, last, unread }] : [];
      }),
    };
  }
}

const byAge = (a: StoredMessage, b: StoredMessage): number => b.message.createdAt - a.message.createdAt;
