const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** What commands a terminal, breaks a line, turns the writing direction, or makes two names look the same. */
const UNSEEN =
  /[\p{Cc}\u2028\u2029\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;

/**
 * Text that others wrote (a label, a comment, a server's answer), made safe for one line of a terminal: control
 * characters, line separators, and characters that nobody sees appear as escapes.
 */
export function printable(text: string): string {
  return text.replace(UNSEEN, (character) => NAMED[character] ?? `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** The same JSON, safe for a terminal. It escapes only what is below U+0020 by itself. */
export function escapeUnseen(json: string): string {
  // What still is a control character is a line end of the indentation.
  return json.replace(UNSEEN, (character) =>
    character === '\n'
      ? character
      : character
          .split('')
          .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
          .join(''),
  );
}

/** JSON of what others wrote, safe for a terminal and still the same value. */
export function printableJson(value: unknown, indent?: number): string {
  return escapeUnseen(JSON.stringify(value, null, indent));
}
