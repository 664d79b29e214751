import { availableParallelism } from 'node:os';
import { MessageChannel } from 'node:worker_threads';
import type { Clock } from '../../kernel/clock.ts';
import { canShareAddresses, requireFree } from '../../kernel/http/server.ts';
import type { TlsSettings } from '../../kernel/http/tls-front.ts';
import type { Log } from '../../kernel/log.ts';
import { answerCalls } from '../../kernel/threads/calls.ts';
import { ownProgram, startThread, type ThreadProgram } from '../../kernel/threads/thread.ts';
import type { RelayOptions } from '../config/relay-options.ts';
import type { Credentials } from '../credentials.ts';
import type { Environment } from '../environment.ts';
import type { EnvironmentSet } from '../environment-set.ts';
import type { Journals } from '../journal/journal.ts';
import type { MetricsWorkers } from '../metrics/metrics.ts';
import type { SubscriberCounts } from '../metrics/subscribers.ts';
import { ChangeFeed } from '../workers/change-feed.ts';
import { type MainMethods, RELAY_WORKER, type WorkerMethods, type WorkerOptions } from '../workers/contract.ts';
import { JournalFeed } from '../workers/journal-tally.ts';
import { type Worker, WorkerPool } from '../workers/pool.ts';
import type { ClientCount, WorkerReport } from '../workers/tally.ts';
import { WorkerCounts } from '../workers/worker-counts.ts';
import { deliverPosts, type PostBatch } from '../workers/worker-events.ts';
import type { RelayFront } from './front.ts';

const MAX_DEFAULT_WORKERS = 4;

/** The number of threads that answer requests; 1: the main thread does. */
export async function countWorkers({ workers, exitAlways }: RelayOptions, log: Log): Promise<number> {
  const wanted = workers ?? Math.min(availableParallelism(), MAX_DEFAULT_WORKERS);
  if (wanted === 1 || ownProgram === undefined || exitAlways) return 1;
  if (await canShareAddresses()) return wanted;
  const advice = 'threads cannot share a port on this system: one thread answers all requests';
  if (workers !== undefined) log.warn(advice, { workers });
  return 1;
}

export interface RelayWorkersParts {
  readonly count: number;
  readonly options: RelayOptions;
  readonly set: EnvironmentSet;
  readonly credentials: Credentials;
  readonly journals: Journals;
  readonly clock: Clock;
  readonly log: Log;
}

export interface WorkerServices extends Pick<MainMethods, 'answer' | 'goals'> {
  /** Adds what workers have counted to the metrics. */
  readonly count: (report: WorkerReport) => void;
}

/** The worker threads of a relay, seen from the main thread. */
export class RelayWorkers implements MetricsWorkers {
  readonly #parts: RelayWorkersParts;
  readonly #feed: ChangeFeed;
  readonly #counts = new WorkerCounts();
  readonly #journalFeed: JournalFeed;
  #pool: WorkerPool | undefined;
  #tls: TlsSettings | undefined;

  constructor(parts: RelayWorkersParts) {
    this.#parts = parts;
    this.#feed = new ChangeFeed(parts);
    this.#journalFeed = new JournalFeed(parts.journals, (id) => this.#feed.environment(id));
  }

  get open(): readonly ClientCount[] {
    return this.#counts.open;
  }

  get restarts(): number {
    return this.#pool?.restarts ?? 0;
  }

  async refresh(): Promise<void> {
    await this.#pool?.refresh();
  }

  /** The clients of an environment in all threads; `here` are those of this one. */
  subscribers(environment: Environment, here: SubscriberCounts): SubscriberCounts {
    const id = this.#feed.idOf(environment);
    return id === undefined ? here : this.#counts.subscribers(id, here);
  }

  /** Starts the threads, which listen when this resolves. Throws a CommandError. */
  async listen(tls: TlsSettings | undefined, services: WorkerServices): Promise<RelayFront> {
    this.#tls = tls;
    const { count, options, clock, log } = this.#parts;
    const { host, port } = options;
    const ends = new Map<Worker, () => void>();
    const pool = new WorkerPool({
      count,
      start: () => this.#start(services, ends),
      onEnd: (worker) => {
        ends.get(worker)?.();
        this.#counts.forget(worker);
        this.#journalFeed.forget(worker);
      },
      onReport: (worker, report) => {
        this.#counts.set(worker, report);
        this.#journalFeed.add(worker, report.journal);
        services.count(report);
      },
      clock,
      log,
    });
    this.#pool = pool;
    try {
      const bound = await pool.listen({ host, port }, async () => requireFree({ host, port }));
      return { ...bound, secureWith: (next) => this.#secureWith(next), close: (deadlineMs) => pool.close(deadlineMs) };
    } catch (error) {
      await pool.close(0);
      throw error;
    }
  }

  /** Also for workers that start later. */
  #secureWith(tls: TlsSettings): void {
    this.#tls = tls;
    this.#pool?.secureWith(tls);
  }

  #start({ answer, goals }: WorkerServices, ends: Map<Worker, () => void>): Worker {
    const { options, log } = this.#parts;
    const changes = new MessageChannel();
    const main = new MessageChannel();
    this.#feed.attach(changes.port1);
    const methods: MainMethods = {
      answer,
      goals,
      memberships: async (id, keys) => (await this.#feed.environment(id)?.bigSegments?.read(keys)) ?? new Map(),
      takeEvents: async (batch) => this.#takeEvents(batch),
    };
    answerCalls(main.port1, methods);
    const worker = startThread<WorkerMethods>({
      program: (ownProgram as () => ThreadProgram)(),
      name: RELAY_WORKER,
      options: {
        relay: { ...options, environments: [] },
        tls: this.#tls,
        newest: this.#feed.newest,
        changes: changes.port2,
        main: main.port2,
        isDebugging: log.debugging,
      } satisfies WorkerOptions,
      ports: [changes.port2, main.port2],
      log,
      revive: () => undefined,
    });
    ends.set(worker, () => {
      ends.delete(worker);
      this.#feed.detach(changes.port1);
      changes.port1.close();
      main.port1.close();
    });
    return worker;
  }

  #takeEvents(batch: PostBatch): void {
    deliverPosts(batch, (id) => {
      const environment = this.#feed.environment(id);
      return environment && this.#parts.set.eventsOf(environment);
    });
  }
}
