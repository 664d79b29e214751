import type { Clock } from '../../kernel/clock.ts';
import { Fanout } from '../../kernel/sse/fanout.ts';
import { frameComment } from '../../kernel/sse/frame.ts';

export interface StreamOptions {
  readonly clock: Clock;
  /** 0: no heartbeats. */
  readonly heartbeatMs: number;
  /** 0: unlimited. */
  readonly maxConnectionMs: number;
  /** Each ping is delayed by half to all of it; 0: no delay. */
  readonly pingJitterMs: number;
  /** From 0 to below 1. */
  readonly random: () => number;
}

/** A comment line; does not end an event that is being sent. */
const HEARTBEAT = frameComment('', { blankLine: false });

/** All event streams of the server, with one timer for their heartbeats. */
export class StreamRegistry {
  readonly options: StreamOptions;
  readonly #fanouts = new Set<Fanout>();
  readonly #stopHeartbeat: () => void;

  constructor(options: StreamOptions) {
    this.options = options;
    const { clock, heartbeatMs } = options;
    this.#stopHeartbeat = heartbeatMs > 0 ? clock.every(heartbeatMs, () => this.#beat()) : () => {};
  }

  openFanout(): Fanout {
    const { clock, maxConnectionMs } = this.options;
    const fanout = new Fanout({ clock, heartbeatMs: 0, maxConnectionMs });
    this.#fanouts.add(fanout);
    return fanout;
  }

  /** Resolves when the streams of this fan-out are flushed. */
  async closeFanout(fanout: Fanout): Promise<void> {
    this.#fanouts.delete(fanout);
    await fanout.close();
  }

  /** Ends every stream; resolves when all are flushed. Idempotent. */
  async close(): Promise<void> {
    this.#stopHeartbeat();
    await Promise.all([...this.#fanouts].map((fanout) => fanout.close()));
  }

  #beat(): void {
    for (const fanout of this.#fanouts) fanout.send(HEARTBEAT);
  }
}
