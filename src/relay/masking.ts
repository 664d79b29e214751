/** What every key of LaunchDarkly consists of behind its `sdk-` or `mob-`. */
const HEX_AND_HYPHENS = /^[\da-f-]*$/i;

/**
 * A credential as it may be shown: `sdk-1234abcd-…-1a2b3c` as `sdk-********-…-*a2b3c`. The kind of key, the hyphens and
 * the last five characters stay; in a key that somebody made up, every other character is hidden, not only the digits of
 * hexadecimal numbers as ld-relay has it: a key of letters would stand there almost whole.
 */
export function maskKey(key: string): string {
  const kind = /^[a-z]{3}-/.exec(key)?.[0] ?? '';
  const rest = key.slice(kind.length);
  if (rest.length <= 4) return key;
  const hidden = rest.slice(0, -5).replace(HEX_AND_HYPHENS.test(rest) ? /[\da-f]/gi : /[^-]/gu, '*');
  return `${kind}${hidden}${rest.slice(-5)}`;
}

/** A text without the credential, in small or capital letters: errors of libraries quote what they were given. */
export function hideKey(text: string, key: string): string {
  const quoted = key.replace(/[^\w]/g, '\\$&');
  return key === '' ? text : text.replace(new RegExp(quoted, 'gi'), () => maskKey(key));
}
