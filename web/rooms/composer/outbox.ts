import type { WireFile } from '../../../src/rooms/contract/message.ts';
import type { CancelTimer, Clock } from '../../shared/clock.ts';

/** A message that its author has sent and the server has not confirmed yet. */
export interface OutboxItem {
  readonly id: string;
  readonly userId: string;
  readonly roomId: string;
  readonly body: string;
  readonly threadId: string | null;
  readonly replyTo: string | null;
  readonly attachments: readonly WireFile[];
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly state: 'waiting' | 'sending' | 'sent' | 'failed';
  /** Why it failed, shown to the user. */
  readonly reason: string;
}

/** Storage in which items outlive the page. */
export interface OutboxStorage {
  all(): Promise<readonly OutboxItem[]>;
  put(item: OutboxItem): Promise<void>;
  remove(id: string): Promise<void>;
}

/** The outcome of an attempt: `later` is tried again with the same id, `refused` is final. */
export type SendOutcome =
  | { readonly kind: 'sent' }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'later'; readonly afterMs?: number | undefined };

export interface OutboxParts {
  readonly clock: Clock;
  readonly userId: string;
  readonly storage: OutboxStorage;
  readonly send: (item: OutboxItem) => Promise<SendOutcome>;
  /** Called after every change. */
  readonly changed: () => void;
  /** The server has just refused the message, which stays until it is sent again or discarded. */
  readonly refused: (item: OutboxItem) => void;
  /** From 0 up to 1. */
  readonly random: () => number;
}

const FIRST_WAIT_MS = 1000;
const MAX_WAIT_MS = 20_000;

/**
 * Sends messages one after the other until the server confirms them, across lost connections and reloads; every attempt
 * has the same id. A refused message stays until its author sends it again or discards it.
 */
export class Outbox {
  readonly #parts: OutboxParts;
  readonly #items: OutboxItem[] = [];
  #isSending = false;
  #failures = 0;
  #cancelTimer: CancelTimer = () => {};

  constructor(parts: OutboxParts) {
    this.#parts = parts;
  }

  /** The unconfirmed messages, the oldest first. */
  get items(): readonly OutboxItem[] {
    return this.#items;
  }

  get(id: string): OutboxItem | undefined {
    return this.#items.find((item) => item.id === id);
  }

  /** The number of messages still to be sent. */
  get waiting(): number {
    return this.#items.filter(({ state }) => state === 'waiting' || state === 'sending').length;
  }

  /** Loads the items of an earlier page. */
  async restore(): Promise<void> {
    const left = (await this.#parts.storage.all()).filter(({ userId }) => userId === this.#parts.userId);
    const known = new Set(this.#items.map(({ id }) => id));
    const items = left.filter(({ id }) => !known.has(id)).sort((a, b) => a.createdAt - b.createdAt);
    this.#items.unshift(
      ...items.map((item) => (item.state === 'failed' ? item : { ...item, state: 'waiting' as const })),
    );
    if (items.length > 0) this.#parts.changed();
    void this.flush();
  }

  /** Shows the message at once, stores it, then sends it. */
  async add(item: Omit<OutboxItem, 'state' | 'reason' | 'userId'>): Promise<void> {
    const kept: OutboxItem = { ...item, userId: this.#parts.userId, state: 'waiting', reason: '' };
    this.#items.push(kept);
    this.#parts.changed();
    await this.#parts.storage.put(kept);
    void this.flush();
  }

  /** Tries at once, when the connection is back or the user asks for it. */
  async flush(): Promise<void> {
    this.#cancelTimer();
    if (this.#isSending) return;
    this.#isSending = true;
    try {
      for (let item = this.#next(); item; item = this.#next()) if (!(await this.#sendOne(item))) return;
    } finally {
      this.#isSending = false;
    }
  }

  /** Sends a refused message again. */
  retry(id: string): void {
    this.#change(id, { state: 'waiting', reason: '' });
    void this.flush();
  }

  discard(id: string): void {
    this.#remove(id);
  }

  /** The server has the message. */
  confirm(id: string): void {
    if (this.#items.some((item) => item.id === id)) this.#remove(id);
  }

  #next(): OutboxItem | undefined {
    return this.#items.find(({ state }) => state === 'waiting');
  }

  /** Returns whether the next item may be sent. */
  async #sendOne(item: OutboxItem): Promise<boolean> {
    this.#change(item.id, { state: 'sending' });
    const outcome = await this.#parts.send(item);
    if (outcome.kind === 'later') {
      this.#change(item.id, { state: 'waiting' });
      this.#failures += 1;
      this.#cancelTimer = this.#parts.clock.after(outcome.afterMs ?? this.#waitMs(), () => void this.flush());
      return false;
    }
    this.#failures = 0;
    if (outcome.kind === 'sent') {
      this.#change(item.id, { state: 'sent' });
      await this.#parts.storage.remove(item.id);
    } else {
      this.#change(item.id, { state: 'failed', reason: outcome.reason });
      const failed = this.get(item.id);
      if (failed) await this.#parts.storage.put(failed);
      const kept = this.get(item.id);
      if (kept) this.#parts.refused(kept);
    }
    return true;
  }

  #waitMs(): number {
    const most = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (this.#failures - 1));
    return most * (0.5 + this.#parts.random() / 2);
  }

  #change(id: string, change: Partial<OutboxItem>): void {
    const index = this.#items.findIndex((item) => item.id === id);
    const item = this.#items[index];
    if (!item) return;
    this.#items[index] = { ...item, ...change };
    this.#parts.changed();
  }

  #remove(id: string): void {
    const index = this.#items.findIndex((item) => item.id === id);
    if (index === -1) return;
    this.#items.splice(index, 1);
    void this.#parts.storage.remove(id);
    this.#parts.changed();
  }
}
