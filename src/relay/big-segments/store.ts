/** Hashed context keys that join or leave a list of a segment. */
export interface ListChanges {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

/** A change of the members of one big segment, as LaunchDarkly sends it. */
export interface BigSegmentPatch {
  /** Reference of the segment: `key.g1`. */
  readonly segmentId: string;
  /** The cursor after the patch. */
  readonly version: string;
  /** The cursor that the patch follows. */
  readonly previousVersion: string;
  readonly included: ListChanges;
  readonly excluded: ListChanges;
}

/** References of the segments that list a context. */
export interface ListedSegments {
  readonly included: readonly string[];
  readonly excluded: readonly string[];
}

/**
 * A database with the members of the big segments of one environment, in the layout of the Relay Proxy and the SDKs. Several
 * relays may write to it. Every method rejects if the database fails or does not answer in time.
 */
export interface BigSegmentStore {
  /** The version of the last patch; empty before the first patch. */
  cursor(): Promise<string>;
  /** Applies a patch and moves the cursor to its version; false if another patch must come first. */
  applyPatch(patch: BigSegmentPatch): Promise<boolean>;
  /** `ms`: the instant, in epoch milliseconds, at which the store was known to be complete. */
  setSynchronizedOn(ms: number): Promise<void>;
  /** Undefined if it has never been complete. */
  synchronizedOn(): Promise<number | undefined>;
  /** `hash`: as hashContextKey. */
  listedSegments(hash: string): Promise<ListedSegments>;
  close(): Promise<void>;
}
