import type { Failure } from './failure.ts';

/** The answer of /api/events without its events: the first line of NDJSON, or beside `events` in JSON. */
export interface EventListHead {
  readonly user: string;
  readonly totalUsageEventsCount: number;
  readonly cached: boolean;
  /** ISO 8601. */
  readonly fetchedAt: string;
  /** Whether there is more than was fetched. */
  readonly truncated: boolean;
  /** Set with `failure`: the events are those before it. */
  readonly partial?: true;
  readonly failure?: Pick<Failure, 'error' | 'code' | 'hint'>;
  /** Of an assistant: the state of its requests, for `changedAfter`. */
  readonly version?: number;
  /** Epoch milliseconds, with `changedAfter`: the events replace all from then on. Absent: nothing has changed. */
  readonly from?: number | undefined;
}
