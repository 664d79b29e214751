/** Shorter parts of a URL stand in every text. */
const MIN_PART = 4;

/** A secret as it may stand in a URL, in JSON or in a form. */
export function spellingsOf(secret: string): string[] {
  const encoded = encodeURIComponent(secret.toWellFormed());
  const inUrl = encodeURI(secret.toWellFormed());
  return [secret, encoded, encoded.replaceAll('%20', '+'), inUrl, JSON.stringify(secret).slice(1, -1)];
}

/** What a service can quote of a URL that it was asked by: its path, and the values of its query. */
export function partsOfUrl(text: string): string[] {
  if (!/^https?:/i.test(text) || !URL.canParse(text)) return [];
  const { pathname, search, searchParams } = new URL(text);
  return [`${pathname}${search}`, pathname, ...searchParams.values()].filter((part) => part.length >= MIN_PART);
}

/** A text of somebody else's without the secrets that he was told, and without what follows the host of those that are URLs. */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  const spellings = secrets
    .filter((secret) => secret !== '')
    .flatMap((secret) => [secret, ...partsOfUrl(secret)])
    .flatMap(spellingsOf);
  return replaceSpellings(text, spellings, '<redacted>');
}

/** Puts `mark` wherever one of the spellings stands, none of which may be empty. */
export function replaceSpellings(text: string, spellings: Iterable<string>, mark: string): string {
  // The longest first, as one may be a part of another.
  const ordered = [...new Set(spellings)].sort((a, b) => b.length - a.length);
  return ordered.reduce((rest, spelling) => rest.replaceAll(spelling, mark), text);
}
