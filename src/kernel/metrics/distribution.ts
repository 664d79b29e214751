/** The buckets of Prometheus' own client libraries for requests, in seconds. */
export const REQUEST_BOUNDS_S: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Counts durations or sizes. Adding a value costs next to nothing. */
export class Distribution {
  /** Upper bounds in rising order. */
  readonly bounds: readonly number[];
  readonly #counts: number[];
  #count = 0;
  #sum = 0;

  constructor(bounds: readonly number[] = []) {
    this.bounds = bounds;
    this.#counts = bounds.map(() => 0);
  }

  /** The number of values. */
  get count(): number {
    return this.#count;
  }

  /** The sum of all values. */
  get sum(): number {
    return this.#sum;
  }

  /** Adds a value; or the sum of several, which are counted as if they were equal. */
  add(sum: number, times = 1): void {
    if (times === 0) return;
    this.#count += times;
    this.#sum += sum;
    const value = sum / times;
    const { bounds } = this;
    for (let place = 0; place < bounds.length; place++) {
      if (value > (bounds[place] as number)) continue;
      this.#counts[place] = (this.#counts[place] as number) + times;
      return;
    }
  }

  /** The number of values up to each bound. */
  cumulated(): readonly number[] {
    let sum = 0;
    return this.#counts.map((count) => {
      sum += count;
      return sum;
    });
  }
}

/** Distributions of one name with different labels. */
export class DistributionFamily<L extends string> {
  readonly #bounds: readonly number[];
  readonly #labelNames: readonly L[];
  readonly #series = new Map<string, Distribution>();

  constructor(bounds: readonly number[], labelNames: readonly L[]) {
    this.#bounds = bounds;
    this.#labelNames = labelNames;
    if (labelNames.length === 0) this.#at('');
  }

  /** The distribution with these labels, which is printed from now on. A frequent caller should keep it. */
  of(labels: Readonly<Partial<Record<L, string>>>): Distribution {
    const named = this.#labelNames.flatMap((name) => printLabel(name, labels[name]));
    return this.#at(named.join(','));
  }

  #at(labels: string): Distribution {
    const known = this.#series.get(labels) ?? new Distribution(this.#bounds);
    this.#series.set(labels, known);
    return known;
  }

  /** By their labels in the text format. */
  all(): Iterable<readonly [labels: string, distribution: Distribution]> {
    return this.#series;
  }
}

function printLabel(name: string, value: string | undefined): readonly string[] {
  if (value === undefined) return [];
  return [`${name}="${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`];
}

export interface DistributionTexts {
  readonly name: string;
  readonly help: string;
  /** A summary here has no quantiles, only its sum and count. */
  readonly type: 'histogram' | 'summary';
}

/** In the text format of Prometheus. */
export function printDistributions(
  { name, help, type }: DistributionTexts,
  series: Iterable<readonly [labels: string, distribution: Distribution]>,
): string {
  const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
  for (const [labels, distribution] of series) {
    const { bounds, count, sum } = distribution;
    if (type === 'histogram') {
      const counts = distribution.cumulated();
      const rest = labels === '' ? '' : `,${labels}`;
      bounds.forEach((bound, place) => {
        lines.push(`${name}_bucket{le="${bound}"${rest}} ${counts[place]}`);
      });
      lines.push(`${name}_bucket{le="+Inf"${rest}} ${count}`);
    }
    const all = labels === '' ? '' : `{${labels}}`;
    lines.push(`${name}_sum${all} ${sum}`, `${name}_count${all} ${count}`);
  }
  return lines.join('\n');
}
