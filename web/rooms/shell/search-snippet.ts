import type { WireHit } from '../../../src/rooms/contract/search.ts';

export interface SnippetPiece {
  readonly text: string;
  /** What was searched for. */
  readonly isHit: boolean;
}

/** Fences, emphasis, the rules and bars of tables: what Markdown is written with and nobody reads. */
const SIGNS = /```[\w-]*|\*\*|~~|`|\|(?:\s*:?-{2,}:?\s*\|)+|\|/g;

/** The words around what was found, as they are read. */
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
