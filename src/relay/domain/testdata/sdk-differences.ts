import { createHash } from 'node:crypto';
import type { Context } from '../context/context.ts';
import type { Reason } from '../evaluation/reason.ts';
import type { Clause, Flag, Rollout } from '../flag.ts';
import type { Segment } from '../segment.ts';
import { OWN_DATES, OWN_PATTERNS } from './generator.ts';

/** Everything that the evaluation of a flag may use. */
export interface Reach {
  readonly flags: readonly Flag[];
  readonly segments: readonly Segment[];
  readonly clauses: readonly Clause[];
  /** The clauses of each rule. */
  readonly rules: readonly (readonly Clause[])[];
  readonly rollouts: readonly Rollout[];
}

/** A known difference between LaunchDarkly's Node SDK and relay, and when it applies. */
export interface Difference {
  readonly why: string;
  applies(reach: Reach, context: Context, json: { readonly [name: string]: unknown }, ours: Reason): boolean;
}

/** Follows prerequisites and segments from a flag. */
export function reachOf(start: Flag, flags: ReadonlyMap<string, Flag>, segments: ReadonlyMap<string, Segment>): Reach {
  const reachedFlags = new Set<Flag>([start]);
  const reachedSegments = new Set<Segment>();
  const rules: (readonly Clause[])[] = [];
  const visit = (some: readonly Clause[]) => {
    rules.push(some);
    for (const key of some.flatMap(({ op, values }) => (op === 'segmentMatch' ? values : []))) {
      const segment = typeof key === 'string' ? segments.get(key) : undefined;
      if (segment) reachedSegments.add(segment);
    }
  };
  // Iterating over a Set includes items added meanwhile.
  for (const flag of reachedFlags) {
    for (const { key } of flag.prerequisites) {
      const prerequisite = flags.get(key);
      if (prerequisite) reachedFlags.add(prerequisite);
    }
    for (const rule of flag.rules) visit(rule.clauses);
  }
  for (const segment of reachedSegments) for (const rule of segment.rules) visit(rule.clauses);
  const servings = [...reachedFlags].flatMap(({ fallthrough, rules }) => [fallthrough, ...rules]);
  const rollouts = servings.flatMap(({ rollout }) => rollout ?? []);
  return { flags: [...reachedFlags], segments: [...reachedSegments], clauses: rules.flat(), rules, rollouts };
}

const kindOr = (kind: string): string => (kind === '' ? 'user' : kind);
const lacks = (context: Context, kind: string): boolean =>
  !context.individuals.some((individual) => individual.kind === kindOr(kind));
const isOneOf = (values: readonly unknown[], list: readonly unknown[]): boolean =>
  values.some((value) => list.includes(value));

const isMalformed = ({ variations, fallthrough, rules, offVariation, targets, contextTargets }: Flag): boolean => {
  const isOutside = (index: number | undefined) => index !== undefined && (index < 0 || index >= variations.length);
  const servings = [fallthrough, ...rules];
  return (
    isOutside(offVariation) ||
    [...targets, ...contextTargets].some(({ variation }) => isOutside(variation)) ||
    servings.some(
      ({ variation, rollout }) =>
        isOutside(variation) ||
        (variation === undefined && !rollout?.variations.length) ||
        rollout?.variations.some((slice) => isOutside(slice.variation)) ||
        (rollout !== undefined && rollout.contextKind !== '' && /^\/$|\/\/|\/$|~[^01]/.test(rollout.bucketBy)),
    )
  );
};

/**
 * Whether the SDK would loop forever: it forgets visited segments after a big one, and so does not detect a cycle through it.
 */
export function isEndless({ segments }: Reach): boolean {
  return segments.some(
    ({ unbounded, rules }) => unbounded && rules.some(({ clauses }) => clauses.some(({ op }) => op === 'segmentMatch')),
  );
}

/** Whether a bucket in double precision is too close to a weight for single precision. */
function isAtWeight({ flags }: Reach, context: Context): boolean {
  return flags.some(({ key, salt, fallthrough, rules }) =>
    [fallthrough, ...rules].some(({ rollout }) => {
      const name = rollout?.kind === 'experiment' || !rollout?.bucketBy ? 'key' : rollout.bucketBy;
      return context.individuals.some(({ attributes }) => {
        const text = `${rollout?.seed ?? `${key}.${salt}`}.${attributes.get(name)}`;
        const bucket = Number.parseInt(createHash('sha1').update(text).digest('hex').slice(0, 15), 16) / 2 ** 60;
        let sum = 0;
        return rollout?.variations.some(({ weight }) => {
          sum += weight / 100_000;
          return Math.abs(sum - bucket) < 1e-7;
        });
      });
    }),
  );
}

export const DIFFERENCES: readonly Difference[] = [
  {
    why: 'a seed of 0: the SDK ignores it',
    applies: ({ rollouts }) => rollouts.some(({ seed }) => seed === 0),
  },
  {
    why: 'a bucket at a weight: the SDK counts in double precision, the relay in single',
    applies: isAtWeight,
  },
  {
    why: 'secondary: the SDK hashes no secondary key',
    applies: (_, context) => context.individuals.some(({ secondary }) => secondary !== undefined),
  },
  {
    why: 'custom.anonymous: in an old user the SDK uses it for the built-in attribute',
    applies: (_, __, json) => Object.hasOwn((json.custom ?? {}) as object, 'anonymous'),
  },
  {
    why: 'a segment rule without clauses: in the SDK it matches no context',
    applies: ({ segments }) => segments.some(({ rules }) => rules.some(({ clauses }) => clauses.length === 0)),
  },
  {
    why: 'a pattern that RE2 and JavaScript read differently',
    applies: ({ clauses }) => clauses.some(({ op, values }) => op === 'matches' && isOneOf(values, OWN_PATTERNS)),
  },
  {
    why: 'the reference /kind: the SDK reads it as the kinds of the context, the relay as an attribute',
    applies: ({ clauses }) => clauses.some(({ attribute }) => attribute === '/kind'),
  },
  {
    why: 'a date that only one of the two accepts, or reads to the millisecond',
    applies: ({ clauses }, context) =>
      clauses.some(
        ({ op, values, attribute }) =>
          (op === 'before' || op === 'after') &&
          (isOneOf(values, [...OWN_DATES, 1577836800000.7]) ||
            context.individuals.some(({ attributes }) =>
              isOneOf([attributes.get(attribute)].flat(), [...OWN_DATES, 1577836800000.7]),
            )),
      ),
  },
  {
    why: 'a weighted segment rule for a kind that the context lacks: the SDK counts a bucket of 0',
    applies: ({ segments }, context) =>
      segments.some(({ rules }) =>
        rules.some(({ weight, rolloutContextKind }) => weight !== undefined && lacks(context, rolloutContextKind)),
      ),
  },
  {
    why: 'user keys among includedContexts: the relay ignores them for a context with the single kind user',
    applies: ({ segments }, context) =>
      context.kind === 'user' &&
      segments.some(({ includedContexts, excludedContexts }) =>
        [...includedContexts, ...excludedContexts].some(({ contextKind }) => kindOr(contextKind) === 'user'),
      ),
  },
  {
    why: 'user keys in contextTargets: the SDK checks targets instead',
    applies: ({ flags }) =>
      flags.some(({ contextTargets }) =>
        contextTargets.some(({ contextKind, values }) => kindOr(contextKind) === 'user' && values.length > 0),
      ),
  },
  {
    why: 'a malformed prerequisite: the SDK fails with it, the relay counts it as failed',
    applies: ({ flags }) => flags.slice(1).some(isMalformed),
  },
  {
    why: 'a reference that ends in a slash or has a stray tilde: the SDK finds no value, the relay refuses it',
    applies: ({ clauses, rollouts, segments }) =>
      [
        ...clauses.map(({ attribute }) => attribute),
        ...rollouts.map(({ bucketBy }) => bucketBy),
        ...segments.flatMap(({ rules }) => rules.map(({ bucketBy }) => bucketBy)),
      ].some((reference) => /^\/.*(\/$|~[^01])/.test(reference)),
  },
  {
    why: 'a malformed clause before others in its rule: the SDK ignores it',
    applies: ({ rules }, _, __, ours) => ours.kind === 'ERROR' && rules.some((clauses) => clauses.length > 1),
  },
  {
    why: 'null among the values of a clause: the SDK finds it in a list with null',
    applies: ({ clauses }) => clauses.some(({ op, values }) => op === 'in' && values.includes(null)),
  },
  {
    why: 'a big segment without a generation, or for a kind that the context lacks: evaluated in another order',
    applies: ({ segments }) => segments.some(({ unbounded, generation }) => unbounded && generation === undefined),
  },
];
