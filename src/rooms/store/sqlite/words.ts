// Where words begin and end, for the index and for what is shown of it.

/**
 * Scripts that are written without spaces between words: each of their letters counts as a word, so that any part of such
 * a text is found as a phrase is. Source: Unicode Standard Annex 29, word boundaries; it keeps Katakana together, of which
 * a part could not be found then.
 */
const UNSPACED =
  '\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\u30fc\\uff70\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}\\p{sc=Bopo}';
/** The first of all characters of these scripts: most texts hold none from there on. */
const LATER = /[\u0e00-\uffff]/;
const UNSPACED_LETTER = new RegExp(`[${UNSPACED}]\\p{M}*`, 'gu');

/** Puts spaces around what the index would take for a part of a long word. */
export const spaceWords = (text: string): string => (LATER.test(text) ? text.replace(UNSPACED_LETTER, ' $& ') : text);

const OTHER = (classes: string) => `(?:(?![${UNSPACED}])[${classes}])`;
const WORDS = new RegExp(
  `(?=[\\p{L}\\p{N}])[${UNSPACED}]\\p{M}*|${OTHER('\\p{L}\\p{N}\\p{Co}')}${OTHER('\\p{L}\\p{N}\\p{Co}\\p{M}')}*`,
  'gu',
);

/** A word as the index knows it, and where it stands in the text. */
export interface Token {
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

/** The words of a text. */
export function tokensOf(text: string): readonly Token[] {
  return Array.from(text.matchAll(WORDS), ({ 0: match, index }) => ({
    word: fold(match),
    start: index,
    end: index + match.length,
  }));
}

/** As the index does: without case and diacritics; the marks that make another syllable of a kana are none. */
const fold = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFD')
    .replace(/(?![\u3099\u309a])\p{M}/gu, '');
