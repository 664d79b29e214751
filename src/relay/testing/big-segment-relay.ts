import type { BigSegmentMembership, BigSegmentMemberships } from '../domain/big-segment.ts';
import type { BigSegmentsStatus } from '../domain/evaluation/reason.ts';
import type { Environment } from '../environment.ts';
import { flagOf, type RelayAppOptions } from './app.ts';

/** The flag `beta` is true for the members of the big segment `s`; the flag `plain` for everybody. */
export const BIG_SEGMENT_DATA = {
  flags: {
    beta: flagOf('beta', {
      rules: [{ id: 'r', variation: 0, clauses: [{ attribute: '', op: 'segmentMatch', values: ['s'] }] }],
      fallthrough: { variation: 1 },
    }),
    plain: flagOf('plain'),
  },
  segments: { s: { key: 's', version: 1, unbounded: true, generation: 1 } },
} satisfies RelayAppOptions['data'];

/** Replaces the big segments of an environment: the test sets the members of `s`, as context keys. */
export class TestMembers {
  readonly #environment: Environment;
  readonly #members = new Set<string>();
  status: BigSegmentsStatus = 'HEALTHY';
  /** Whether memberships are cached. */
  isCached = false;

  constructor(environment: Environment) {
    this.#environment = environment;
    environment.bigSegments = { read: (keys) => this.#read(keys), status: () => undefined };
  }

  set(...keys: readonly string[]): void {
    this.#members.clear();
    for (const key of keys) this.#members.add(key);
    this.#environment.store.changeMembers();
  }

  #read(keys: readonly string[]): BigSegmentMemberships | Promise<BigSegmentMemberships> {
    const memberships = new Map(keys.map((key) => [key, this.#membership(key)]));
    return this.isCached ? memberships : new Promise((resolve) => setImmediate(() => resolve(memberships)));
  }

  #membership(key: string): BigSegmentMembership {
    const { status } = this;
    const isMember = this.#members.has(key) && status !== 'STORE_ERROR';
    return { status, included: new Set(isMember ? ['s.g1'] : []), excluded: new Set() };
  }
}
