import type { CommandCard } from '../../../src/rooms/domain/card/command-card.ts';
import { loadRefusals, serverGerman } from './text.ts';

const find = <Value>(table: Readonly<Record<string, Value>> | undefined, name: string): Value | undefined =>
  table && Object.hasOwn(table, name) ? table[name] : undefined;

/** The reason of a refusal; one without German stays. */
export async function refusalWords(code: string, reason: string): Promise<string> {
  const refusals = await loadRefusals();
  return refusals?.germanRefusal(code, reason, serverGerman()?.COMMANDS) ?? reason;
}

export const commandHint = (name: string, hint: string): string => find(serverGerman()?.COMMANDS, name)?.[1] ?? hint;

export const cardWords = (words: string): string => find(serverGerman()?.CARD_WORDS, words) ?? words;

/** What a command has answered, with the server's own words translated; the words of people stay. */
export const resultWords = ({ title, command }: Pick<CommandCard, 'title' | 'command'>, body: string): string =>
  eachLine(body, (line) => serverGerman()?.germanResult(title ?? command, line));

/** A notice of the server, in which also the lines of commands are translated. */
export const noticeWords = (text: string): string =>
  eachLine(
    text,
    (line) =>
      find(serverGerman()?.COMMANDS, /^\/(\w+)(?=.* (?:—|--) )/.exec(line)?.[1] ?? '')?.[0] ??
      serverGerman()?.germanResult('notice', line),
  );

const eachLine = (text: string, translate: (line: string) => string | undefined): string =>
  text
    .split('\n')
    .map((line) => translate(line) ?? line)
    .join('\n');
