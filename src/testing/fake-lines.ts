import type { Lines } from '../kernel/line-file.ts';

/** Lines in memory: what they would be on a disk. */
export class FakeLines implements Lines {
  /** Each with its line feed. */
  all: readonly string[] = [];
  /** While set, nothing can be read or written. */
  failure: Error | undefined;

  get size(): number {
    return this.all.join('').length;
  }

  read(): readonly string[] {
    this.#check();
    return this.all.map((line) => line.trimEnd());
  }

  append(line: string): void {
    this.#check();
    this.all = [...this.all, line];
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
