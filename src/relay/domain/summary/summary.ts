import { kindsOf } from '../context/context.ts';
import type { FeatureEvent } from './event.ts';

// Values are kept as JSON text, so that an event with an unserialisable value is refused at once.

interface Counter {
  readonly variation: number | undefined;
  readonly version: number | undefined;
  readonly value: string;
  count: number;
}

interface FlagSummary {
  readonly default: string;
  readonly kinds: Set<string>;
  /** By variation and version. */
  readonly counters: Map<string, Counter>;
}

/** Maximum size of a summary. */
export interface SummaryLimits {
  /** Flags, counters and context kinds in total. */
  readonly entries: number;
  /** JSON characters kept of all entries. */
  readonly chars: number;
}

/** Counts evaluations by flag, variation and version. */
export class Summary {
  readonly #limits: SummaryLimits;
  readonly #flags = new Map<string, FlagSummary>();
  #startDate = 0;
  #endDate = 0;
  #entries = 0;
  #chars = 0;

  constructor(limits: SummaryLimits) {
    this.#limits = limits;
  }

  get isEmpty(): boolean {
    return this.#flags.size === 0;
  }

  /**
   * Counts an evaluation; false if the summary is full. Throws a RangeError and counts nothing if a value is nested too
   * deeply to be serialised.
   */
  add(event: FeatureEvent): boolean {
    const known = this.#flags.get(event.key);
    const counterKey = `${event.variation} ${event.version}`;
    const counter = known?.counters.get(counterKey);
    const newKinds = kindsOf(event.context.context).filter((kind) => !known?.kinds.has(kind));
    if ((!counter || newKinds.length > 0) && this.#isFull) return false;
    const value = counter?.value ?? JSON.stringify(event.value);
    const flag = known ?? this.#addFlag(event.key, JSON.stringify(event.default));
    if (counter) counter.count++;
    else this.#addCounter(flag, counterKey, { variation: event.variation, version: event.version, value, count: 1 });
    for (const kind of newKinds) this.#addKind(flag, kind);
    this.#cover(event.creationDate);
    return true;
  }

  /** The `summary` event. */
  print(): string {
    const features = [...this.#flags].map(([key, flag]) => `${JSON.stringify(key)}:${printFlag(flag)}`);
    const dates = `"startDate":${this.#startDate},"endDate":${this.#endDate}`;
    return `{"kind":"summary",${dates},"features":{${features.join(',')}}}`;
  }

  get #isFull(): boolean {
    return this.#entries >= this.#limits.entries || this.#chars >= this.#limits.chars;
  }

  #addFlag(key: string, fallback: string): FlagSummary {
    const flag = { default: fallback, kinds: new Set<string>(), counters: new Map<string, Counter>() };
    this.#flags.set(key, flag);
    this.#grow(key.length + fallback.length);
    return flag;
  }

  #addCounter(flag: FlagSummary, key: string, counter: Counter): void {
    flag.counters.set(key, counter);
    this.#grow(counter.value.length);
  }

  #addKind(flag: FlagSummary, kind: string): void {
    flag.kinds.add(kind);
    this.#grow(kind.length);
  }

  #grow(chars: number): void {
    this.#entries++;
    this.#chars += chars;
  }

  #cover(creationDate: number): void {
    if (this.#startDate === 0 || creationDate < this.#startDate) this.#startDate = creationDate;
    if (creationDate > this.#endDate) this.#endDate = creationDate;
  }
}

function printFlag({ default: fallback, kinds, counters }: FlagSummary): string {
  const printed = [...counters.values()].map(printCounter);
  return `{"default":${fallback},"contextKinds":${JSON.stringify([...kinds])},"counters":[${printed.join(',')}]}`;
}

function printCounter({ variation, version, value, count }: Counter): string {
  const index = variation === undefined ? '' : `"variation":${variation},`;
  // Without a version the flag is unknown.
  const known = version === undefined ? '"unknown":true' : `"version":${version}`;
  return `{${index}${known},"value":${value},"count":${count}}`;
}
