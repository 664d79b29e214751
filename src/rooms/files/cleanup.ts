import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import type { JobLease, Jobs } from '../nodes/jobs.ts';
import type { FileStore } from './file-store.ts';

const EVERY_MS = 3_600_000;
/** How long an upload is kept without a message. */
const ORPHAN_AGE_MS = 24 * 3_600_000;

export interface FileCleanupParts {
  readonly files: Pick<FileStore, 'removeOrphans' | 'sweep'>;
  readonly jobs: Pick<Jobs, 'hold'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Removes files without a message, and bytes without a file, every hour. */
export class FileCleanup {
  readonly #parts: FileCleanupParts;
  readonly #cancel: CancelTimer;
  #running: Promise<void> = Promise.resolve();

  constructor(parts: FileCleanupParts) {
    this.#parts = parts;
    this.#cancel = parts.clock.every(EVERY_MS, () => {
      this.#running = this.#clean();
    });
  }

  async close(): Promise<void> {
    this.#cancel();
    await this.#running;
  }

  async #clean(): Promise<void> {
    const { files, clock, log, jobs } = this.#parts;
    let lease: JobLease | undefined;
    try {
      lease = await jobs.hold('file-cleanup');
      if (!lease) return;
      const before = clock.now() - ORPHAN_AGE_MS;
      const removed = await files.removeOrphans(before);
      if (removed > 0) log.info('removed files that no message holds', { files: removed });
      await files.sweep(before);
    } catch (error) {
      log.error('files that no message holds could not be removed', { err: messageOf(error) });
    } finally {
      await lease?.release();
    }
  }
}
