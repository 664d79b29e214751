import type { WireHit } from '../../../src/rooms/contract/search.ts';

export interface SnippetPiece {
  readonly text: string;
  /** Whether it matches the search. */
  readonly isHit: boolean;
}

const MAX_LENGTH = 200;
/** Characters shown before the first match. */
const LEAD = 60;
/** Markdown's fences, emphasis, table rules and bars. */
const SIGNS = /```[\w-]*|\*\*|~~|`|\|(?:\s*:?-{2,}:?\s*\|)+|\|/g;

type Found = Pick<WireHit, 'snippet' | 'offsets'>;

/**
 * The part of a message with the matches of a search, split at them. `text`: the message as a reader sees it. Matches
 * outside of it, such as in the address of a link, are shown in the snippet of the server.
 */
export function readSnippet(found: Found, text: string): readonly SnippetPiece[] {
  const words = [...new Set(found.offsets.map(([start, end]) => found.snippet.slice(start, end)))];
  if (words.length === 0) return [{ text: cut(text, 0), isHit: false }];
  const matches = new RegExp(
    words
      .sort((a, b) => b.length - a.length)
      .map(escapeWord)
      .join('|'),
    'giu',
  );
  const first = text.search(matches);
  if (first === -1) return readMarkdown(found);
  return split(cut(text, first), matches);
}

const escapeWord = (word: string): string => `(?<![\\p{L}\\p{N}])${word.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')}`;

/** A part of a text that begins with a word. */
function cut(text: string, first: number): string {
  const from = first <= LEAD || text.length <= MAX_LENGTH ? 0 : text.indexOf(' ', first - LEAD) + 1 || first;
  const start = Math.min(from, first);
  const part = text.slice(start, start + MAX_LENGTH).toWellFormed();
  return `${start > 0 ? '\u2026' : ''}${part}${start + MAX_LENGTH < text.length ? '\u2026' : ''}`;
}

function split(text: string, matches: RegExp): readonly SnippetPiece[] {
  const pieces: SnippetPiece[] = [];
  let from = 0;
  for (const { 0: match, index } of text.matchAll(matches)) {
    if (index > from) pieces.push({ text: text.slice(from, index), isHit: false });
    pieces.push({ text: match, isHit: true });
    from = index + match.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), isHit: false });
  return pieces;
}

/** A snippet without Markdown's signs, split at its matches. */
function readMarkdown({ snippet, offsets }: Found): readonly SnippetPiece[] {
  const pieces: SnippetPiece[] = [];
  const add = (from: number, to: number, isHit: boolean) => {
    const text = snippet.slice(from, to).replace(SIGNS, ' ').replace(/\s+/g, ' ');
    if (text !== '') pieces.push({ text, isHit });
  };
  let from = 0;
  for (const [start, end] of offsets) {
    add(from, start, false);
    add(start, end, true);
    from = end;
  }
  add(from, snippet.length, false);
  return pieces;
}
