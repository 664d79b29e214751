import { sizeText } from '../output.ts';

/** The part of a long text's end that its message shows, in UTF-16 units. */
const SHOWN = 2_000;
const MAX_LINES = 30;

/** A code block, with a fence longer than any in the text. */
export function fenceText(text: string, language: string): string {
  const longest = (text.match(/^ {0,3}`{3,}/gm) ?? []).reduce((most, run) => Math.max(most, run.trim().length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}`;
}

/** The message of a text attached as a file of `size` bytes: its length and its end. */
export function shortenText(text: string, size: number, language: string, maxBytes: number): string {
  const lines = text.trimEnd().split('\n');
  const head = `${lines.length} lines, ${sizeText(size)}; the end:`;
  const end = lines.slice(-MAX_LINES).join('\n').slice(-SHOWN);
  // A surrogate pair may be split.
  const whole = /^[\udc00-\udfff]/.test(end) ? end.slice(1) : end;
  const body = `${head}\n${fenceText(whole, language)}`;
  return Buffer.byteLength(body) <= maxBytes ? body : head.replace('; the end:', '');
}
