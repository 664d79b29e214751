import { Frame } from '../../kernel/sse/frame.ts';
import { printCursor } from '../contract/feed.ts';
import type { Committed } from '../domain/event.ts';
import type { StoredEvent } from '../store/store.ts';

/** An event of the log as streams send it, live or read again. */
export class FeedEntry implements StoredEvent {
  readonly pos: number;
  readonly type: string;
  readonly roomId: string | null;
  readonly audience: string | null;
  readonly seq: number;
  readonly data: string;
  /** The user who leaves the room by this event. */
  readonly removedUserId: string | null;
  #frame: Frame | undefined;

  constructor({ pos, type, roomId, audience, seq, data }: StoredEvent, removedUserId: string | null) {
    this.pos = pos;
    this.type = type;
    this.roomId = roomId;
    this.audience = audience;
    this.seq = seq;
    this.data = data;
    this.removedUserId = removedUserId;
  }

  /** Framed once for all recipients. Its data is JSON, without line breaks. */
  frame(epoch: string): Frame {
    this.#frame ??= new Frame(`id: ${printCursor(epoch, this.pos)}\nevent: ${this.type}\ndata: ${this.data}\n\n`);
    return this.#frame;
  }
}

const REMOVALS: ReadonlySet<string> = new Set(['member.left', 'member.banned']);

export function entryOfCommitted({ pos, event, data }: Committed): FeedEntry {
  const { type, roomId, audience = null } = event;
  const seq = 'message' in event ? event.message.seq : 0;
  const removed = type === 'member.left' || type === 'member.banned' ? event.member.userId : null;
  return new FeedEntry({ pos, type, roomId, audience, seq, data }, removed);
}

export function entryOfStored(stored: StoredEvent): FeedEntry {
  if (!REMOVALS.has(stored.type)) return new FeedEntry(stored, null);
  const { member } = JSON.parse(stored.data) as { readonly member?: { readonly userId?: string } };
  return new FeedEntry(stored, member?.userId ?? null);
}
