/** Cuts a text to at most this many characters (code points), with an ellipsis at the end. */
export function truncateRunes(text: string, most: number): string {
  if (text.length <= most) return text;
  const runes = [...text];
  if (runes.length <= most) return text;
  return most <= 3 ? runes.slice(0, most).join('') : `${runes.slice(0, most - 1).join('')}…`;
}

/** Cuts a text to at most this many bytes of UTF-8, including an ellipsis of three bytes. */
export function truncateBytes(text: string, most: number): string {
  if (Buffer.byteLength(text) <= most) return text;
  if (most < 3) return '.'.repeat(most);
  const bytes = Buffer.from(text);
  let end = most - 3;
  // Not in the middle of a character.
  while (end > 0 && ((bytes[end] as number) & 0xc0) === 0x80) end--;
  return `${bytes.toString('utf8', 0, end)}…`;
}
