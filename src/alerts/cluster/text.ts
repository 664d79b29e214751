/** A text without U+0000, which PostgreSQL cannot store. */
export function encodeText(text: string): string {
  return text.replace(/[\\\0]/g, (character) => (character === '\0' ? '\\0' : '\\\\'));
}

export function decodeText(text: string): string {
  return text.replace(/\\([\\0])/g, (_, character) => (character === '0' ? '\0' : '\\'));
}
