/** Shorter parts of a URL occur in any text. */
const MIN_PART = 4;

/** The spellings of a secret in a URL, in JSON and in a form. */
export function spellingsOf(secret: string): string[] {
  const encoded = encodeURIComponent(secret.toWellFormed());
  const inUrl = encodeURI(secret.toWellFormed());
  return [secret, encoded, encoded.replaceAll('%20', '+'), inUrl, JSON.stringify(secret).slice(1, -1)];
}

/** The parts of a request URL that a service can quote: its path and the values of its query. */
export function partsOfUrl(text: string): string[] {
  if (!/^https?:/i.test(text) || !URL.canParse(text)) return [];
  const { pathname, search, searchParams } = new URL(text);
  return [`${pathname}${search}`, pathname, ...searchParams.values()].filter((part) => part.length >= MIN_PART);
}

/** A service's text without the secrets that it was sent; of a secret URL, path and query are removed. */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  const spellings = secrets
    .filter((secret) => secret !== '')
    .flatMap((secret) => [secret, ...partsOfUrl(secret)])
    .flatMap(spellingsOf);
  return replaceSpellings(text, spellings, '<redacted>');
}

/** Replaces each of the spellings, none of which may be empty, by `mark`. */
export function replaceSpellings(text: string, spellings: Iterable<string>, mark: string): string {
  // Longest first, as one may be part of another.
  const ordered = [...new Set(spellings)].sort((a, b) => b.length - a.length);
  return ordered.reduce((rest, spelling) => rest.replaceAll(spelling, mark), text);
}
