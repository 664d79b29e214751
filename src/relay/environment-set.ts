import type { Clock } from '../kernel/clock.ts';
import type { SendsRequests } from '../kernel/http-client/http-client.ts';
import type { Log } from '../kernel/log.ts';
import type { EnvironmentOptions, RelayOptions } from './config/relay-options.ts';
import type { Credentials } from './credentials.ts';
import type { DataSink, DataSource } from './data-source.ts';
import { Environment } from './environment.ts';
import { environmentLog } from './environment-log.ts';
import type { Inflater } from './event/body.ts';
import { EventForwarder } from './event/forwarder.ts';
import type { Journals } from './journal/journal.ts';
import type { StreamRegistry } from './streams/registry.ts';

export interface EnvironmentSetParts {
  readonly options: RelayOptions;
  readonly credentials: Credentials;
  readonly registry: StreamRegistry;
  readonly http: SendsRequests;
  readonly inflater: Inflater;
  readonly journals: Journals;
  readonly userAgent: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Creates the data source of an environment; `log` is that of the environment. */
export type OpenSource = (sink: DataSink, options: EnvironmentOptions, log: Log) => DataSource;

interface Running {
  readonly source: DataSource;
  readonly events: EventForwarder;
}

/** Notified of environments before their first data and after their last. */
export interface EnvironmentSetListener {
  added(environment: Environment): void;
  /** It has other options. */
  changed?(environment: Environment): void;
  removed(environment: Environment): void;
}

/** Interval of the checks whether the environments have data. */
const CHECK_EVERY_MS = 20;

/** The served environments, each with its data source and event forwarder. */
export class EnvironmentSet {
  readonly #parts: EnvironmentSetParts;
  readonly #running = new Map<Environment, Running>();
  readonly #listeners = new Set<EnvironmentSetListener>();

  constructor(parts: EnvironmentSetParts) {
    this.#parts = parts;
  }

  get environments(): readonly Environment[] {
    return [...this.#running.keys()];
  }

  subscribe(listener: EnvironmentSetListener): void {
    this.#listeners.add(listener);
  }

  /** Starts serving an environment. */
  add(options: EnvironmentOptions, openSource: OpenSource): Environment {
    const { credentials, registry, http, inflater, journals, userAgent, clock, log, options: relay } = this.#parts;
    const environment = new Environment(options, { clock, initTimeoutMs: relay.initTimeoutMs, registry });
    const ownLog = journals.record(environment, environmentLog(log, options));
    const events = new EventForwarder({
      environment: options,
      options: relay,
      http,
      inflater,
      flag: (key) => environment.store.flag(key)?.flag,
      evaluations: journals.of(environment).evaluations,
      userAgent,
      clock,
      log: ownLog,
    });
    const source = openSource(environment, options, ownLog);
    this.#running.set(environment, { source, events });
    for (const listener of this.#listeners) listener.added(environment);
    credentials.add(environment);
    source.start();
    return environment;
  }

  /** Continues to serve an environment with other options; ends streams whose credential is no longer valid. */
  change(environment: Environment, options: EnvironmentOptions): void {
    const { credentials } = this.#parts;
    const running = this.#running.get(environment);
    environment.reconfigure(options);
    credentials.add(environment);
    running?.events.use(options);
    running?.source.use(options);
    for (const listener of this.#listeners) listener.changed?.(environment);
    const { filter } = options;
    environment.streams.endUnless((sdkKind, key) => credentials.find(sdkKind, key, filter) === environment);
  }

  /** Has every source look for data at once. */
  refresh(): void {
    for (const { source } of this.#running.values()) source.refresh?.();
  }

  /** Stops serving an environment: removes its credentials and ends its streams. */
  async remove(environment: Environment): Promise<void> {
    this.#parts.credentials.remove(environment);
    const running = this.#running.get(environment);
    this.#running.delete(environment);
    for (const listener of this.#listeners) listener.removed(environment);
    await Promise.all([environment.close(), running?.source.close(), running?.events.close(this.#deadlineMs)]);
  }

  eventsOf(environment: Environment): EventForwarder {
    const running = this.#running.get(environment);
    if (!running) throw new Error('the environment is not served');
    return running.events;
  }

  /** Resolves when every environment has its data or has timed out, with those that have none. */
  settled(): Promise<readonly Environment[]> {
    const isSettled = () => this.environments.every(({ readiness }) => readiness !== 'starting');
    return new Promise((resolve) => {
      const check = () => {
        if (!isSettled()) return void this.#parts.clock.after(CHECK_EVERY_MS, check);
        resolve(this.environments.filter(({ readiness }) => readiness !== 'ready'));
      };
      check();
    });
  }

  /** The environments whose data are not in the persistent store; final after `close`. */
  get unsaved(): readonly Environment[] {
    return [...this.#running].flatMap(([environment, { source }]) => (source.isSaved === false ? [environment] : []));
  }

  /** Closes the sources and sends the remaining events. */
  async close(): Promise<void> {
    const running = [...this.#running.values()];
    await Promise.all(running.flatMap(({ source, events }) => [source.close(), events.close(this.#deadlineMs)]));
  }

  get #deadlineMs(): number {
    return this.#parts.options.gracefulShutdownMs;
  }
}
