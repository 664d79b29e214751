// Words as a search compares them: their boundaries and their folding, for indexes and snippets.

/**
 * Scripts written without spaces between words: each letter counts as a word, so that any part of a text is found as a
 * phrase. Source: Unicode Standard Annex 29, word boundaries; it keeps Katakana together, so that a part would not be
 * found.
 */
const UNSPACED =
  '\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\u30fc\\uff70\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}\\p{sc=Bopo}';
/** The first character of these scripts: most texts hold none from there on. */
const LATER = /[\u0e00-\uffff]/;
const UNSPACED_LETTER = new RegExp(`[${UNSPACED}]\\p{M}*`, 'gu');

/**
 * A text for an index that folds case and diacritics by itself: with `ss` for ß, and with spaces around letters that
 * the index would take for parts of a long word. Searched words are prepared in the same way.
 */
export function indexable(text: string): string {
  const unfolded = foldSharpS(text);
  return LATER.test(unfolded) ? unfolded.replace(UNSPACED_LETTER, ' $& ') : unfolded;
}

/** Unicode has no decomposition of ß, so that the removal of diacritics keeps it. */
const foldSharpS = (text: string): string => text.replace(/[\u00df\u1e9e]/g, 'ss');

const OTHER = (classes: string) => `(?:(?![${UNSPACED}])[${classes}])`;
const WORDS = new RegExp(
  `(?=[\\p{L}\\p{N}])[${UNSPACED}]\\p{M}*|${OTHER('\\p{L}\\p{N}\\p{Co}')}${OTHER('\\p{L}\\p{N}\\p{Co}\\p{M}')}*`,
  'gu',
);

/** Without these characters a text has only words of ASCII, which fold by case alone. */
const BEYOND_ASCII = /[\u0080-\uffff]/;
const ASCII_WORDS = /[a-z\d]+/gi;

/** A word as indexed, and its place in the text. */
export interface Token {
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

/** The words of a text. */
export function tokensOf(text: string): readonly Token[] {
  const isAscii = !BEYOND_ASCII.test(text);
  return Array.from(text.matchAll(isAscii ? ASCII_WORDS : WORDS), ({ 0: match, index }) => ({
    word: isAscii ? match.toLowerCase() : fold(match),
    start: index,
    end: index + match.length,
  }));
}

/** Folded as by the index: without case, diacritics and ß, but with the marks that make a different kana. */
const fold = (text: string): string =>
  foldSharpS(text)
    .toLowerCase()
    .normalize('NFD')
    .replace(/(?![\u3099\u309a])\p{M}/gu, '');
