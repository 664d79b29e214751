import { CARD_WORDS, COMMANDS, REFUSALS } from './server-german.ts';
import { language } from './text.ts';

const germanOf = <Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  language === 'de' && Object.hasOwn(table, name) ? table[name] : undefined;

/** The reason of a refusal; a precise one of the server stays. */
export const refusalWords = (code: string, reason: string): string => germanOf(REFUSALS, code) ?? reason;

export const commandHint = (name: string, hint: string): string => germanOf(COMMANDS, name)?.[1] ?? hint;

export const cardWords = (words: string): string => germanOf(CARD_WORDS, words) ?? words;

/** A notice of the server, in which the lines of commands are translated. */
export function noticeWords(text: string): string {
  if (language !== 'de') return text;
  return text
    .split('\n')
    .map((line) => germanOf(COMMANDS, /^\/(\w+)(?=.* (?:—|--) )/.exec(line)?.[1] ?? '')?.[0] ?? line)
    .join('\n');
}
