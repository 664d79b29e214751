/** A text as PostgreSQL can store it: without U+0000 and lone surrogates. */
export function encodeText(text: string): string {
  return text.replace(/[\\\0\p{Surrogate}]/gu, (character) => {
    if (character === '\\') return '\\\\';
    return character === '\0' ? '\\0' : `\\${character.charCodeAt(0).toString(16)}`;
  });
}

export function decodeText(text: string): string {
  return text.replace(/\\(\\|0|d[0-9a-f]{3})/g, (_, code: string) =>
    code === '\\' ? code : String.fromCharCode(Number.parseInt(code, 16)),
  );
}
