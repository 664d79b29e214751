import type { SearchQuery, SearchTerm } from '../../store.ts';
import { tokensOf } from '../../words.ts';
import { cutWord, FILE_WORD, LINK_WORD, PARTIAL_WORD, quoteWord } from './vector.ts';

/** The terms of a search as a tsquery, or undefined if it asks for no words. */
export function searchExpression({ terms, has }: Pick<SearchQuery, 'terms' | 'has'>): string | undefined {
  const parts = terms.flatMap((term) => termExpression(term) ?? []);
  if (has) parts.push(quoteWord(has === 'file' ? FILE_WORD : LINK_WORD));
  return parts.length === 0 ? undefined : parts.join(' & ');
}

function termExpression({ words, prefix, not }: SearchTerm): string | undefined {
  const wanted = tokensOf(words.join(' ')).map(({ word }) => quoteWord(cutWord(word)));
  const last = wanted.pop();
  if (last === undefined) return undefined;
  const all = [...wanted, prefix ? `${last}:*` : last];
  const phrase = `(${all.join(' <-> ')})`;
  if (not) return `!${phrase}`;
  // Of a partial vector only the words are certain, not their order.
  return all.length === 1 ? phrase : `(${phrase} | ${quoteWord(PARTIAL_WORD)} & ${all.join(' & ')})`;
}
