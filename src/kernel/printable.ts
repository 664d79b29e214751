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
