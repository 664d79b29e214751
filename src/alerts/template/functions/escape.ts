const HTML: Readonly<Record<string, string>> = {
  '"': '&#34;',
  "'": '&#39;',
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '\0': '\ufffd',
};

/** The function `html`: escapes text for HTML and quoted attributes. */
export const escapeHtml = (text: string): string => text.replace(/["'&<>\0]/g, (char) => HTML[char] as string);

const hexOf = (point: number): string => `\\u${point.toString(16).toUpperCase().padStart(4, '0')}`;

function escapeInScript(char: string): string {
  if (char === '\\' || char === "'" || char === '"') return `\\${char}`;
  return hexOf(char.codePointAt(0) as number);
}

/** The function `js`: escapes text for a JavaScript string. */
export function escapeScript(text: string): string {
  return text.replace(/[\\'"<>&=]|[^\p{L}\p{M}\p{N}\p{P}\p{S} \x7f]/gu, escapeInScript);
}
