const MAX_CHARACTERS = 16_384;
const MAX_LINES = 1000;

export interface SplitText {
  readonly shown: string;
  /** Shown on request, as it was typed. */
  readonly rest: string;
}

/** The part of a text that a page can lay out along with a hundred others. */
export function splitLongText(text: string): SplitText {
  const end = endOfShown(text);
  return { shown: text.slice(0, end), rest: text.slice(end) };
}

function endOfShown(text: string): number {
  let lineEnd = 0;
  for (let lines = 0; lines < MAX_LINES; lines++) {
    const next = text.indexOf('\n', lineEnd) + 1;
    if (next === 0 || next > MAX_CHARACTERS) {
      if (text.length <= MAX_CHARACTERS) return text.length;
      // At a line's end, unless too little would be left.
      return lineEnd > MAX_CHARACTERS / 2 ? lineEnd : boundaryBefore(text, MAX_CHARACTERS);
    }
    lineEnd = next;
  }
  return lineEnd;
}

/** Does not cut a character of two units in half. */
const boundaryBefore = (text: string, end: number): number =>
  /[\uD800-\uDBFF]/.test(text.charAt(end - 1)) ? end - 1 : end;
