import type { Lines } from '../kernel/line-file.ts';

/** Lines in memory: what they would be on a disk. */
export class FakeLines implements Lines {
  /** While set, nothing can be read or written. */
  failure: Error | undefined;
  #all: string[] = [];
  #size = 0;

  /** Each with its line feed. */
  get all(): readonly string[] {
    return this.#all;
  }

  set all(lines: readonly string[]) {
    this.#all = [...lines];
    this.#size = lines.reduce((sum, { length }) => sum + length, 0);
  }

  get size(): number {
    return this.#size;
  }

  read(): readonly string[] {
    this.#check();
    return this.all.map((line) => line.trimEnd());
  }

  append(line: string): void {
    this.#check();
    this.#all.push(line);
    this.#size += line.length;
  }

  replace(lines: readonly string[]): void {
    this.#check();
    this.all = lines;
  }

  remove(): void {
    this.all = [];
  }

  close(): void {}

  #check(): void {
    if (this.failure) throw this.failure;
  }
}
