import { languageOf, type PieceKind } from './languages.ts';

export interface CodePiece {
  readonly text: string;
  /** `undefined`: plain. */
  readonly kind: PieceKind | undefined;
}

/** Each piece is a node of the page; code after this number stays plain. */
const MAX_PIECES = 3000;

/** Code in pieces that join to the same text; in linear time. */
export function highlight(code: string, languageName: string): readonly CodePiece[] {
  const language = languageOf(languageName);
  if (!language) return [{ text: code, kind: undefined }];
  const { pieces: search, keywords, ignoresCase } = language;
  const isKeyword = (word: string) => keywords.has(ignoresCase ? word.toLowerCase() : word);
  const pieces: CodePiece[] = [];
  let from = 0;
  for (const { 0: text, index, groups = {} } of code.matchAll(search)) {
    const group = Object.keys(groups).find((name) => groups[name] !== undefined);
    if (text === '' || (group === 'word' && !isKeyword(text))) continue;
    if (index > from) pieces.push({ text: code.slice(from, index), kind: undefined });
    pieces.push({ text, kind: group === 'word' ? 'keyword' : (group as PieceKind) });
    from = index + text.length;
    if (pieces.length >= MAX_PIECES) break;
  }
  if (from < code.length) pieces.push({ text: code.slice(from), kind: undefined });
  return pieces;
}
