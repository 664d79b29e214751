import type { WireMessage } from '../../../src/rooms/contract/message.ts';

/** The outcome of adding a message. */
export type Applied = 'added' | 'changed' | 'known' | 'outside' | 'gap';

export interface ListPage {
  readonly messages: readonly WireMessage[];
  readonly hasBefore: boolean;
  readonly hasAfter: boolean;
}

/** Maximum messages in memory; the far end is dropped, and read again when it is scrolled to. */
const MAX_KEPT = 4000;

/**
 * A part of a room without gaps, in the order of sequence numbers. A message replaces only an older version, so repeated
 * and late events do no harm.
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

  /** 0 if it is empty: the first message of the room has 1. */
  get lastSeq(): number {
    return this.#messages.at(-1)?.seq ?? 0;
  }

  get(id: string): WireMessage | undefined {
    return this.#byId.get(id);
  }

  /** Replaces all messages by a page; newer versions of its messages are kept. */
  replace({ messages, hasBefore, hasAfter }: ListPage): void {
    this.#messages = messages.map((message) => newer(this.#byId.get(message.id), message));
    this.#byId.clear();
    for (const message of this.#messages) this.#byId.set(message.id, message);
    this.hasBefore = hasBefore;
    this.hasAfter = hasAfter;
  }

  /** Adds an earlier page, read up to `before`; a page that does not adjoin is ignored. */
  prepend({ messages, hasBefore }: ListPage, before: number): void {
    if (this.#messages.length > 0 && (before < this.firstSeq || before > this.lastSeq + 1)) return;
    const older = messages.filter(({ seq }) => this.#messages.length === 0 || seq < this.firstSeq);
    for (const message of older) this.#byId.set(message.id, message);
    this.#messages = [...older, ...this.#messages];
    if (older.length > 0 || messages.length === 0) this.hasBefore = hasBefore;
    if (this.#messages.length > MAX_KEPT) this.#drop(this.#messages.splice(MAX_KEPT), 'after');
  }

  /** Adds a later page, read from after `after`; a page that does not adjoin is ignored. */
  append({ messages, hasAfter }: ListPage, after: number): void {
    if (this.#messages.length > 0 && (after < this.firstSeq - 1 || after > this.lastSeq)) return;
    const later = messages.filter(({ seq }) => seq > this.lastSeq);
    for (const message of later) this.#byId.set(message.id, message);
    this.#messages.push(...later);
    if (later.length > 0 || messages.length === 0) this.hasAfter = hasAfter;
    this.#trimStart();
  }

  /** Takes the message of an event or an answer. `gap`: it is not taken, as messages before it are missing. */
  apply(message: WireMessage): Applied {
    const known = this.#byId.get(message.id);
    if (known) {
      if (known.version >= message.version) return 'known';
      this.#put(newer(known, message));
      return 'changed';
    }
    if (message.seq > this.lastSeq && !this.hasAfter) {
      if (message.seq > this.lastSeq + 1) return 'gap';
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

/** The newer of two versions. Events do not mark the user's own reactions, so known marks are kept. */
function newer(known: WireMessage | undefined, message: WireMessage): WireMessage {
  return known && known.version > message.version ? known : message;
}

/** Whether the user has reacted so: an answer has `me`, an event only the first 20 users. */
export function hasReacted({ me, userIds }: WireMessage['reactions'][number], userId: string): boolean {
  return me ?? userIds.includes(userId);
}
