import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import type { Json } from '../domain/json.ts';
import type { StoredFlag } from '../domain/summary/event.ts';
import type { EventCounts } from './counts.ts';
import { type DeliveryParts, deliver } from './delivery.ts';
import { ByteBudget, type EventBatch, type EventOutbox, EventQueue, type EventQueueLimits } from './queue.ts';
import { EventSummarizer } from './summarizer.ts';
import type { EventTarget } from './target.ts';
import type { EventWarnings } from './warnings.ts';

/** What an SDK says of the events in a post. */
export interface EventFormat {
  /** 1 and above. */
  readonly schema: number;
  /** Empty: none. */
  readonly tags: string;
  /** Whether the relay is to count evaluations, whatever the schema. */
  readonly isUnsummarized: boolean;
}

export interface PublisherParts {
  /** `server`, `mobile` or `client`, for the log. */
  readonly sdkKind: string;
  readonly target: EventTarget;
  /** Events that wait for one flush in one schema and with the same tags. */
  readonly capacity: number;
  /** Of all events of the kind of SDK as JSON, those on their way among them. */
  readonly maxBytes: number;
  readonly flag: (key: string) => StoredFlag | undefined;
  readonly delivery: DeliveryParts;
  readonly clock: Clock;
  readonly log: Log;
  readonly warnings: EventWarnings;
  readonly counts: EventCounts;
  readonly userAgent: string;
  /** A fresh UUID for each payload. */
  readonly newId: () => string;
}

interface Slot {
  readonly outbox: EventOutbox;
  /** What goes out is written in this one. */
  readonly schema: number;
  readonly tags: string;
  /** How long it stands without events. */
  readonly idleMs: number;
  usedAt: number;
  delivering: Promise<void> | undefined;
}

/** The first schema in which SDKs summarise. */
const FIRST_SUMMARIZED = 3;
const CURRENT_SCHEMA = 4;
/** Tags are the sender's choice, and each costs a queue. */
const MAX_SLOTS = 100;
const SUMMARIZER_IDLE_MS = 10 * 60_000;

/** Sends the events of one kind of SDK, those of each schema and of each value of the tags by themselves. */
export class EventPublisher {
  readonly #parts: PublisherParts;
  readonly #budget: ByteBudget;
  readonly #slots = new Map<string, Slot>();
  #target: EventTarget;
  /** What upstream's clock said last, in epoch milliseconds; 0 when it has said nothing. */
  #serverTime = 0;
  #isRefused = false;

  constructor(parts: PublisherParts) {
    this.#parts = parts;
    this.#target = parts.target;
    this.#budget = new ByteBudget(parts.maxBytes);
  }

  get pending(): number {
    let pending = 0;
    for (const { outbox } of this.#slots.values()) pending += outbox.pending;
    return pending;
  }

  /** Sends from now on as another: what was refused before is tried again. */
  use(target: EventTarget): void {
    this.#target = target;
    this.#isRefused = false;
  }

  /** Takes the events of one post; `text` is the JSON array that they were read from. */
  publish(events: readonly Json[], text: Buffer, format: EventFormat): void {
    const { counts, clock } = this.#parts;
    const slot = this.#isRefused ? undefined : this.#slotFor(format);
    if (!slot) {
      counts.dropped += events.length;
      return;
    }
    slot.usedAt = clock.now();
    counts.dropped += slot.outbox.accept(events, text, format.schema);
  }

  /** Begins to send what waits, but for what would overtake a payload still on its way. */
  tick(): void {
    const now = this.#parts.clock.now();
    for (const [name, slot] of this.#slots) {
      if (slot.delivering) continue;
      if (slot.outbox.pending > 0) this.#start(slot);
      else if (now - slot.usedAt >= slot.idleMs) this.#slots.delete(name);
    }
  }

  /** Resolves when everything that waits now has been sent, or has failed. */
  async flush(): Promise<void> {
    await Promise.all(
      [...this.#slots.values()].map(async (slot) => {
        await slot.delivering;
        this.#start(slot);
        await slot.delivering;
      }),
    );
  }

  #slotFor({ schema, tags, isUnsummarized }: EventFormat): Slot | undefined {
    const isSummarizing = isUnsummarized || schema < FIRST_SUMMARIZED;
    const name = `${isSummarizing ? 'summary' : schema} ${tags}`;
    const known = this.#slots.get(name);
    if (known) return known;
    const { warnings, sdkKind } = this.#parts;
    if (this.#slots.size >= MAX_SLOTS) {
      warnings.warn('events are dropped: they come with too many different tags', { sdkKind });
      return undefined;
    }
    const slot: Slot = {
      outbox: isSummarizing ? this.#createSummarizer() : new EventQueue(this.#limits()),
      schema: isSummarizing ? CURRENT_SCHEMA : schema,
      tags,
      idleMs: isSummarizing ? SUMMARIZER_IDLE_MS : 0,
      usedAt: 0,
      delivering: undefined,
    };
    this.#slots.set(name, slot);
    return slot;
  }

  #createSummarizer(): EventSummarizer {
    const { flag, clock, warnings, sdkKind } = this.#parts;
    const onUnreadable = (reason: string) => warnings.warn('an event could not be read', { sdkKind, reason });
    return new EventSummarizer({
      limits: this.#limits(),
      flag,
      now: () => clock.now(),
      serverTime: () => this.#serverTime,
      onUnreadable,
    });
  }

  #limits(): EventQueueLimits {
    const { capacity, warnings, sdkKind } = this.#parts;
    const onFull = () =>
      warnings.warn('events are dropped: more came between two flushes than is kept', { sdkKind, capacity });
    return { events: capacity, budget: this.#budget, onFull };
  }

  #start(slot: Slot): void {
    const batch = slot.outbox.take();
    if (!batch) return;
    this.#budget.hold(batch.body.length);
    slot.delivering = this.#deliver(slot, batch).finally(() => {
      this.#budget.release(batch.body.length);
      slot.delivering = undefined;
    });
  }

  async #deliver({ schema, tags }: Slot, { body, count }: EventBatch): Promise<void> {
    const { sdkKind, counts, delivery, userAgent, newId } = this.#parts;
    const target = this.#target;
    const headers = {
      'user-agent': userAgent,
      'x-launchdarkly-event-schema': String(schema),
      'x-launchdarkly-payload-id': newId(),
      ...(tags === '' ? {} : { 'x-launchdarkly-tags': tags }),
      ...target.authorization,
    };
    const result = await deliver({ url: target.url, headers, body, what: `${sdkKind} events` }, delivery);
    this.#serverTime = result.serverTime ?? this.#serverTime;
    if (result.outcome === 'sent') {
      counts.sent += count;
      counts.sentBytes += body.length;
      return;
    }
    counts.failed += count;
    if (result.outcome === 'refused' && target === this.#target) this.#refuse();
  }

  /** What waits is dropped, and what comes. */
  #refuse(): void {
    const { sdkKind, log, counts } = this.#parts;
    log.error('upstream refuses the events of this environment: they are dropped from now on', { sdkKind });
    this.#isRefused = true;
    counts.dropped += this.pending;
    for (const { outbox } of this.#slots.values()) outbox.take();
    this.#slots.clear();
  }
}
