import type { WireMessage } from '../../../src/rooms/contract/message.ts';

/** The replies of a thread, in order. */
export class ThreadModel {
  readonly rootId: string;
  readonly roomId: string;
  readonly #replies = new Map<string, WireMessage>();
  hasBefore = false;

  constructor(roomId: string, rootId: string) {
    this.roomId = roomId;
    this.rootId = rootId;
  }

  get replies(): readonly WireMessage[] {
    return [...this.#replies.values()].sort((a, b) => a.seq - b.seq);
  }

  get lastSeq(): number {
    return Math.max(0, ...[...this.#replies.values()].map(({ seq }) => seq));
  }

  holds({ id }: Pick<WireMessage, 'id'>): boolean {
    return this.#replies.has(id);
  }

  /** Whether the message has changed the thread. */
  apply(message: WireMessage): boolean {
    if (message.threadId !== this.rootId) return false;
    const known = this.#replies.get(message.id);
    if (known && known.version >= message.version) return false;
    this.#replies.set(message.id, message);
    return true;
  }
}
