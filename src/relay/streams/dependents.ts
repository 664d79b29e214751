import type { CompiledFlag } from '../domain/compile.ts';
import type { FlagLookup } from '../domain/evaluation/scope.ts';
import type { Clause } from '../domain/flag.ts';
import type { CompiledSegment } from '../domain/segment-match.ts';
import type { ItemKind } from '../flag-store.ts';

/** `kind/key` of an item. */
type Name = `${ItemKind}/${string}`;

/**
 * Every flag whose evaluation may depend on the item, directly or indirectly through prerequisites and segments, including
 * the flag itself. In the order of `flags`.
 */
export function findDependents(
  kind: ItemKind,
  key: string,
  flags: readonly CompiledFlag[],
  lookup: FlagLookup,
): readonly CompiledFlag[] {
  const users = collectUsers(flags, lookup);
  const reached = new Set<Name>([`${kind}/${key}`]);
  // Iterating over a Set includes items added meanwhile.
  for (const name of reached) for (const user of users.get(name) ?? []) reached.add(user);
  return flags.filter(({ flag }) => reached.has(`flags/${flag.key}`));
}

/** The items that refer to each item. */
function collectUsers(flags: readonly CompiledFlag[], lookup: FlagLookup): ReadonlyMap<Name, readonly Name[]> {
  const users = new Map<Name, Name[]>();
  const segments = new Set<string>();
  const add = (user: Name, item: CompiledFlag | CompiledSegment) => {
    for (const needed of needsOf(item)) {
      const known = users.get(needed);
      if (known) known.push(user);
      else users.set(needed, [user]);
      if (needed.startsWith('segments/')) segments.add(needed.slice('segments/'.length));
    }
  };
  for (const flag of flags) add(`flags/${flag.flag.key}`, flag);
  for (const key of segments) {
    const segment = lookup.segment(key);
    if (segment) add(`segments/${key}`, segment);
  }
  return users;
}

/** Cached per compiled item. */
const needs = new WeakMap<CompiledFlag | CompiledSegment, readonly Name[]>();

function needsOf(item: CompiledFlag | CompiledSegment): readonly Name[] {
  let names = needs.get(item);
  if (!names) {
    const { prerequisites, rules } = 'flag' in item ? item.flag : { prerequisites: [], rules: item.segment.rules };
    names = [
      ...prerequisites.map(({ key }): Name => `flags/${key}`),
      ...rules.flatMap(({ clauses }) => clauses.flatMap(namedSegments)),
    ];
    needs.set(item, names);
  }
  return names;
}

function namedSegments({ op, values }: Clause): readonly Name[] {
  if (op !== 'segmentMatch') return [];
  return values.filter((value) => typeof value === 'string').map((key): Name => `segments/${key}`);
}
