import type { Json } from '../domain/json.ts';
import type { EventContext } from '../domain/summary/context.ts';
import { completeEvent, type FeatureEvent, readSdkEvent, type StoredFlag } from '../domain/summary/event.ts';
import { printCustom, printFeature, printIdentify, printIndex } from '../domain/summary/output.ts';
import { Summary } from '../domain/summary/summary.ts';
import type { EventArray } from './event-array.ts';
import { type EventBatch, type EventOutbox, EventQueue, type EventQueueLimits } from './queue.ts';
import { RecentKeys } from './recent-keys.ts';

const CONTEXTS = 1000;
const CONTEXT_LIFE_MS = 5 * 60_000;
const SUMMARY_LIMITS = { entries: 10_000, chars: 2 ** 20 };

export interface SummarizerParts {
  readonly limits: EventQueueLimits;
  readonly flag: (key: string) => StoredFlag | undefined;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Upstream's last Date, in epoch milliseconds; 0 before the first. */
  readonly serverTime: () => number;
  /** Called with the reason for each dropped event. */
  readonly onUnreadable: (reason: string) => void;
}

/** Summarises events of SDKs that do not: counts evaluations, and sends an index event once per context. */
export class EventSummarizer implements EventOutbox {
  readonly #parts: SummarizerParts;
  readonly #queue: EventQueue;
  readonly #contexts = new RecentKeys(CONTEXTS, CONTEXT_LIFE_MS);
  #summary = new Summary(SUMMARY_LIMITS);

  constructor(parts: SummarizerParts) {
    this.#parts = parts;
    this.#queue = new EventQueue(parts.limits);
  }

  get pending(): number {
    return this.#queue.pending + (this.#summary.isEmpty ? 0 : 1);
  }

  accept(events: EventArray, schema: number): number {
    let dropped = 0;
    for (const event of events.parse()) if (!this.#tryOne(event, schema)) dropped++;
    return dropped;
  }

  /** The summary is the last event, regardless of the capacity. */
  take(): EventBatch | undefined {
    if (this.#summary.isEmpty) return this.#queue.take();
    const summary = this.#summary.print();
    this.#summary = new Summary(SUMMARY_LIMITS);
    return this.#queue.take(summary);
  }

  #tryOne(event: Json, schema: number): boolean {
    try {
      return this.#acceptOne(event, schema);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#parts.onUnreadable('the event is nested too deeply');
      return false;
    }
  }

  /** False if the event is unreadable or part of it is dropped. */
  #acceptOne(json: Json, schema: number): boolean {
    const read = readSdkEvent(json);
    if (!read.ok) {
      this.#parts.onUnreadable(read.reason);
      return false;
    }
    const event = read.value;
    switch (event.kind) {
      case 'other':
        return this.#queue.push(JSON.stringify(event.json));
      case 'identify':
        this.#contexts.saw(event.context.context.fullyQualifiedKey, this.#parts.now());
        return this.#queue.push(printIdentify(event));
      case 'custom':
        return this.#index(event.creationDate, event.context) && this.#queue.push(printCustom(event));
      case 'feature':
        return this.#acceptFeature(completeEvent(event, schema, this.#parts.flag(event.key)));
    }
  }

  #acceptFeature(event: FeatureEvent): boolean {
    const counted = event.excludeFromSummaries || this.#count(event);
    const indexed = this.#index(event.creationDate, event.context);
    const sent = event.trackEvents !== true || this.#queue.push(printFeature('feature', event));
    // The later of both clocks counts, so that a slow local clock does not prolong debugging.
    const isDebugged = event.debugEventsUntilDate > Math.max(this.#parts.now(), this.#parts.serverTime());
    return (!isDebugged || this.#queue.push(printFeature('debug', event))) && counted && indexed && sent;
  }

  #count(event: FeatureEvent): boolean {
    const counted = this.#summary.add(event);
    if (!counted) this.#parts.limits.onFull();
    return counted;
  }

  #index(creationDate: number, context: EventContext): boolean {
    const isKnown = this.#contexts.saw(context.context.fullyQualifiedKey, this.#parts.now());
    return isKnown || this.#queue.push(printIndex(creationDate, context));
  }
}
