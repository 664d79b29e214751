import type { WireHit } from '../../../src/rooms/contract/search.ts';

export interface SnippetPiece {
  readonly text: string;
  /** Whether it matches the search. */
  readonly isHit: boolean;
}

/** Markdown's fences, emphasis, table rules and bars. */
const SIGNS = /```[\w-]*|\*\*|~~|`|\|(?:\s*:?-{2,}:?\s*\|)+|\|/g;

/** A snippet without Markdown, split at its matches. */
export function readSnippet({ snippet, offsets }: Pick<WireHit, 'snippet' | 'offsets'>): readonly SnippetPiece[] {
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
