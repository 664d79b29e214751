import { serverGerman } from './text.ts';

const find = <Value>(table: Readonly<Record<string, Value>> | undefined, name: string): Value | undefined =>
  table && Object.hasOwn(table, name) ? table[name] : undefined;

/** The reason of a refusal; one without German stays. */
export const refusalWords = (code: string, reason: string): string =>
  serverGerman()?.germanRefusal(code, reason) ?? reason;

export const commandHint = (name: string, hint: string): string => find(serverGerman()?.COMMANDS, name)?.[1] ?? hint;

export const cardWords = (words: string): string => find(serverGerman()?.CARD_WORDS, words) ?? words;

/** A notice of the server, in which the lines of commands are translated. */
export const noticeWords = (text: string): string =>
  text
    .split('\n')
    .map((line) => find(serverGerman()?.COMMANDS, /^\/(\w+)(?=.* (?:—|--) )/.exec(line)?.[1] ?? '')?.[0] ?? line)
    .join('\n');
