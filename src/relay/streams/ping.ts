import type { ServerResponse } from 'node:http';
import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import type { StreamClient } from '../../kernel/sse/client.ts';
import type { Fanout } from '../../kernel/sse/fanout.ts';
import { frameEvent } from '../../kernel/sse/frame.ts';

/** Old SDKs require non-empty data: a space after the separating one. */
const PING = frameEvent({ event: 'ping', data: ' ' });

/** Number of distinct delays: Node keeps a timer list per duration. */
const DELAY_STEPS = 100;

export interface PingOptions {
  readonly clock: Clock;
  readonly pingJitterMs: number;
  readonly random: () => number;
}

/** Pings clients after a change, with a random delay if configured, so that not all poll at once. */
export class PingStream {
  readonly #fanout: Pick<Fanout, 'open' | 'send'>;
  readonly #options: PingOptions;
  /** Clients and the timers of their pending pings; only used with a delay. */
  readonly #clients = new Map<StreamClient, CancelTimer | undefined>();

  constructor(fanout: Pick<Fanout, 'open' | 'send'>, options: PingOptions) {
    this.#fanout = fanout;
    this.#options = options;
  }

  open(outgoing: ServerResponse, headers: Readonly<Record<string, string>>): StreamClient {
    const client = this.#fanout.open(outgoing, { headers, snapshot: PING });
    if (this.#options.pingJitterMs > 0 && client.isOpen) {
      this.#clients.set(client, undefined);
      client.whenOver(() => this.#forget(client));
    }
    return client;
  }

  replaced(): void {
    this.changed();
  }

  membersChanged(): void {
    this.changed();
  }

  changed(): void {
    const { clock, pingJitterMs } = this.#options;
    if (pingJitterMs <= 0) this.#fanout.send(PING);
    for (const [client, pending] of this.#clients) {
      if (pending) continue;
      const cancel = clock.after(this.#delayMs(), () => {
        this.#clients.set(client, undefined);
        client.send(PING);
      });
      this.#clients.set(client, cancel);
    }
  }

  #delayMs(): number {
    const { pingJitterMs, random } = this.#options;
    return Math.round((pingJitterMs / 2) * (1 + Math.floor(random() * (DELAY_STEPS + 1)) / DELAY_STEPS));
  }

  #forget(client: StreamClient): void {
    this.#clients.get(client)?.();
    this.#clients.delete(client);
  }
}
