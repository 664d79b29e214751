import type { Clock } from '../../kernel/clock.ts';
import { CommandError, ExitCode } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import type { RelayOptions } from '../config/relay-options.ts';
import type { DataSink, DataSource } from '../data-source.ts';
import type { EnvironmentList } from '../environment-list/list.ts';
import type { OpenSource } from '../environment-set.ts';
import { type ArchivedEnvironment, applyArchivedData } from './environment.ts';
import { watchArchive } from './watcher.ts';

export interface ArchiveSyncParts {
  readonly archive: NonNullable<RelayOptions['archive']>;
  readonly list: Pick<EnvironmentList, 'update'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Fills the list of environments from an offline archive, and keeps their data up to date. */
export class ArchiveSync {
  readonly #parts: ArchiveSyncParts;
  /** By name. */
  #archived: ReadonlyMap<string, ArchivedEnvironment> = new Map();
  readonly #sources = new Map<string, ArchivedSource>();
  #close: () => Promise<void> = async () => {};
  #refresh: () => void = () => {};

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
    this.#refresh = () => opened.value.refresh();
    this.#update(opened.value.environments);
  }

  /** The source of an environment of the archive. */
  readonly openSource: OpenSource = (sink, { name }, log) => {
    const read = () => this.#archived.get(name);
    const source = new ArchivedSource(sink, { read, clock: this.#parts.clock, log });
    this.#sources.set(name, source);
    return source;
  };

  /** Reads the archive at once if it has changed. */
  refresh(): void {
    this.#refresh();
  }

  close(): Promise<void> {
    return this.#close();
  }

  #update(environments: readonly ArchivedEnvironment[]): void {
    this.#archived = new Map(environments.map((environment) => [environment.options.name, environment]));
    this.#parts.list.update(environments.map(({ options }) => options));
    for (const [name, source] of this.#sources) {
      if (this.#archived.has(name)) source.refresh();
      else this.#sources.delete(name);
    }
  }
}

interface ArchivedSourceParts {
  readonly read: () => ArchivedEnvironment | undefined;
  readonly clock: Clock;
  /** The log of the environment. */
  readonly log: Log;
}

class ArchivedSource implements DataSource {
  readonly #sink: DataSink;
  readonly #parts: ArchivedSourceParts;
  /** Of the data in the store. */
  #dataId: string | undefined;

  constructor(sink: DataSink, parts: ArchivedSourceParts) {
    this.#sink = sink;
    this.#parts = parts;
  }

  start(): void {
    this.refresh();
  }

  use(): void {}

  async close(): Promise<void> {}

  /** Applies the data if it has changed. */
  refresh(): void {
    const { read, clock, log } = this.#parts;
    const archived = read();
    if (!archived || archived.dataId === this.#dataId) return;
    this.#dataId = archived.dataId;
    const applied = applyArchivedData(archived, this.#sink, clock.now());
    if (applied.ok) return;
    this.#sink.connection.failed({ kind: 'INVALID_DATA', time: clock.now() });
    log.error('the data of an environment of the archive cannot be read', { error: applied.reason });
  }
}
