/** The body of every refusal of the dashboard's API. */
export interface Failure {
  readonly error: string;
  /** Stable across releases. */
  readonly code: string;
  /** What to do about it. */
  readonly hint?: string;
  /** The status that upstream answered with. */
  readonly upstreamStatus?: number;
}
