import type { Json } from '../json.ts';

/** Who asks: one individual, of one kind. */
export interface Individual {
  readonly kind: string;
  readonly key: string;
  /** Every attribute that can be addressed, `kind`, `key`, `name` and `anonymous` among them; never null. */
  readonly attributes: ReadonlyMap<string, Json>;
  /** Of users in the old format: part of what plain rollouts hash. */
  readonly secondary: string | undefined;
}

/** Whom flags are evaluated for: one individual or several of different kinds. */
export interface Context {
  /** `multi` for several. */
  readonly kind: string;
  /** At least one, sorted by kind. */
  readonly individuals: readonly Individual[];
  /** The same for the same kinds and keys, and for those only: what secure mode signs. */
  readonly fullyQualifiedKey: string;
}

const DEFAULT_KIND = 'user';
export const MULTI_KIND = 'multi';

/** A kind as flags name it: an empty one stands for `user`. */
export const kindOf = (contextKind: string): string => (contextKind === '' ? DEFAULT_KIND : contextKind);

export function individualOf(context: Context, kind: string): Individual | undefined {
  for (const individual of context.individuals) if (individual.kind === kind) return individual;
  return undefined;
}

export const kindsOf = (context: Context): readonly string[] => context.individuals.map(({ kind }) => kind);

function qualifiedKey({ kind, key }: Individual): string {
  return `${kind}:${key.replaceAll('%', '%25').replaceAll(':', '%3A')}`;
}

/** Makes a context of at least one individual; no two may be of one kind. */
export function contextOf(individuals: readonly Individual[]): Context {
  const [first, second] = individuals;
  if (first && !second) {
    const fullyQualifiedKey = first.kind === DEFAULT_KIND ? first.key : qualifiedKey(first);
    return { kind: first.kind, individuals, fullyQualifiedKey };
  }
  const sorted = individuals.toSorted((a, b) => (a.kind < b.kind ? -1 : 1));
  return { kind: MULTI_KIND, individuals: sorted, fullyQualifiedKey: sorted.map(qualifiedKey).join(':') };
}
