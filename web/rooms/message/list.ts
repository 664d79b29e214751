import type { WireMessage } from '../../../src/rooms/contract/message.ts';

/** What became of a message that was told. */
export type Applied = 'added' | 'changed' | 'known' | 'outside' | 'gap';

export interface ListPage {
  readonly messages: readonly WireMessage[];
  readonly hasBefore: boolean;
  readonly hasAfter: boolean;
}

/** In memory at most; the far end is let go and read again when it is scrolled to. */
const MAX_KEPT = 4000;

/**
 * A stretch of a room without holes, in the order of the sequence numbers. A message is taken only in a newer version
 * than the one that is there, so that what comes twice or late does no harm.
 */
export class MessageList {
  #messages: WireMessage[] = [];
  readonly #byId = new Map<string, WireMessage>();
  hasBefore = false;
  hasAfter = false;

  get messages(): readonly WireMessage[] {
    return this.#messages;
  }

  get firstSeq(): number {
    return this.#messages[0]?.seq ?? 0;
  }

  get lastSeq(): number {
    return this.#messages.at(-1)?.seq ?? 0;
  }

  get(id: string): WireMessage | undefined {
    return this.#byId.get(id);
  }

  /** Begins anew with a page. What is known in newer versions stays so. */
  replace({ messages, hasBefore, hasAfter }: ListPage): void {
    this.#messages = messages.map((message) => newer(this.#byId.get(message.id), message));
    this.#byId.clear();
    for (const message of this.#messages) this.#byId.set(message.id, message);
    this.hasBefore = hasBefore;
    this.hasAfter = hasAfter;
  }

  /** Puts a page before it that was read up to `before`; one of another stretch than this is left aside. */
  prepend({ messages, hasBefore }: ListPage, before: number): void {
    if (this.#messages.length > 0 && (before < this.firstSeq || before > this.lastSeq + 1)) return;
    const older = messages.filter(({ seq }) => this.#messages.length === 0 || seq < this.firstSeq);
    for (const message of older) this.#byId.set(message.id, message);
    this.#messages = [...older, ...this.#messages];
    if (older.length > 0 || messages.length === 0) this.hasBefore = hasBefore;
    if (this.#messages.length > MAX_KEPT) this.#drop(this.#messages.splice(MAX_KEPT), 'after');
  }

  /** Puts a page behind it that was read from after `after` on; one of another stretch than this is left aside. */
  append({ messages, hasAfter }: ListPage, after: number): void {
    if (this.#messages.length > 0 && (after < this.firstSeq - 1 || after > this.lastSeq)) return;
    const later = messages.filter(({ seq }) => seq > this.lastSeq);
    for (const message of later) this.#byId.set(message.id, message);
    this.#messages.push(...later);
    if (later.length > 0 || messages.length === 0) this.hasAfter = hasAfter;
    this.#trimStart();
  }

  /** Takes a message as an event or an answer tells it. `gap`: others before it are missing, and it is not taken. */
  apply(message: WireMessage): Applied {
    const known = this.#byId.get(message.id);
    if (known) {
      if (known.version >= message.version) return 'known';
      this.#put(newer(known, message));
      return 'changed';
    }
    if (this.#messages.length === 0 ? !this.hasAfter : message.seq > this.lastSeq && !this.hasAfter) {
      if (this.#messages.length > 0 && message.seq > this.lastSeq + 1) return 'gap';
      this.#messages.push(message);
      this.#byId.set(message.id, message);
      this.#trimStart();
      return 'added';
    }
    return 'outside';
  }

  #put(message: WireMessage): void {
    const index = this.#indexOf(message.seq);
    this.#messages[index] = message;
    this.#byId.set(message.id, message);
  }

  #indexOf(seq: number): number {
    let low = 0;
    let high = this.#messages.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#messages[middle]?.seq ?? 0) < seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #trimStart(): void {
    if (this.#messages.length <= MAX_KEPT + 200) return;
    this.#drop(this.#messages.splice(0, this.#messages.length - MAX_KEPT), 'before');
  }

  #drop(gone: readonly WireMessage[], side: 'before' | 'after'): void {
    for (const { id } of gone) this.#byId.delete(id);
    if (side === 'before') this.hasBefore = true;
    else this.hasAfter = true;
  }
}

/** Of two versions the newer one. Events do not say which reactions are one's own: those that are known stay so. */
function newer(known: WireMessage | undefined, message: WireMessage): WireMessage {
  return known && known.version > message.version ? known : message;
}

/** Whether somebody has reacted so: an answer says it, an event names the first twenty. */
export function hasReacted({ me, userIds }: WireMessage['reactions'][number], userId: string): boolean {
  return me ?? userIds.includes(userId);
}
