/** The characters of a LaunchDarkly key after `sdk-` or `mob-`. */
const HEX_AND_HYPHENS = /^[\da-f-]*$/i;

/**
 * Masks a credential: `sdk-1234abcd-…-1a2b3c` becomes `sdk-********-…-*a2b3c`. Keeps the prefix, the hyphens and the last
 * five characters. In a key with other than hexadecimal characters all of them are masked, unlike in ld-relay, which masks
 * only hexadecimal digits.
 */
export function maskKey(key: string): string {
  const kind = /^[a-z]{3}-/.exec(key)?.[0] ?? '';
  const rest = key.slice(kind.length);
  if (rest.length <= 4) return key;
  const hidden = rest.slice(0, -5).replace(HEX_AND_HYPHENS.test(rest) ? /[\da-f]/gi : /[^-]/gu, '*');
  return `${kind}${hidden}${rest.slice(-5)}`;
}

/** Masks a credential in a text, ignoring case: errors of libraries may quote it. */
export function hideKey(text: string, key: string): string {
  const quoted = key.replace(/[^\w]/g, '\\$&');
  return key === '' ? text : text.replace(new RegExp(quoted, 'gi'), () => maskKey(key));
}
