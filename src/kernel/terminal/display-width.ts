const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const ZERO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/u;

const widthOf = (character: string): number => (ZERO_WIDTH.test(character) ? 0 : WIDE.test(character) ? 2 : 1);

/** The width of a text in columns of a terminal: East Asian and emoji characters take two, combining ones none. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) width += widthOf(character);
  return width;
}

/** The number of UTF-16 units at the start of a text that take at most `width` columns. */
function lengthWithin(text: string, width: number): number {
  let left = width;
  let length = 0;
  for (const character of text) {
    left -= widthOf(character);
    if (left < 0) break;
    length += character.length;
  }
  return length;
}

/** The start of a text that is wider than `width` columns, with an ellipsis as its last. */
export function cut(text: string, width: number): string {
  if (width < 1) return '';
  return `${text.slice(0, lengthWithin(text, width - 1)).trimEnd()}…`;
}

/** Lines of at most `width` columns, which are at least two, broken at spaces where there are any. */
export function fold(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let rest = text;
  while (displayWidth(rest) > width) {
    const length = lengthWithin(rest, width);
    const space = rest.lastIndexOf(' ', length);
    const end = space > 0 ? space : length;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return [...lines, rest];
}
