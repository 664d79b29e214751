import { isJsonObject, type Json } from '../domain/json.ts';

/** Evaluations of one flag since the start. */
export interface FlagCounts {
  /** By variation; -1: the default of the calling code. */
  readonly variations: ReadonlyMap<number, number>;
  /** Epoch milliseconds. */
  readonly lastAt: number;
}

/** The variation of evaluations without one: an unknown flag, an error, or an off flag without an off variation. */
export const NO_VARIATION = -1;

/** Clients choose keys and variations. */
const MAX_FLAGS = 20_000;
const MAX_VARIATIONS = 100;
/** The first schema in which SDKs summarise. */
const FIRST_SUMMARIZED = 3;

/** How often SDKs evaluated which flag, as their events report it. Bounded. */
export class EvaluationCounts {
  readonly #flags = new Map<string, { readonly variations: Map<number, number>; lastAt: number }>();
  readonly #now: () => number;
  #total = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  get total(): number {
    return this.#total;
  }

  /** By flag; also unknown flags. */
  get flags(): ReadonlyMap<string, FlagCounts> {
    return this.#flags;
  }

  /** Counts one evaluation, or `count`. */
  add(key: string, variation: number | null | undefined, count = 1): void {
    let flag = this.#flags.get(key);
    if (!flag) {
      if (this.#flags.size >= MAX_FLAGS) return;
      flag = { variations: new Map(), lastAt: 0 };
      this.#flags.set(key, flag);
    }
    const index = variation ?? NO_VARIATION;
    flag.lastAt = this.#now();
    this.#total += count;
    if (!flag.variations.has(index) && flag.variations.size >= MAX_VARIATIONS) return;
    flag.variations.set(index, (flag.variations.get(index) ?? 0) + count);
  }

  /**
   * Counts the evaluations in a post of events: summaries, and the events of each evaluation of SDKs that do not summarise.
   * Ignores what it cannot read.
   */
  addEvents(events: readonly Json[], format: { readonly schema: number; readonly isUnsummarized: boolean }): void {
    const isSummarized = !format.isUnsummarized && format.schema >= FIRST_SUMMARIZED;
    for (const event of events) {
      if (!isJsonObject(event)) continue;
      if (event.kind === 'summary') this.#addSummary(event.features);
      else if (event.kind === 'feature' && !isSummarized && typeof event.key === 'string')
        this.add(event.key, integerOf(event.variation));
    }
  }

  #addSummary(features: Json | undefined): void {
    if (!isJsonObject(features)) return;
    for (const [key, feature] of Object.entries(features)) {
      const counters = isJsonObject(feature) ? feature.counters : undefined;
      if (!Array.isArray(counters)) continue;
      for (const counter of counters as readonly Json[]) {
        const count = isJsonObject(counter) ? integerOf(counter.count) : undefined;
        if (isJsonObject(counter) && count !== undefined) this.add(key, integerOf(counter.variation), count);
      }
    }
  }
}

function integerOf(json: Json | undefined): number | undefined {
  return Number.isSafeInteger(json) && (json as number) >= 0 ? (json as number) : undefined;
}
