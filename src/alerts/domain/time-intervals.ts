import { isInside, type TimeInterval } from './time-interval.ts';

/** The time intervals of a configuration, by name. */
export class TimeIntervals {
  readonly #byName: ReadonlyMap<string, readonly TimeInterval[]>;

  constructor(named: readonly { readonly name: string; readonly intervals: readonly TimeInterval[] }[]) {
    this.#byName = new Map(named.map(({ name, intervals }) => [name, intervals]));
  }

  /** The names whose intervals contain the instant. */
  thatContain(names: readonly string[], at: number): readonly string[] {
    if (names.length === 0) return names;
    return names.filter((name) => this.#byName.get(name)?.some((interval) => isInside(interval, at)));
  }
}
