import type { ServerResponse } from 'node:http';
import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import { Fanout } from '../../kernel/sse/fanout.ts';
import { type Frame, frameEvent } from '../../kernel/sse/frame.ts';
import type { AgentChange } from '../contract/agents.ts';
import type { AgentSource } from './source.ts';

const HEARTBEAT_MS = 15_000;
/** Changes of this time are one event: pages then fetch once. */
const GATHER_MS = 200;

/** Tells open pages that the requests of assistants have changed, and how far the first reading is. */
export class AgentChanges {
  readonly #source: Pick<AgentSource, 'status' | 'onChange'>;
  readonly #clock: Clock;
  readonly #fanout: Fanout;
  readonly #stopListening: () => void;
  #cancel: CancelTimer | undefined;

  constructor(source: Pick<AgentSource, 'status' | 'onChange'>, clock: Clock) {
    this.#source = source;
    this.#clock = clock;
    this.#fanout = new Fanout({ clock, heartbeatMs: HEARTBEAT_MS });
    this.#stopListening = source.onChange(() => this.announce());
  }

  /** Answers a request with the stream; it begins with the present version. */
  open(outgoing: ServerResponse): void {
    this.#fanout.open(outgoing, { headers: { 'x-content-type-options': 'nosniff' }, snapshot: this.#frame() });
  }

  close(): Promise<void> {
    this.#stopListening();
    this.#cancel?.();
    return this.#fanout.close();
  }

  /** Tells the clients soon: the version has changed, or the first reading has gone on. */
  announce(): void {
    this.#cancel ??= this.#clock.after(GATHER_MS, () => {
      this.#cancel = undefined;
      this.#fanout.send(this.#frame());
    });
  }

  #frame(): Frame {
    const { version, reading } = this.#source.status();
    return frameEvent({ data: JSON.stringify({ version, reading } satisfies AgentChange) });
  }
}
