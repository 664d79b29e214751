import { safeLines } from '../output.ts';

/** Prints a growing text, each part once; a text that differs from what is printed follows on a new line. */
export class AnswerPrinter {
  readonly #out: (text: string) => void;
  #text = '';
  #printed = '';

  constructor(out: (text: string) => void) {
    this.#out = out;
  }

  /** `text` begins at `offset` of the whole; a part before it may be missing. */
  add(offset: number, text: string): void {
    if (offset <= this.#text.length && offset + text.length > this.#text.length)
      this.replace(this.#text.slice(0, offset) + text);
  }

  /** Takes the whole text so far. It begins anew when the run is started again, and often in the same words. */
  replace(text: string): void {
    this.#text = text;
    if (this.#printed.startsWith(text)) return;
    const isLonger = text.startsWith(this.#printed);
    this.#print(isLonger ? text.slice(this.#printed.length) : `\n${text}`);
    this.#printed = text;
  }

  finish(whole: string | undefined): void {
    if (whole !== undefined) this.replace(whole);
    this.#out('\n');
  }

  #print(text: string): void {
    this.#out(safeLines(text).join('\n'));
  }
}
