import { type Context, individualOf } from './context/context.ts';
import type { BigSegmentsStatus } from './evaluation/reason.ts';
import type { Segment } from './segment.ts';

/** What a big segment store knows about one context key. */
export interface BigSegmentMembership {
  readonly status: BigSegmentsStatus;
  /** References of segments. */
  readonly included: ReadonlySet<string>;
  readonly excluded: ReadonlySet<string>;
}

/** By context key. The kind does not matter, since a big segment has contexts of one kind only. */
export type BigSegmentMemberships = ReadonlyMap<string, BigSegmentMembership>;

/** How stores name a segment that has a generation. */
export const bigSegmentReference = ({ key, generation }: Segment): string => `${key}.g${generation}`;

/** Undefined if the store does not list the context. */
export function isListed({ included, excluded }: BigSegmentMembership, reference: string): boolean | undefined {
  if (included.has(reference)) return true;
  return excluded.has(reference) ? false : undefined;
}

/** The context keys of these kinds, without duplicates. */
export function keysOfKinds(context: Context, kinds: Iterable<string>): readonly string[] {
  const keys = new Set<string>();
  for (const kind of kinds) {
    const individual = individualOf(context, kind);
    if (individual) keys.add(individual.key);
  }
  return [...keys];
}

const SEVERITY: readonly BigSegmentsStatus[] = ['HEALTHY', 'STALE', 'STORE_ERROR', 'NOT_CONFIGURED'];

/** The graver of two statuses. */
export function graverStatus(
  one: BigSegmentsStatus | undefined,
  other: BigSegmentsStatus | undefined,
): BigSegmentsStatus | undefined {
  if (!one || !other) return one ?? other;
  return SEVERITY.indexOf(one) > SEVERITY.indexOf(other) ? one : other;
}

/** Whether these are memberships in the same segments, whatever their statuses. */
export function areSameMembers(one: BigSegmentMemberships, other: BigSegmentMemberships): boolean {
  if (one.size !== other.size) return false;
  for (const [key, { included, excluded }] of one) {
    const theirs = other.get(key);
    if (!theirs || !areSame(included, theirs.included) || !areSame(excluded, theirs.excluded)) return false;
  }
  return true;
}

function areSame(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  if (one.size !== other.size) return false;
  for (const reference of one) if (!other.has(reference)) return false;
  return true;
}

/** Whether the store failed for one of the contexts. */
export function haveFailed(memberships: BigSegmentMemberships): boolean {
  for (const { status } of memberships.values()) if (status === 'STORE_ERROR') return true;
  return false;
}
