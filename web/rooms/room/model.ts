import type { Account } from '../../../src/rooms/contract/boot.ts';
import type { WireStreamEvent } from '../../../src/rooms/contract/feed.ts';
import type { WireMe, WireMember } from '../../../src/rooms/contract/member.ts';
import type { WireMessage } from '../../../src/rooms/contract/message.ts';
import type { WireOpenedRoom, WireRoom } from '../../../src/rooms/contract/room.ts';
import type { WireDelta } from '../../../src/rooms/contract/run.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Api } from '../api.ts';
import { InboxModel } from '../inbox/model.ts';
import type { StreamEvent } from '../live/sse-parser.ts';
import type { Topics } from '../rail/topics.ts';
import type { ThreadModel } from '../thread/model.ts';
import { RoomDiscovery } from './discovery.ts';
import { RoomEntry } from './entry.ts';

export interface ModelParts {
  readonly clock: Clock;
  readonly api: Api;
  readonly topics: Topics;
  readonly account: Account;
  /** A new message of another user has arrived. */
  readonly arrived: (entry: RoomEntry, message: WireMessage) => void;
  /** Any message of an event or an answer. */
  readonly seen: (message: WireMessage) => void;
  /** The log no longer holds the events after the page's cursor: everything must be read again. */
  readonly reset: () => void;
  /** A room has become known by an event: what is in it may be in the inbox. */
  readonly discovered: () => void;
  /** The user is no longer in this room. */
  readonly left: (entry: RoomEntry) => void;
}

/** Typing ends after this even if the clocks of page and server differ. */
const MAX_TYPING_MS = 8000;

/** The rooms of the server, kept up to date by its events. */
export class RoomsModel {
  readonly account: Account;
  readonly #parts: ModelParts;
  readonly #entries = new Map<string, RoomEntry>();
  readonly #filling = new Set<string>();
  readonly #discovery: RoomDiscovery<WireRoom>;
  current: RoomEntry | undefined;
  thread: ThreadModel | undefined;
  readonly inbox: InboxModel;

  constructor(parts: ModelParts) {
    this.#parts = parts;
    this.account = parts.account;
    this.inbox = new InboxModel(parts.account.id);
    this.#discovery = new RoomDiscovery((id) =>
      parts.api.send<WireRoom>('GET', `/api/room/${id}`).catch(() => undefined),
    );
  }

  get entries(): readonly RoomEntry[] {
    return [...this.#entries.values()];
  }

  entry(idOrSlug: string): RoomEntry | undefined {
    return this.#entries.get(idOrSlug) ?? this.entries.find(({ room }) => room.slug === idOrSlug);
  }

  /** Adds or refreshes a room of a list. */
  put(room: WireRoom): RoomEntry {
    const known = this.#entries.get(room.id);
    if (!known) {
      const entry = new RoomEntry(room);
      this.#entries.set(room.id, entry);
      this.#parts.topics.changed('rooms');
      return entry;
    }
    known.room = room;
    known.lastSeq = Math.max(known.lastSeq, room.lastSeq);
    if (room.me) known.countUnread(room.me);
    this.#parts.topics.changed('rooms', 'room');
    return known;
  }

  putOpened(opened: WireOpenedRoom): RoomEntry {
    const { messages: _m, members: _p, cursor: _c, ...room } = opened;
    const entry = this.#entries.get(opened.id) ?? this.put(room);
    entry.load(opened);
    const early = entry.early ?? [];
    entry.early = undefined;
    for (const message of early) this.takeMessage(message);
    this.reachEnd(entry);
    this.#parts.topics.changed('rooms', 'room', 'flow', 'members');
    return entry;
  }

  remove(roomId: string): void {
    const entry = this.#entries.get(roomId);
    if (!entry) return;
    this.#entries.delete(roomId);
    this.inbox.forget(roomId);
    this.#parts.topics.changed('rooms', 'inbox');
    this.#parts.left(entry);
  }

  /** Takes one event of the stream. */
  take({ event: type, data: json }: StreamEvent): void {
    const streamed = { event: type, data: JSON.parse(json) } as WireStreamEvent;
    const { event, data } = streamed;
    if (event === 'reset') this.#parts.reset();
    if (!('roomId' in data) || data.roomId === null) return;
    const entry = this.#entries.get(data.roomId);
    if ('room' in data) this.#takeRoom(event, entry, data.room);
    else if (!entry) this.#takeUnknown(streamed, data.roomId);
    else if ('message' in data) this.takeMessage(data.message, event === 'message.created');
    else this.#takeOther(entry, streamed);
  }

  /** Takes the message of an event or an answer; `isNew`: the event says that it was posted. */
  takeMessage(message: WireMessage, isNew = false): void {
    const { topics, seen, arrived } = this.#parts;
    const entry = this.#entries.get(message.roomId);
    if (!entry) return;
    if (message.status !== 'streaming') entry.streaming.delete(message.id);
    entry.typing.delete(message.author.id);
    if (this.thread?.apply(message)) topics.changed('thread');
    if (message.id === this.thread?.rootId) topics.changed('thread');
    const isLater = message.seq > entry.lastSeq;
    if (isLater) {
      entry.lastSeq = message.seq;
      entry.room = { ...entry.room, lastSeq: message.seq, lastMessageAt: message.createdAt };
      topics.changed('rooms');
    }
    if (entry.me && this.inbox.take(message, entry.me, isNew)) topics.changed('inbox');
    entry.early?.push(message);
    const applied = entry.isLoaded ? entry.list.apply(message) : 'outside';
    if (applied === 'gap') void this.fill(entry);
    else seen(message);
    if (applied !== 'known' && applied !== 'outside') topics.changed('flow', 'typing');
    if (!isNew || !isLater) return;
    entry.countMessage(message, this.account.id);
    if (message.author.id !== this.account.id) arrived(entry, message);
  }

  /** Reads the messages that arrived while a page was read, if any are missing. */
  reachEnd(entry: RoomEntry): void {
    if (entry.lastSeq > entry.list.lastSeq && !entry.list.hasAfter) void this.fill(entry);
  }

  /** Reads the messages after the end of the list. */
  async fill(entry: RoomEntry): Promise<void> {
    if (this.#filling.has(entry.room.id)) return;
    this.#filling.add(entry.room.id);
    try {
      for (let isBehind = true; isBehind; ) {
        const { lastSeq } = entry.list;
        const page = await this.#parts.api.page(entry.room.id, { after: String(lastSeq), limit: '200' });
        entry.list.append(page, lastSeq);
        for (const message of page.messages) this.#parts.seen(message);
        isBehind = (page.hasAfter || entry.lastSeq > entry.list.lastSeq) && entry.list.lastSeq > lastSeq;
        this.#parts.topics.changed('flow');
      }
    } catch {
      // The next event of the room tries again.
    } finally {
      this.#filling.delete(entry.room.id);
    }
  }

  #takeRoom(event: string, entry: RoomEntry | undefined, room: WireRoom): void {
    const { topics } = this.#parts;
    if (event === 'room.deleted') this.remove(room.id);
    else if (!entry) void this.#discover(room.id);
    else if (entry.updateRoom(room)) topics.changed('rooms', 'room', 'flow');
  }

  /** A room that the page does not know is read when the user joins it, or when it gets a message. */
  #takeUnknown({ event, data }: WireStreamEvent, roomId: string): void {
    const isJoin = event === 'member.joined' && data.member.userId === this.account.id;
    if (isJoin || event === 'message.created') void this.#discover(roomId);
  }

  async #discover(roomId: string): Promise<void> {
    const room = await this.#discovery.find(roomId);
    if (!room || this.#entries.has(room.id)) return;
    this.put(room);
    this.#parts.discovered();
  }

  #takeOther(entry: RoomEntry, { event, data }: WireStreamEvent): void {
    const { topics, clock } = this.#parts;
    switch (event) {
      case 'member.joined':
      case 'member.left':
      case 'member.updated':
      case 'member.banned':
        this.#takeMember(event, entry, data.member);
        break;
      case 'read.updated':
        this.#takeMe(entry, data.me);
        break;
      case 'copilot.updated':
        entry.updateCopilot(data.copilot);
        topics.changed('room');
        break;
      case 'run.finished':
        if (data.run.messageId === null) this.note(entry, data.run.text ?? '');
        break;
      case 'note':
        this.note(entry, data.text);
        break;
      case 'typing': {
        const until = Math.min(Date.parse(data.expiresAt), clock.now() + MAX_TYPING_MS);
        entry.typing.set(data.user.id, { user: data.user, until });
        topics.changed('typing');
        break;
      }
      case 'presence':
        for (const { userId } of data.online) entry.online.add(userId);
        for (const userId of data.offline) entry.online.delete(userId);
        topics.changed('members');
        break;
      case 'message.delta':
        this.#takeDelta(entry, data);
        break;
      case 'message.snapshot':
        entry.streaming.set(data.messageId, { runId: data.runId, text: data.text });
        topics.changed('flow', 'thread');
    }
  }

  #takeDelta(entry: RoomEntry, { messageId, runId, offset, text }: WireDelta): void {
    // Of a private run: its end brings the whole text.
    if (messageId === null) return;
    if (!entry.addDelta(messageId, runId, offset, text)) void this.#readRun(entry, messageId, runId);
    this.#parts.topics.changed('flow', 'thread');
  }

  /** Shows a notice to this user. */
  note(entry: RoomEntry, text: string): void {
    if (text === '') return;
    const id = `notice-${entry.notices.length}-${this.#parts.clock.now()}`;
    entry.notices = [...entry.notices, { id, text }];
    this.#parts.topics.changed('flow');
  }

  dropNote(entry: RoomEntry, id: string): void {
    entry.notices = entry.notices.filter((notice) => notice.id !== id);
    this.#parts.topics.changed('flow');
  }

  async #readRun(entry: RoomEntry, messageId: string, runId: string): Promise<void> {
    if (this.#filling.has(runId)) return;
    this.#filling.add(runId);
    const run = await this.#parts.api.run(runId).catch(() => undefined);
    this.#filling.delete(runId);
    const text = run?.text ?? '';
    if (text.length > (entry.streaming.get(messageId)?.text.length ?? 0)) {
      entry.streaming.set(messageId, { runId, text });
      this.#parts.topics.changed('flow', 'thread');
    }
  }

  #takeMember(event: string, entry: RoomEntry, member: WireMember): void {
    const isGone = event === 'member.left' || event === 'member.banned';
    const isMe = member.userId === this.account.id;
    if (isGone) entry.members.delete(member.userId);
    else if ((entry.members.get(member.userId)?.version ?? 0) <= member.version)
      entry.members.set(member.userId, member);
    entry.room = {
      ...entry.room,
      memberCount: Math.max(entry.members.size, entry.isLoaded ? 0 : entry.room.memberCount),
    };
    this.#parts.topics.changed('members', 'room');
    if (!isMe) return;
    if (!isGone) return void this.#refreshMe(entry);
    const { me: _, ...room } = entry.room;
    entry.room = room;
    if (room.visibility !== 'public' && !this.account.admin) this.remove(room.id);
    this.#parts.topics.changed('rooms', 'room');
  }

  #takeMe(entry: RoomEntry, me: WireMe): void {
    entry.updateMe(me);
    if (this.inbox.settle(entry.room.id, me)) this.#parts.topics.changed('inbox');
    if (me.lastReadSeq >= entry.lastSeq) {
      entry.unread = 0;
      entry.mentions = 0;
    } else void this.#refreshMe(entry);
    this.#parts.topics.changed('rooms');
  }

  async #refreshMe(entry: RoomEntry): Promise<void> {
    const me = await this.#parts.api.me(entry.room.id).catch(() => undefined);
    if (!me) return;
    if (entry.updateMe(me)) entry.countUnread(me);
    this.#parts.topics.changed('rooms', 'room');
  }
}
