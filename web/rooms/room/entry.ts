import type { WireCopilot } from '../../../src/rooms/contract/copilot.ts';
import type { WireMe, WireMember } from '../../../src/rooms/contract/member.ts';
import type { WireMessage } from '../../../src/rooms/contract/message.ts';
import type { WireOpenedRoom, WireRoom } from '../../../src/rooms/contract/room.ts';
import type { UserRef } from '../../../src/rooms/domain/user/user.ts';
import { MessageList } from '../message/list.ts';

/** The text so far of a message that is being written. */
export interface Streaming {
  readonly runId: string;
  readonly text: string;
}

/** The page's state of one room. */
export class RoomEntry {
  room: WireRoom;
  readonly list = new MessageList();
  /** Whether its messages have been read. */
  isLoaded = false;
  /** Why they could not be read; undefined: they were, or are being read. */
  failure: string | undefined;
  /** Messages that arrive while they are read; applied afterwards. */
  early: WireMessage[] | undefined;
  readonly members = new Map<string, WireMember>();
  readonly online = new Set<string>();
  /** The users who are typing, and until when that counts. */
  readonly typing = new Map<string, { readonly user: UserRef; readonly until: number }>();
  readonly streaming = new Map<string, Streaming>();
  /** Shown only to this user, until the page is closed. */
  notices: readonly { readonly id: string; readonly text: string }[] = [];
  unread: number;
  mentions: number;
  /** Messages after this one were new when the room was opened. */
  newAfterSeq: number | undefined;
  /** Of the room's last message, which the list may not hold. */
  lastSeq: number;

  constructor(room: WireRoom) {
    this.room = room;
    this.unread = room.me?.unread ?? 0;
    this.mentions = room.me?.unreadMentions ?? 0;
    this.lastSeq = room.lastSeq;
  }

  get me(): WireMe | undefined {
    return this.room.me;
  }

  get isModerator(): boolean {
    return this.me?.role === 'owner' || this.me?.role === 'admin';
  }

  /** Takes the answer of a read of the whole room. */
  load(opened: WireOpenedRoom): void {
    const { messages, members, cursor: _, hasBefore, hasAfter, ...room } = opened;
    this.room = room;
    this.lastSeq = Math.max(this.lastSeq, room.lastSeq);
    const isFirst = messages[0] === undefined || messages[0].seq <= room.firstSeq;
    this.list.replace({ messages, hasBefore: hasBefore ?? !isFirst, hasAfter: hasAfter ?? false });
    this.members.clear();
    for (const member of members) this.members.set(member.userId, member);
    this.isLoaded = true;
    this.failure = undefined;
    if (room.me) this.countUnread(room.me);
  }

  /** Takes the room of an event, which has no `me`. */
  updateRoom(room: WireRoom): boolean {
    // The number of firing alerts changes without a new version.
    if (room.version < this.room.version) return false;
    const { me, onlineCount } = this.room;
    this.room = { ...room, ...(me ? { me } : {}), ...(onlineCount === undefined ? {} : { onlineCount }) };
    return true;
  }

  /** Returns false if `me` is older than what is known. */
  updateMe(me: WireMe): boolean {
    if (this.me && me.version < this.me.version) return false;
    this.room = { ...this.room, me: { ...this.me, ...me } };
    return true;
  }

  /** Takes the counts of an answer. */
  countUnread({ unread, unreadMentions }: WireMe): void {
    this.unread = unread ?? this.unread;
    this.mentions = unreadMentions ?? this.mentions;
  }

  /** An answer may come before the event of the stream, which is then ignored. */
  updateCopilot(copilot: WireCopilot | null): void {
    const known = this.room.copilot;
    if (!copilot || !known || copilot.version >= known.version) this.room = { ...this.room, copilot };
  }

  /** Counts a message if it is unread for the user. */
  countMessage({ author, silent, deleted, mentions, seq }: WireMessage, userId: string): void {
    if (author.id === userId || silent || deleted || seq <= (this.me?.lastReadSeq ?? 0)) return;
    this.unread += 1;
    if (mentions.room || mentions.users.includes(userId) || this.room.visibility === 'direct') this.mentions += 1;
  }

  /** The names of the users who are typing, without this one. */
  typingNames(userId: string, now: number): readonly string[] {
    return [...this.typing.values()]
      .filter(({ user, until }) => user.id !== userId && until > now)
      .map(({ user }) => user.name);
  }

  /** Adds a piece of a text; returns false if something before it is missing. */
  addDelta(messageId: string, runId: string, offset: number, text: string): boolean {
    const known = this.streaming.get(messageId);
    const before = known?.runId === runId ? known.text : '';
    if (offset > before.length) return false;
    // A repeated piece adds at most its end.
    if (offset + text.length > before.length)
      this.streaming.set(messageId, { runId, text: before.slice(0, offset) + text });
    return true;
  }
}
