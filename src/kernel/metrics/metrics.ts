import { Counter, Gauge, Registry } from 'prom-client';
import { type Distribution, DistributionFamily, printDistributions } from './distribution.ts';
import { processNumbers } from './process-metrics.ts';

/** The present numbers of a counter or gauge. */
export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  /** Otherwise a gauge. */
  readonly isCounter: boolean;
  readonly values: readonly { readonly labels: Readonly<Record<string, string | number>>; readonly value: number }[];
}

/** The numbers of one server in Prometheus' text format. Each server has a registry of its own. */
export class Metrics {
  readonly #registry = new Registry();
  /** Prints each metric, in the order of registration. */
  readonly #prints: (() => string | Promise<string>)[] = [];

  counter<L extends string>(name: string, help: string, labelNames: readonly L[] = []): Counter<L> {
    this.#register(name);
    return new Counter({ name, help, labelNames: [...labelNames], registers: [this.#registry] });
  }

  histogram<L extends string>(
    name: string,
    help: string,
    bounds: readonly number[],
    labelNames: readonly L[] = [],
  ): DistributionFamily<L> {
    const family = new DistributionFamily(bounds, labelNames);
    this.#prints.push(() => printDistributions({ name, help, type: 'histogram' }, family.all()));
    return family;
  }

  /** A distribution that is kept elsewhere: with bounds a histogram, without them a summary. */
  distribution(name: string, help: string, distribution: Distribution): void {
    const type = distribution.bounds.length > 0 ? 'histogram' : 'summary';
    this.#prints.push(() => printDistributions({ name, help, type }, [['', distribution]]));
  }

  /** A number that is read when the metrics are requested. */
  gauge<L extends string>(name: string, help: string, labelNames: readonly L[], read: (gauge: Gauge<L>) => void): void {
    this.#register(name);
    new Gauge({
      name,
      help,
      labelNames: [...labelNames],
      registers: [this.#registry],
      collect() {
        read(this);
      },
    });
  }

  /** A count that is kept elsewhere, and read when the metrics are requested. */
  total<L extends string>(
    name: string,
    help: string,
    labelNames: readonly L[],
    read: (counter: Counter<L>) => void,
  ): void {
    this.#register(name);
    new Counter({
      name,
      help,
      labelNames: [...labelNames],
      registers: [this.#registry],
      collect() {
        this.reset();
        read(this);
      },
    });
  }

  /** The process metrics of Prometheus' own client libraries. */
  process(startedAt: number): void {
    for (const { name, help, read } of processNumbers(startedAt)) {
      this.gauge(name, help, [], (gauge) => gauge.set(orUnknown(read)));
    }
    this.total('process_cpu_seconds_total', 'Processor time spent so far, in seconds.', [], (counter) => {
      const { user, system } = process.cpuUsage();
      counter.inc((user + system) / 1e6);
    });
  }

  readonly contentType = 'text/plain; version=0.0.4; charset=utf-8';

  async render(): Promise<string> {
    const texts = await Promise.all(this.#prints.map((print) => print()));
    return `${texts.join('\n\n')}\n`;
  }

  /** The counters and gauges, in the order of registration. */
  async read(): Promise<readonly MetricFamily[]> {
    const found = await this.#registry.getMetricsAsJSON();
    return found.map(({ name, help, type, values }) => ({
      name,
      help,
      // prom-client's types name a number, but its values are words.
      isCounter: String(type) === 'counter',
      values: values.map(({ labels, value }) => ({ labels: labels as Record<string, string | number>, value })),
    }));
  }

  #register(name: string): void {
    this.#prints.push(() => this.#registry.getSingleMetricAsString(name));
  }
}

/** NaN if it cannot be read, for instance because no descriptor is free. */
function orUnknown(read: () => number): number {
  try {
    return read();
  } catch {
    return Number.NaN;
  }
}
