import type { Json } from '../json.ts';

/** A single-kind context. */
export interface Individual {
  readonly kind: string;
  readonly key: string;
  /** All attributes that a reference can address, including `kind`, `key`, `name` and `anonymous`; never null. */
  readonly attributes: ReadonlyMap<string, Json>;
  /** Of users in the old format; part of the hash input of plain rollouts. */
  readonly secondary: string | undefined;
}

/** What flags are evaluated for: one individual, or several of different kinds. */
export interface Context {
  /** `multi` for several. */
  readonly kind: string;
  /** At least one, sorted by kind. */
  readonly individuals: readonly Individual[];
  /** Unique per set of kinds and keys; secure mode signs it. */
  readonly fullyQualifiedKey: string;
}

const DEFAULT_KIND = 'user';
export const MULTI_KIND = 'multi';

/** Resolves a context kind in a flag: empty means `user`. */
export const kindOf = (contextKind: string): string => (contextKind === '' ? DEFAULT_KIND : contextKind);

export function individualOf(context: Context, kind: string): Individual | undefined {
  for (const individual of context.individuals) if (individual.kind === kind) return individual;
  return undefined;
}

export const kindsOf = (context: Context): readonly string[] => context.individuals.map(({ kind }) => kind);

function qualifiedKey({ kind, key }: Individual): string {
  return `${kind}:${key.replaceAll('%', '%25').replaceAll(':', '%3A')}`;
}

/** Creates a context of at least one individual; the kinds must be distinct. */
export function contextOf(individuals: readonly Individual[]): Context {
  const [first, second] = individuals;
  if (first && !second) {
    const fullyQualifiedKey = first.kind === DEFAULT_KIND ? first.key : qualifiedKey(first);
    return { kind: first.kind, individuals, fullyQualifiedKey };
  }
  const sorted = individuals.toSorted((a, b) => (a.kind < b.kind ? -1 : 1));
  return { kind: MULTI_KIND, individuals: sorted, fullyQualifiedKey: sorted.map(qualifiedKey).join(':') };
}
