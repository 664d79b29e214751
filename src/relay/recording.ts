import type { Clock } from '../kernel/clock.ts';
import { messageOf } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import type { EnvironmentOptions } from './config/relay-options.ts';
import type { DataSink, DataSource } from './data-source.ts';
import { readFlagData } from './flag-store.ts';
import { type Recording, RecordingFile } from './recording-file.ts';
import { whenUpstreamFails } from './restoring.ts';

export interface RecordingParts {
  /** Created if missing. */
  readonly folder: string;
  readonly environment: RecordedEnvironment;
  /** What identifies the environment in the next process; by default its SDK key. */
  readonly identity?: 'sdkKey' | 'envId';
  readonly clock: Clock;
  /** The log of the environment: its lines name it. */
  readonly log: Log;
}

type RecordedEnvironment = Pick<EnvironmentOptions, 'sdkKey' | 'envId' | 'filter'>;

/**
 * Saves the latest data of a source on disk, as `{"flags":{…},"segments":{…}}`, and serves it after a start while the source
 * cannot deliver, unless its key is refused. Does not affect the connection status, which is that of the source.
 */
export function recordSource(source: DataSource, sink: DataSink, parts: RecordingParts): DataSource {
  return new RecordedSource(source, sink, parts);
}

/** The file of an environment and its payload filter; its name is a hash. */
export function recordingFile({ environment, identity = 'sdkKey', ...parts }: RecordingParts): RecordingFile {
  return new RecordingFile([environment[identity] ?? '', environment.filter ?? ''], parts);
}

class RecordedSource implements DataSource {
  readonly #source: DataSource;
  readonly #sink: DataSink;
  readonly #parts: RecordingParts;
  #file: RecordingFile;
  #unsubscribe: () => void = () => {};
  #stopWaiting: () => void = () => {};
  #isStarted = false;
  #isRestoring = false;
  #restoring: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

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
    const file = recordingFile({ ...this.#parts, environment });
    if (file.path !== this.#file.path) {
      void this.#file.close();
      this.#file = file;
      this.#change();
    }
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
    await Promise.all([this.#restoring, this.#file.close()]);
  }

  async #restore(): Promise<void> {
    const { log } = this.#parts;
    const { store } = this.#sink;
    if (store.isInitialised) return;
    try {
      const recording = await this.#file.read();
      if (recording && !this.#closing && !store.isInitialised) this.#serve(recording);
    } catch (error) {
      log.warn('the recorded data cannot be served', { file: this.#file.path, error: messageOf(error) });
    }
  }

  /** Throws if the data is broken. */
  #serve({ json, recordedAt }: Recording): void {
    const data = readFlagData(json);
    if (!data.ok) throw new Error(data.reason);
    this.#isRestoring = true;
    const restored = this.#sink.store.replace(data.value);
    this.#isRestoring = false;
    if (!restored.ok) throw new Error(restored.reason);
    const at = new Date(recordedAt).toISOString();
    this.#parts.log.info('serving recorded data until upstream delivers', { recordedAt: at });
  }

  #change(): void {
    // A patch before the first put is not a complete set of data.
    const { store } = this.#sink;
    if (this.#isRestoring || !store.isInitialised) return;
    this.#file.write(() => `{"flags":${store.text('flags')},"segments":${store.text('segments')}}\n`);
  }
}
