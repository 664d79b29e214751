import type { ServerResponse } from 'node:http';
import type { CancelTimer, Clock } from '../../../kernel/clock.ts';
import { Fanout } from '../../../kernel/sse/fanout.ts';
import { frameEvent } from '../../../kernel/sse/frame.ts';
import { wireRun } from '../../contract/run.ts';
import type { Caller } from '../../domain/caller.ts';
import type { Committed } from '../../domain/event.ts';
import type { Refusal } from '../../domain/refusal.ts';
import type { Run } from '../../domain/run/run.ts';
import type { RunRequests } from './requests.ts';
import type { CopilotRuns } from './runs.ts';

const HEARTBEAT_MS = 15_000;
/** The expiry of a token is checked at intervals, since no event reports it. */
const LOOK_EVERY_MS = 1_000;
const HEADERS = { 'cache-control': 'no-store, no-transform' };
/** Events after which a caller may see less. */
const LOSSES: ReadonlySet<string> = new Set([
  'member.left',
  'member.banned',
  'room.deleted',
  'room.updated',
  'token.revoked',
]);

export interface RunStreamsParts {
  readonly runs: CopilotRuns;
  readonly requests: Pick<RunRequests, 'sees'>;
  readonly clock: Clock;
  /** Counts a stream among the caller's. */
  readonly seats: StreamSeats;
}

/** Limits the open streams of each user. */
export interface StreamSeats {
  /** Unless refused, `release` must follow. */
  reserve(caller: Caller): Refusal | undefined;
  release(caller: Caller): void;
}

interface Follower {
  readonly caller: Caller;
  readonly run: Run;
  end(): void;
}

/** Streams of single runs: `run`, then each `message.delta`, and `run.finished` at the end. */
export class RunStreams {
  readonly #parts: RunStreamsParts;
  readonly #fanout: Fanout;
  readonly #followers = new Set<Follower>();
  readonly #stopLooking: CancelTimer;

  constructor(parts: RunStreamsParts) {
    this.#parts = parts;
    this.#fanout = new Fanout({ clock: parts.clock, heartbeatMs: HEARTBEAT_MS });
    this.#stopLooking = parts.clock.every(LOOK_EVERY_MS, () => this.#endThoseWithoutSight([]));
  }

  /** Streams a run that the caller may see; of a finished one only the end. */
  open(outgoing: ServerResponse, caller: Caller, run: Run): Refusal | undefined {
    const { runs, seats, requests } = this.#parts;
    const refusal = seats.reserve(caller);
    if (refusal) return refusal;
    const write = (event: string, data: string) => {
      if (requests.sees(caller, run)) client.send(frameEvent({ event, data }));
    };
    const finished = (ended: Run) => {
      write('run.finished', JSON.stringify({ run: wireRun(ended) }));
      client.end();
    };
    // The read and the watch happen in one turn of the event loop, so nothing lies between them.
    const watched = runs.watch(run.id, {
      delta: (data) => write('message.delta', data),
      replaced: (current) => write('run', JSON.stringify({ run: wireRun(current) })),
      finished,
    });
    const snapshot = watched
      ? [frameEvent({ event: 'run', data: JSON.stringify({ run: wireRun(watched.run) }) })]
      : [frameEvent({ event: 'run.finished', data: JSON.stringify({ run: wireRun(run) }) })];
    const client = this.#fanout.open(outgoing, { headers: HEADERS, snapshot });
    const follower: Follower = { caller, run, end: () => client.end() };
    this.#followers.add(follower);
    const gone = () => {
      watched?.stop();
      this.#followers.delete(follower);
      seats.release(caller);
    };
    if (!client.isOpen) gone();
    else {
      client.whenOver(gone);
      if (!watched) client.end();
    }
    return undefined;
  }

  /** A listener to commits: ends the streams of callers that may not see the run any more. */
  readonly follow = (committed: readonly Committed[]): void => {
    if (this.#followers.size === 0) return;
    const revoked = committed.flatMap(({ event }) => (event.type === 'token.revoked' ? [event.tokenId] : []));
    if (!committed.some(({ event }) => LOSSES.has(event.type))) return;
    this.#endThoseWithoutSight(revoked);
  };

  close(): Promise<void> {
    this.#stopLooking();
    return this.#fanout.close();
  }

  /** `revoked`: ids of tokens. */
  #endThoseWithoutSight(revoked: readonly string[]): void {
    for (const { caller, run, end } of this.#followers) {
      const isRevoked = caller.tokenId !== null && revoked.includes(caller.tokenId);
      if (isRevoked || !this.#parts.requests.sees(caller, run)) end();
    }
  }
}
