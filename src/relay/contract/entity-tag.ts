/**
 * Whether an `If-None-Match` contains an entity tag: weak or strong, quoted or bare (as sent by ld-relay 8), or `*`. `tag` is
 * the opaque part, without quotes.
 */
export function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((one) => {
    const name = one.trim().replace(/^W\//, '');
    return name === '*' || name === tag || name === `"${tag}"`;
  });
}

export const weakTag = (tag: string): string => `W/"${tag}"`;
