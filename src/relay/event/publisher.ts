import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import type { StoredFlag } from '../domain/summary/event.ts';
import type { EventCounts } from './counts.ts';
import { type DeliveryParts, deliver } from './delivery.ts';
import type { EventArray } from './event-array.ts';
import { ByteBudget, type EventBatch, type EventOutbox, EventQueue, type EventQueueLimits } from './queue.ts';
import { EventSummarizer } from './summarizer.ts';
import type { EventTarget } from './target.ts';
import type { EventWarnings } from './warnings.ts';

/** Properties that an SDK announces for the events of a post. */
export interface EventFormat {
  /** 1 and above. */
  readonly schema: number;
  /** Empty without tags. */
  readonly tags: string;
  /** Whether the relay must summarise evaluations, for any schema. */
  readonly isUnsummarized: boolean;
}

export interface PublisherParts {
  /** `server`, `mobile` or `client`, for the log. */
  readonly sdkKind: string;
  readonly target: EventTarget;
  /** Maximum queued events per schema and tags. */
  readonly capacity: number;
  /** Of all events as JSON, including those being delivered. */
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

/** Events of one schema with the same tags. */
interface EventGroup {
  readonly outbox: EventOutbox;
  /** Of sent events. */
  readonly schema: number;
  readonly tags: string;
  /** Removed after this time without events. */
  readonly idleMs: number;
  usedAt: number;
  delivering: Promise<void> | undefined;
}

/** The first schema in which SDKs summarise. */
const FIRST_SUMMARIZED = 3;
const CURRENT_SCHEMA = 4;
/** Clients choose the tags, and each value has a queue. */
const MAX_GROUPS = 100;
const SUMMARIZER_IDLE_MS = 10 * 60_000;

/** Whether the relay summarises the events of such a post. */
export function mustSummarize({ schema, isUnsummarized }: Omit<EventFormat, 'tags'>): boolean {
  return isUnsummarized || schema < FIRST_SUMMARIZED;
}

/** Sends the events of one kind of SDK, separately for each schema and value of the tags. */
export class EventPublisher {
  readonly #parts: PublisherParts;
  readonly #budget: ByteBudget;
  readonly #groups = new Map<string, EventGroup>();
  #target: EventTarget;
  /** Upstream's last Date, in epoch milliseconds; 0 before the first. */
  #serverTime = 0;
  #isRefused = false;

  constructor(parts: PublisherParts) {
    this.#parts = parts;
    this.#target = parts.target;
    this.#budget = new ByteBudget(parts.maxBytes);
  }

  get pending(): number {
    let pending = 0;
    for (const { outbox } of this.#groups.values()) pending += outbox.pending;
    return pending;
  }

  /** Changes the target; ends an earlier refusal. */
  use(target: EventTarget): void {
    this.#target = target;
    this.#isRefused = false;
  }

  /** Queues the events of one post. */
  publish(events: EventArray, format: EventFormat): void {
    const { counts, clock } = this.#parts;
    const group = this.#isRefused ? undefined : this.#groupFor(format);
    if (!group) {
      counts.dropped += events.count;
      return;
    }
    group.usedAt = clock.now();
    counts.dropped += group.outbox.accept(events, format.schema);
  }

  /** Starts to send queued events, except of groups with a delivery in progress. */
  tick(): void {
    const now = this.#parts.clock.now();
    for (const [name, group] of this.#groups) {
      if (group.delivering) continue;
      if (group.outbox.pending > 0) this.#start(group);
      else if (now - group.usedAt >= group.idleMs) this.#groups.delete(name);
    }
  }

  /** Resolves when all events queued so far have been sent or have failed. */
  async flush(): Promise<void> {
    await Promise.all(
      [...this.#groups.values()].map(async (group) => {
        await group.delivering;
        this.#start(group);
        await group.delivering;
      }),
    );
  }

  #groupFor({ schema, tags, isUnsummarized }: EventFormat): EventGroup | undefined {
    const isSummarizing = mustSummarize({ schema, isUnsummarized });
    const name = `${isSummarizing ? 'summary' : schema} ${tags}`;
    const known = this.#groups.get(name);
    if (known) return known;
    const { warnings, sdkKind } = this.#parts;
    if (this.#groups.size >= MAX_GROUPS) {
      warnings.warn('events are dropped: too many different tags', { sdkKind });
      return undefined;
    }
    const group: EventGroup = {
      outbox: isSummarizing ? this.#createSummarizer() : new EventQueue(this.#limits()),
      schema: isSummarizing ? CURRENT_SCHEMA : schema,
      tags,
      idleMs: isSummarizing ? SUMMARIZER_IDLE_MS : 0,
      usedAt: 0,
      delivering: undefined,
    };
    this.#groups.set(name, group);
    return group;
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
      warnings.warn('events are dropped: the queue is full until the next flush', { sdkKind, capacity });
    return { events: capacity, budget: this.#budget, onFull };
  }

  #start(group: EventGroup): void {
    const batch = group.outbox.take();
    if (!batch) return;
    this.#budget.hold(batch.body.length);
    group.delivering = this.#deliver(group, batch).finally(() => {
      this.#budget.release(batch.body.length);
      group.delivering = undefined;
    });
  }

  async #deliver({ schema, tags }: EventGroup, { body, count }: EventBatch): Promise<void> {
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

  /** Drops queued and future events. */
  #refuse(): void {
    const { sdkKind, log, counts } = this.#parts;
    log.error('upstream refuses the events of this environment; they are dropped', { sdkKind });
    this.#isRefused = true;
    counts.dropped += this.pending;
    for (const { outbox } of this.#groups.values()) outbox.take();
    this.#groups.clear();
  }
}
