import type { Clock } from '../../kernel/clock.ts';
import { CommandError, ExitCode } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import type { RelayOptions } from '../config/relay-options.ts';
import type { Credentials } from '../credentials.ts';
import type { DataSink, DataSource } from '../data-source.ts';
import type { Environment } from '../environment.ts';
import type { EnvironmentSet } from '../environment-set.ts';
import { type ArchivedEnvironment, applyArchivedData, compareEnvironments } from './environment.ts';
import { watchArchive } from './watcher.ts';

export interface ArchiveSyncParts {
  readonly archive: NonNullable<RelayOptions['archive']>;
  readonly set: EnvironmentSet;
  readonly credentials: Credentials;
  /** Called for an environment that is no longer served. */
  readonly onRemove: (environment: Environment) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** Keeps the served environments equal to those of an offline archive. */
export class ArchiveSync {
  readonly #parts: ArchiveSyncParts;
  /** By name. */
  readonly #served = new Map<string, { readonly environment: Environment; archived: ArchivedEnvironment }>();
  #close: () => Promise<void> = async () => {};

  constructor(parts: ArchiveSyncParts) {
    this.#parts = parts;
  }

  /** Throws a CommandError if the archive cannot be read. */
  async start(): Promise<void> {
    const { archive, clock, log } = this.#parts;
    const { path, intervalMs, ...defaults } = archive;
    const onChange = (environments: readonly ArchivedEnvironment[]) => this.#update(environments);
    const opened = await watchArchive({ path, intervalMs, defaults, clock, log, onChange });
    if (!opened.ok) throw new CommandError(opened.reason, ExitCode.failed);
    this.#close = () => opened.value.close();
    this.#update(opened.value.environments);
  }

  archivedAs({ options }: Pick<Environment, 'options'>): ArchivedEnvironment | undefined {
    return this.#served.get(options.name)?.archived;
  }

  close(): Promise<void> {
    return this.#close();
  }

  #update(environments: readonly ArchivedEnvironment[]): void {
    const before = [...this.#served.values()].map(({ archived }) => archived);
    const { added, removed, changed } = compareEnvironments(before, environments);
    for (const archived of removed) this.#remove(archived);
    for (const { after, hasNewData } of changed) this.#change(after, hasNewData);
    for (const archived of added) this.#add(archived);
  }

  #add(archived: ArchivedEnvironment): void {
    const environment = this.#parts.set.add(archived.options, (sink) => this.#sourceOf(archived, sink));
    this.#served.set(archived.options.name, { environment, archived });
    this.#grant(archived, environment);
  }

  #change(archived: ArchivedEnvironment, hasNewData: boolean): void {
    const { credentials } = this.#parts;
    const served = this.#served.get(archived.options.name);
    if (!served) return;
    const { environment } = served;
    served.archived = archived;
    credentials.remove(environment);
    environment.reconfigure(archived.options);
    credentials.add(environment);
    this.#grant(archived, environment);
    const { filter } = archived.options;
    environment.streams.endUnless((sdkKind, key) => credentials.find(sdkKind, key, filter) === environment);
    if (hasNewData) this.#applyData(archived, environment);
  }

  #remove({ options }: ArchivedEnvironment): void {
    const served = this.#served.get(options.name);
    if (!served) return;
    this.#served.delete(options.name);
    this.#parts.onRemove(served.environment);
    void this.#parts.set.remove(served.environment);
  }

  #grant({ additionalKeys }: ArchivedEnvironment, environment: Environment): void {
    for (const { sdkKind, key } of additionalKeys) this.#parts.credentials.grant(sdkKind, key, environment);
  }

  #sourceOf(archived: ArchivedEnvironment, sink: DataSink): DataSource {
    return { start: () => this.#applyData(archived, sink), close: async () => {} };
  }

  #applyData(archived: ArchivedEnvironment, sink: DataSink): void {
    const { clock, log } = this.#parts;
    const applied = applyArchivedData(archived, sink, clock.now());
    if (applied.ok) return;
    sink.connection.failed({ kind: 'INVALID_DATA', time: clock.now() });
    log.error('the data of an environment of the archive cannot be read', {
      env: archived.options.name,
      error: applied.reason,
    });
  }
}
