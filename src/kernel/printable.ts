const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * Text that others wrote (a label, a comment, a server's answer), made safe for one line of a terminal: control
 * characters, line separators and those that turn the writing direction appear as escapes.
 */
export function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
    (character) => NAMED[character] ?? `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}

/** Characters that command a terminal, break a line or turn its direction, of which JSON escapes only those below U+0020. */
const UNSEEN = /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** The same JSON, with those characters as escapes. */
export function escapeUnseen(json: string): string {
  return json.replace(UNSEEN, (unseen) => `\\u${unseen.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** JSON that means the same and that a terminal does not obey. */
export function printableJson(value: unknown, indent?: number): string {
  return escapeUnseen(JSON.stringify(value, null, indent));
}
