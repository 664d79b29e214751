import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { CancelTimer, Clock } from '../kernel/clock.ts';
import { messageOf, systemCodeOf } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import { accepted, type Outcome, refused } from '../kernel/outcome.ts';
import { readPrivateFile, statFolder } from '../kernel/storage/private-file.ts';
import type { EnvironmentOptions } from './config/relay-options.ts';
import type { DataSink, DataSource } from './data-source.ts';
import { readFlagData } from './flag-store.ts';
import { whenUpstreamFails } from './restoring.ts';

export interface RecordingParts {
  /** Created if missing. */
  readonly folder: string;
  readonly environment: Pick<EnvironmentOptions, 'sdkKey' | 'filter'>;
  readonly clock: Clock;
  /** The log of the environment: its lines name it. */
  readonly log: Log;
}

/** Changes within this time are written together. */
const WRITE_AFTER_MS = 2000;
/** For example for a full disk. */
const RETRY_AFTER_MS = 60_000;
/** Age at which temporary files of other processes are removed. */
const ABANDONED_MS = 60 * 60_000;

/**
 * Saves the latest data of a source on disk, as `{"flags":{…},"segments":{…}}`, and serves it after a start while the source
 * cannot deliver, unless its key is refused. Does not affect the connection status, which is that of the source.
 */
export function recordSource(source: DataSource, sink: DataSink, parts: RecordingParts): DataSource {
  return new RecordedSource(source, sink, parts);
}

/** The file of an environment and its payload filter; its name contains a hash of the key. */
export function recordingFile({ folder, environment: { sdkKey, filter = '' } }: RecordingParts): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([sdkKey, filter]))
    .digest('hex');
  return join(folder, `${hash.slice(0, 32)}.json`);
}

class RecordedSource implements DataSource {
  readonly #source: DataSource;
  readonly #sink: DataSink;
  readonly #parts: RecordingParts;
  readonly #file: string;
  #unsubscribe: () => void = () => {};
  #stopWaiting: () => void = () => {};
  #isStarted = false;
  #isRestoring = false;
  /** Whether the store has unsaved changes. */
  #isChanged = false;
  #cancelTimer: CancelTimer | undefined;
  #restoring: Promise<void> | undefined;
  #writing: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #lastFailure: string | undefined;

  constructor(source: DataSource, sink: DataSink, parts: RecordingParts) {
    this.#source = source;
    this.#sink = sink;
    this.#parts = parts;
    this.#file = recordingFile(parts);
  }

  start(): void {
    if (this.#isStarted || this.#closing) return;
    this.#isStarted = true;
    const changed = () => this.#change();
    this.#unsubscribe = this.#sink.store.subscribe({ replaced: changed, changed, removed: changed });
    this.#stopWaiting = whenUpstreamFails(this.#sink.connection, this.#parts.clock, () => {
      this.#restoring = this.#restore();
    });
    this.#source.start();
  }

  use(environment: EnvironmentOptions): void {
    this.#source.use(environment);
  }

  refresh(): void {
    this.#source.refresh?.();
  }

  /** Closes the source and saves pending changes. */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    await this.#source.close();
    this.#unsubscribe();
    this.#stopWaiting();
    this.#cancelTimer?.();
    await Promise.all([this.#restoring, this.#writing]);
    if (this.#isChanged) await this.#write();
  }

  async #restore(): Promise<void> {
    const { log } = this.#parts;
    const { store } = this.#sink;
    const read = store.isInitialised ? undefined : await readRecording(this.#file);
    if (!read || this.#closing || store.isInitialised) return;
    this.#isRestoring = true;
    const restored = read.ok ? store.replace(read.value.data) : read;
    this.#isRestoring = false;
    if (!restored.ok) {
      log.warn('the recorded data cannot be served', {
        file: this.#file,
        error: restored.reason,
      });
    } else if (read.ok) {
      const recordedAt = new Date(read.value.recordedAt).toISOString();
      log.info('serving recorded data until upstream delivers', { recordedAt });
    }
  }

  #change(): void {
    // A patch before the first put is not a complete set of data.
    if (this.#isRestoring || !this.#sink.store.isInitialised) return;
    this.#isChanged = true;
    this.#writeAfter(WRITE_AFTER_MS);
  }

  #writeAfter(ms: number): void {
    if (this.#closing || this.#writing) return;
    this.#cancelTimer ??= this.#parts.clock.after(ms, () => {
      this.#cancelTimer = undefined;
      this.#writing = this.#write().finally(() => {
        this.#writing = undefined;
        if (this.#isChanged) this.#writeAfter(this.#lastFailure === undefined ? WRITE_AFTER_MS : RETRY_AFTER_MS);
      });
    });
  }

  async #write(): Promise<void> {
    const { store } = this.#sink;
    const { log, folder, clock } = this.#parts;
    this.#isChanged = false;
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      statFolder(folder);
      await removeAbandoned(this.#file, clock.now());
      await writeAtomically(this.#file, `{"flags":${store.text('flags')},"segments":${store.text('segments')}}\n`);
      this.#lastFailure = undefined;
    } catch (error) {
      this.#isChanged = true;
      const failure = systemCodeOf(error) ?? messageOf(error);
      const level = failure === this.#lastFailure ? 'debug' : 'error';
      log[level]('the data cannot be recorded', {
        folder,
        error: failure,
      });
      this.#lastFailure = failure;
    }
  }
}

interface Recording {
  readonly data: Parameters<DataSink['store']['replace']>[0];
  /** Epoch milliseconds. */
  readonly recordedAt: number;
}

/** Undefined if there is none. */
async function readRecording(file: string): Promise<Outcome<Recording> | undefined> {
  try {
    statFolder(join(file, '..'));
    const { mtimeMs } = await stat(file);
    const data = readFlagData(JSON.parse(readPrivateFile(file).toString()));
    return data.ok ? accepted({ data: data.value, recordedAt: mtimeMs }) : data;
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    return refused(error instanceof SyntaxError ? 'it is not JSON' : messageOf(error));
  }
}

const TEMPORARY = '.tmp';

/** A crash leaves either the old or the new file. */
async function writeAtomically(file: string, text: string): Promise<void> {
  const temporary = `${file}.${randomUUID()}${TEMPORARY}`;
  try {
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  const folder = await open(join(file, '..'));
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Removes temporary files of killed processes; those of a running relay are younger. */
async function removeAbandoned(file: string, now: number): Promise<void> {
  const folder = join(file, '..');
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (!path.startsWith(`${file}.`) || !path.endsWith(TEMPORARY)) continue;
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: now }));
    if (now - mtimeMs >= ABANDONED_MS) await rm(path, { force: true });
  }
}
