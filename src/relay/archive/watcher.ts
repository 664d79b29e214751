import { stat } from 'node:fs/promises';
import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import { messageOf, systemCodeOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { accepted, type Outcome, refused } from '../../kernel/outcome.ts';
import type { ListDefaults } from '../environment-list/representation.ts';
import { type ArchivedEnvironment, readArchivedEnvironment } from './environment.ts';
import { type EnvironmentFiles, readArchiveFiles } from './files.ts';

export interface ArchiveOptions {
  readonly path: string;
  /** Interval of the checks for a changed file. */
  readonly intervalMs: number;
  readonly clock: Clock;
  readonly log: Log;
  /** Called with all environments after a change; not for the initial ones. */
  readonly onChange: (environments: readonly ArchivedEnvironment[]) => void;
  readonly defaults?: ListDefaults;
}

/**
 * Reads an offline archive and watches it. Refused only if the first read fails: later a broken or half-copied file changes
 * nothing and is read again at each interval.
 */
export async function watchArchive(options: ArchiveOptions): Promise<Outcome<ArchiveWatcher>> {
  const watcher = new ArchiveWatcher(options);
  const started = await watcher.start();
  return started.ok ? accepted(watcher) : refused(`the archive ${options.path} cannot be used: ${started.reason}`);
}

/** Reads an archive again whenever its file changes. */
export class ArchiveWatcher {
  readonly #options: ArchiveOptions;
  #environments: readonly ArchivedEnvironment[] = [];
  /** Of the last file that was read successfully. */
  #signature = '';
  #checking: Promise<void> | undefined;
  #isClosed = false;
  #stopWatching: CancelTimer = () => {};
  #lastFailure: string | undefined;

  constructor(options: ArchiveOptions) {
    this.#options = options;
  }

  get environments(): readonly ArchivedEnvironment[] {
    return this.#environments;
  }

  async start(): Promise<Outcome<void>> {
    const { clock, intervalMs } = this.#options;
    const loaded = await this.#load();
    if (!loaded.ok) return loaded;
    this.#take(loaded.value ?? []);
    this.#stopWatching = clock.every(intervalMs, () => this.refresh());
    return accepted(undefined);
  }

  /** Reads the file if it has changed. */
  refresh(): void {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined;
    });
  }

  /** Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopWatching();
    await this.#checking;
  }

  async #check(): Promise<void> {
    const { log, path } = this.#options;
    const loaded = await this.#load();
    if (this.#isClosed) return;
    if (!loaded.ok) {
      log[loaded.reason === this.#lastFailure ? 'debug' : 'warn'](
        'the archive cannot be read; the last version stays in use',
        {
          path,
          error: loaded.reason,
        },
      );
      this.#lastFailure = loaded.reason;
      return;
    }
    this.#lastFailure = undefined;
    if (loaded.value === undefined) return;
    const before = this.#environments;
    this.#take(loaded.value);
    log.info('the archive has been read again', { path, environments: this.#environments.length });
    if (
      this.#environments.some((environment, index) => environment !== before[index]) ||
      before.length > this.#environments.length
    ) {
      this.#options.onChange(this.#environments);
    }
  }

  /** The files of the archive; undefined if it has not changed. */
  async #load(): Promise<Outcome<readonly EnvironmentFiles[] | undefined>> {
    const { path } = this.#options;
    try {
      // Taken before the read, so that the next check finds writes during the read.
      const { mtimeMs, size, ino } = await stat(path);
      const signature = `${mtimeMs} ${size} ${ino}`;
      if (signature === this.#signature) return accepted(undefined);
      const files = await readArchiveFiles(path);
      if (files.ok) this.#signature = signature;
      return files;
    } catch (error) {
      return refused(systemCodeOf(error) ?? messageOf(error));
    }
  }

  #take(files: readonly EnvironmentFiles[]): void {
    const { log, defaults, path } = this.#options;
    const known = new Map(this.#environments.map((environment) => [environment.options.name, environment]));
    const environments = new Map<string, ArchivedEnvironment>();
    for (const file of files) {
      const read = readArchivedEnvironment(file, defaults);
      if (!read.ok)
        log.error('an environment of the archive cannot be read; its last version stays in use', {
          path,
          error: read.reason,
        });
      const name = read.ok ? read.value.options.name : file.id;
      const before = known.get(name);
      const after = read.ok ? read.value : before;
      if (after) environments.set(name, before && isSame(before, after) ? before : after);
    }
    if (environments.size === 0) log.warn('the archive has no environments', { path });
    this.#environments = [...environments.values()].sort((a, b) => (a.options.name < b.options.name ? -1 : 1));
  }
}

function isSame(a: ArchivedEnvironment, b: ArchivedEnvironment): boolean {
  return a.version === b.version && a.dataId === b.dataId;
}
