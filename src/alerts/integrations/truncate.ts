import type { Log, LogFields } from '../../kernel/log.ts';
import { cutBeforeNote } from './template/note.ts';

/** Cuts a text to at most this many characters (code points), with an ellipsis at the end. */
export function truncateRunes(text: string, most: number): string {
  if (text.length <= most) return text;
  const runes = [...text];
  if (runes.length <= most) return text;
  return most <= 3 ? runes.slice(0, most).join('') : `${runes.slice(0, most - 1).join('')}…`;
}

/** Cuts a text to at most this many bytes of UTF-8, including an ellipsis of three bytes. */
export function truncateBytes(text: string, most: number): string {
  if (Buffer.byteLength(text) <= most) return text;
  if (most < 3) return '.'.repeat(most);
  const bytes = Buffer.from(text);
  let end = most - 3;
  // Not in the middle of a character.
  while (end > 0 && ((bytes[end] as number) & 0xc0) === 0x80) end--;
  return `${bytes.toString('utf8', 0, end)}…`;
}

/** Cuts the text of a field, which `what` names, to at most this many characters, except the note that ends it. */
export type Shorten = (text: string, most: number, what: string) => string;

/** Logs what it cuts, in Alertmanager's words, with these fields. */
export function shortener(log: Pick<Log, 'warn'>, fields: LogFields): Shorten {
  return (text, most, what) => {
    if (text.length <= most) return text;
    const cut = cutBeforeNote(text, most, countRunes, truncateRunes);
    if (cut !== text) log.warn(`Truncated ${what}`, { ...fields, max_runes: most });
    return cut;
  };
}

const countRunes = (text: string): number => [...text].length;
