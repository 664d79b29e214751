/** How every refusal of the dashboard's API reads. */
export interface Failure {
  readonly error: string;
  /** Stays the same from release to release. */
  readonly code: string;
  /** What to do about it. */
  readonly hint?: string;
  /** The status that upstream answered with. */
  readonly upstreamStatus?: number;
}
