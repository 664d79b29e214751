/**
 * Whether an `If-None-Match` names an entity tag: alone or in a list, weak or strong, quoted or bare as ld-relay 8 sent
 * them, or `*` for any. `tag` is the opaque part, without quotes.
 */
export function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((one) => {
    const name = one.trim().replace(/^W\//, '');
    return name === '*' || name === tag || name === `"${tag}"`;
  });
}

export const weakTag = (tag: string): string => `W/"${tag}"`;
