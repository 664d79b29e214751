import { closeSync, constants, fstatSync, renameSync, rmSync, writeSync } from 'node:fs';
import { systemCodeOf } from './errors.ts';
import { openPrivateFile, readPrivateFile, writePrivateFile } from './private-file.ts';

const { O_APPEND, O_CREAT, O_WRONLY } = constants;

/** Lines of text that outlive the process one by one. */
export interface Lines {
  /** In bytes. */
  readonly size: number;
  /** All whole lines, without their line feeds; none where there is no file. Throws when it cannot be read. */
  read(): readonly string[];
  /** Adds a line, which must end in a line feed; throws when it cannot be written. */
  append(line: string): void;
  /** Puts these, each with its line feed, in the place of all; throws when they cannot be written, and changes nothing then. */
  replace(lines: readonly string[]): void;
  /** Takes all away; throws when that is impossible. */
  remove(): void;
  close(): void;
}

/**
 * A file that grows by a line at a time. The operating system has a line when `append` returns: it is there after the
 * death of the process, and perhaps not after a loss of power. It costs some microseconds.
 */
export class LineFile implements Lines {
  readonly #path: string;
  #descriptor: number | undefined;
  #size = 0;

  constructor(path: string) {
    this.#path = path;
  }

  get size(): number {
    return this.#size;
  }

  read(): readonly string[] {
    try {
      const text = readPrivateFile(this.#path).toString('latin1');
      this.#size = text.length;
      // What follows the last line feed was cut short.
      return text.split('\n').slice(0, -1);
    } catch (error) {
      if (systemCodeOf(error) === 'ENOENT') return [];
      throw error;
    }
  }

  append(line: string): void {
    this.#descriptor ??= this.#open();
    const written = writeSync(this.#descriptor, line, null, 'latin1');
    this.#size += written;
    if (written < line.length) throw new Error('the disk is full');
  }

  replace(lines: readonly string[]): void {
    const fresh = `${this.#path}.new`;
    writePrivateFile(fresh, lines.join(''));
    renameSync(fresh, this.#path);
    this.close();
    // The next line must not wait for it.
    this.#descriptor = this.#open();
  }

  remove(): void {
    this.close();
    rmSync(this.#path, { force: true });
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #open(): number {
    const descriptor = openPrivateFile(this.#path, O_WRONLY | O_APPEND | O_CREAT);
    this.#size = fstatSync(descriptor).size;
    return descriptor;
  }
}
