import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** The numbers of one server in Prometheus' text format. Each server has a registry of its own. */
export class Metrics {
  readonly #registry = new Registry();

  counter<L extends string>(name: string, help: string, labelNames: readonly L[] = []): Counter<L> {
    return new Counter({ name, help, labelNames: [...labelNames], registers: [this.#registry] });
  }

  histogram<L extends string>(
    name: string,
    help: string,
    buckets: readonly number[],
    labelNames: readonly L[] = [],
  ): Histogram<L> {
    return new Histogram({
      name,
      help,
      buckets: [...buckets],
      labelNames: [...labelNames],
      registers: [this.#registry],
    });
  }

  /** A number that is read when somebody asks for the metrics. */
  gauge<L extends string>(name: string, help: string, labelNames: readonly L[], read: (gauge: Gauge<L>) => void): void {
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

  /** What Prometheus' own client libraries tell of a process. */
  process(startedAt: number): void {
    const number = (name: string, help: string, read: () => number) =>
      this.gauge(name, help, [], (gauge) => gauge.set(read()));
    number('process_start_time_seconds', 'When the process started, in seconds since 1970.', () => startedAt / 1000);
    number('process_resident_memory_bytes', 'The memory that the process holds.', () => process.memoryUsage.rss());
    number('process_cpu_seconds_total', 'Processor time spent so far, in seconds.', () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    });
  }

  readonly contentType = 'text/plain; version=0.0.4; charset=utf-8';

  render(): Promise<string> {
    return this.#registry.metrics();
  }
}
