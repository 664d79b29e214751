const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Characters that control a terminal, break a line, change the writing direction, or make two names look the same. */
const UNSEEN =
  /[\p{Cc}\u2028\u2029\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;

/**
 * Text of others (a label, a comment, a server's answer), made safe for one line of a terminal: control characters, line
 * separators and invisible characters appear as escapes.
 */
export function printable(text: string): string {
  return text.replace(UNSEEN, (character) => NAMED[character] ?? `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** The same JSON, safe for a terminal: JSON itself escapes only characters below U+0020. */
export function escapeUnseen(json: string): string {
  // The remaining control characters are line ends of the indentation.
  return json.replace(UNSEEN, (character) =>
    character === '\n'
      ? character
      : character
          .split('')
          .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
          .join(''),
  );
}

/** JSON of a value of others, safe for a terminal and still the same value. */
export function printableJson(value: unknown, indent?: number): string {
  return escapeUnseen(JSON.stringify(value, null, indent));
}
