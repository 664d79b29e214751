import type { FileHandle } from 'node:fs/promises';

const NEWLINE = 0x0a;

/** Splits bytes at line feeds only: texts may hold other line separators. */
export class LineSplitter {
  #rest: Buffer = Buffer.alloc(0);

  get restBytes(): number {
    return this.#rest.length;
  }

  /** The complete lines, with their line feeds. */
  push(chunk: Uint8Array): readonly Buffer[] {
    const lines: Buffer[] = [];
    let rest = this.#rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.#rest, chunk]);
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      lines.push(rest.subarray(0, end + 1));
      rest = rest.subarray(end + 1);
    }
    this.#rest = rest;
    return lines;
  }
}

/** The lines of a file, with their line feeds; it stays open. */
export async function* linesOf(file: FileHandle): AsyncGenerator<Buffer> {
  const lines = new LineSplitter();
  const stream = file.createReadStream({ start: 0, autoClose: false });
  for await (const chunk of stream) yield* lines.push(chunk as Buffer);
}
