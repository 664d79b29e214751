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
/** That a token has expired nobody tells. */
const LOOK_EVERY_MS = 1_000;
const HEADERS = { 'cache-control': 'no-store, no-transform' };
/** After these somebody may see less than before. */
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
  /** Counts it among the caller's streams. */
  readonly seats: StreamSeats;
}

/** How many streams somebody may have open. */
export interface StreamSeats {
  /** `release` must follow where it is not refused. */
  reserve(caller: Caller): Refusal | undefined;
  release(caller: Caller): void;
}

interface Follower {
  readonly caller: Caller;
  readonly run: Run;
  end(): void;
}

/** Single runs as streams: `run`, then `message.delta` after `message.delta`, and `run.finished` at the end. */
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

  /** Answers with the stream of a run that the caller may see; of one that is over, with its end alone. */
  open(outgoing: ServerResponse, caller: Caller, run: Run): Refusal | undefined {
    const { runs, seats, requests } = this.#parts;
    const refusal = seats.reserve(caller);
    if (refusal) return refusal;
    const tell = (event: string, data: string) => {
      if (requests.sees(caller, run)) client.send(frameEvent({ event, data }));
    };
    const finished = (ended: Run) => {
      tell('run.finished', JSON.stringify({ run: wireRun(ended) }));
      client.end();
    };
    // Nothing can be told between this look and the watch: both are of one turn.
    const watched = runs.watch(run.id, {
      delta: (data) => tell('message.delta', data),
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

  /** A listener to commits: who may not see a run any more is told no more of it. */
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
