import type { WireCopilot } from '../../../src/rooms/contract/copilot.ts';
import type { WireMe, WireMember } from '../../../src/rooms/contract/member.ts';
import type { WireMessage } from '../../../src/rooms/contract/message.ts';
import type { WireOpenedRoom, WireRoom } from '../../../src/rooms/contract/room.ts';
import type { UserRef } from '../../../src/rooms/domain/user/user.ts';
import { MessageList } from '../message/list.ts';

/** A text that is being written, as far as it is. */
export interface Streaming {
  readonly runId: string;
  readonly text: string;
}

/** All that the page knows of one room. */
export class RoomEntry {
  room: WireRoom;
  readonly list = new MessageList();
  /** Whether messages were read already. */
  isLoaded = false;
  /** What is told while they are read; taken when they are there. */
  early: WireMessage[] | undefined;
  readonly members = new Map<string, WireMember>();
  readonly online = new Set<string>();
  /** Who writes, and until when that counts. */
  readonly typing = new Map<string, { readonly user: UserRef; readonly until: number }>();
  readonly streaming = new Map<string, Streaming>();
  /** For the asker alone; gone with the page. */
  notices: readonly { readonly id: string; readonly text: string }[] = [];
  unread: number;
  mentions: number;
  /** What follows this was new when the room was opened. */
  newAfterSeq: number | undefined;
  /** Of the last message, wherever the list stands. */
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

  /** Takes what a read of the whole room has told. */
  load(opened: WireOpenedRoom): void {
    const { messages, members, cursor: _, hasBefore, hasAfter, ...room } = opened;
    this.room = room;
    this.lastSeq = Math.max(this.lastSeq, room.lastSeq);
    const isFirst = messages[0] === undefined || messages[0].seq <= room.firstSeq;
    this.list.replace({ messages, hasBefore: hasBefore ?? !isFirst, hasAfter: hasAfter ?? false });
    this.members.clear();
    for (const member of members) this.members.set(member.userId, member);
    this.isLoaded = true;
    if (room.me) this.countUnread(room.me);
  }

  /** A room as an event tells it: without what it is to the reader. */
  updateRoom(room: WireRoom): boolean {
    if (room.version <= this.room.version) return false;
    const { me, onlineCount } = this.room;
    this.room = { ...room, ...(me ? { me } : {}), ...(onlineCount === undefined ? {} : { onlineCount }) };
    return true;
  }

  /** Whether it is not older than what is known. */
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

  /** An answer may have told it before the stream does: what comes late is left aside. */
  updateCopilot(copilot: WireCopilot | null): void {
    const known = this.room.copilot;
    if (!copilot || !known || copilot.version >= known.version) this.room = { ...this.room, copilot };
  }

  /** Whether a message counts as unread for somebody. */
  countMessage({ author, silent, deleted, mentions, seq }: WireMessage, userId: string): void {
    if (author.id === userId || silent || deleted || seq <= (this.me?.lastReadSeq ?? 0)) return;
    this.unread += 1;
    if (mentions.room || mentions.users.includes(userId) || this.room.visibility === 'direct') this.mentions += 1;
  }

  /** Who writes now, except the reader. */
  typingNames(userId: string, now: number): readonly string[] {
    return [...this.typing.values()]
      .filter(({ user, until }) => user.id !== userId && until > now)
      .map(({ user }) => user.name);
  }

  /** Takes a piece of a text; `false` when something before it is missing. */
  addDelta(messageId: string, runId: string, offset: number, text: string): boolean {
    const known = this.streaming.get(messageId);
    const before = known?.runId === runId ? known.text : '';
    if (offset > before.length) return false;
    // What comes twice is longer than what is there only at its end.
    if (offset + text.length > before.length)
      this.streaming.set(messageId, { runId, text: before.slice(0, offset) + text });
    return true;
  }
}
