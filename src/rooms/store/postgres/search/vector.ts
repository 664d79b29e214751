import type { NewMessage } from '../../../domain/message/message.ts';
import { tokensOf } from '../../words.ts';

/** Begins the words of a message's properties; no word of a text begins with it. */
const MARK = '\uE000';
export const FILE_WORD = `${MARK}file`;
export const LINK_WORD = `${MARK}link`;
/** Not all words or positions of the text are in the vector: a match has to be looked at again. */
export const PARTIAL_WORD = `${MARK}partial`;

/** The longest word of a tsvector is 2,046 bytes; a UTF-16 unit takes at most three. */
const MAX_WORD = 600;
/** Later positions are all the same to PostgreSQL, and it keeps 255 of a word. */
const MAX_POSITION = 16_383;
const MAX_POSITIONS = 255;

/** The words of a message with their positions, as a tsvector. */
export function searchVector({ body, attachments }: NewMessage): string {
  const positions = new Map<string, number[]>();
  const tokens = tokensOf(body);
  let isPartial = tokens.length > MAX_POSITION;
  for (const [index, { word }] of tokens.entries()) {
    const cut = cutWord(word);
    const found = positions.get(cut) ?? [];
    isPartial ||= cut !== word || found.length === MAX_POSITIONS;
    if (found.length < MAX_POSITIONS) found.push(Math.min(index + 1, MAX_POSITION));
    positions.set(cut, found);
  }
  const words = [...positions].map(([word, at]) => `${quoteWord(word)}:${at.join()}`);
  if (attachments.length > 0) words.push(FILE_WORD);
  if (/https?:\/\//i.test(body)) words.push(LINK_WORD);
  if (isPartial) words.push(PARTIAL_WORD);
  return words.join(' ');
}

export const cutWord = (word: string): string => word.slice(0, MAX_WORD).toWellFormed();

/** A word of a tsvector or tsquery; words hold neither quotes nor backslashes. */
export const quoteWord = (word: string): string => `'${word}'`;
