import type { BigSegmentMemberships } from '../domain/big-segment.ts';
import type { BigSegmentStatus } from '../status/status.ts';

/** What evaluations and the status of an environment need of its big segments. */
export interface BigSegmentReader {
  /** The memberships of these context keys. A promise, which never rejects, unless all are cached. */
  read(keys: readonly string[]): BigSegmentMemberships | Promise<BigSegmentMemberships>;
  /** Undefined until the environment has had a big segment. */
  status(): BigSegmentStatus | undefined;
}
