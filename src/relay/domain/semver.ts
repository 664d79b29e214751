/** A semantic version without build metadata, which has no precedence. */
export interface Version {
  /** Major, minor and patch, in decimal digits. */
  readonly core: readonly [string, string, string];
  /** Pre-release identifiers; empty for a release. */
  readonly prerelease: readonly string[];
}

const NUMBER = '(0|[1-9]\\d*)';
const IDENTIFIER = '(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)';
const VERSION = new RegExp(
  `^${NUMBER}(?:\\.${NUMBER}(?:\\.${NUMBER})?)?` +
    `(?:-(${IDENTIFIER}(?:\\.${IDENTIFIER})*))?(?:\\+[0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*)?$`,
);

/** Reads a semver 2.0 version; a missing minor or patch counts as 0. */
export function parseVersion(text: string): Version | undefined {
  const fields = VERSION.exec(text);
  if (!fields) return undefined;
  const [, major = '0', minor = '0', patch = '0', prerelease] = fields;
  return { core: [major, minor, patch], prerelease: prerelease?.split('.') ?? [] };
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Without leading zeros, the longer number is the larger one. */
const compareNumbers = (a: string, b: string): number => a.length - b.length || order(a, b);

function compareIdentifiers(a: string, b: string): number {
  const isNumber = [a, b].map((identifier) => /^\d+$/.test(identifier));
  if (isNumber[0] && isNumber[1]) return compareNumbers(a, b);
  if (isNumber[0] || isNumber[1]) return isNumber[0] ? -1 : 1;
  return order(a, b);
}

function comparePrereleases(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return b.length - a.length;
  for (const [index, identifier] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    const compared = compareIdentifiers(identifier, other);
    if (compared !== 0) return compared;
  }
  return a.length - b.length;
}

/** Negative if `a` has lower semver 2.0 precedence than `b`, positive if higher. */
export function compareVersions(a: Version, b: Version): number {
  return (
    compareNumbers(a.core[0], b.core[0]) ||
    compareNumbers(a.core[1], b.core[1]) ||
    compareNumbers(a.core[2], b.core[2]) ||
    comparePrereleases(a.prerelease, b.prerelease)
  );
}
