import type { WireLog } from '../../../src/rooms/contract/feed.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Api } from '../api.ts';
import { type ConnectionState, EventStream } from './event-stream.ts';
import type { StreamEvent } from './sse-parser.ts';

export interface LiveLinkParts {
  readonly clock: Clock;
  readonly api: Api;
  /** Of the lock and the channel; unique to a user. */
  readonly name: string;
  readonly cursor: string;
  readonly take: (event: StreamEvent) => void;
  readonly connection: (state: ConnectionState) => void;
  readonly signedOut: () => void;
}

type TabMessage =
  | { readonly kind: 'event'; readonly event: StreamEvent }
  | { readonly kind: 'connection'; readonly state: ConnectionState }
  | { readonly kind: 'ask' };

/** Events per page of the log. */
const CATCH_UP = 1000;

/**
 * The events of all rooms of a user, through one stream for all tabs, as a browser has only six connections to a server.
 * The tab that holds the lock reads the stream and passes events on; when it closes, another tab continues after the last
 * event that it got. Without locks every tab has its own stream.
 */
export class LiveLink {
  readonly #parts: LiveLinkParts;
  readonly #channel: BroadcastChannel | undefined;
  #stream: EventStream | undefined;
  #cursor: string;
  #connection: ConnectionState = { kind: 'connecting' };

  constructor(parts: LiveLinkParts) {
    this.#parts = parts;
    this.#cursor = parts.cursor;
    this.#channel = 'locks' in navigator && 'BroadcastChannel' in window ? new BroadcastChannel(parts.name) : undefined;
  }

  /** Whether this tab holds the lock. */
  get isLeader(): boolean {
    return this.#stream !== undefined;
  }

  get cursor(): string {
    return this.#cursor;
  }

  start(): void {
    const channel = this.#channel;
    if (!channel) {
      this.#lead();
      return;
    }
    channel.onmessage = ({ data }: MessageEvent<TabMessage>) => this.#hear(data);
    void navigator.locks
      .request(this.#parts.name, { ifAvailable: true }, (lock) => (lock ? this.#leadForEver() : undefined))
      .then(() => this.#follow(channel))
      .catch(() => this.#lead());
  }

  /** Continues after the position at which the rooms were read again. */
  restart(cursor: string): void {
    this.#cursor = cursor;
    this.#stream?.restart(cursor);
  }

  /** Reconnects at once. */
  retry(): void {
    this.#stream?.restart();
  }

  #leadForEver(): Promise<never> {
    this.#lead();
    return new Promise(() => {});
  }

  /** Reads the events from before this tab listened out of the log; repeated events do no harm. */
  #follow(channel: BroadcastChannel): void {
    if (this.isLeader) return;
    channel.postMessage({ kind: 'ask' } satisfies TabMessage);
    void this.#catchUp();
    void navigator.locks.request(this.#parts.name, () => this.#leadForEver()).catch(() => this.#lead());
  }

  async #catchUp(): Promise<void> {
    for (let from = this.#parts.cursor; ; ) {
      const path = `/api/event/log?since=${encodeURIComponent(from)}&wait=0&limit=${CATCH_UP}`;
      const page = await this.#parts.api.send<WireLog>('GET', path).catch(() => undefined);
      if (!page || page.events.length === 0) return;
      for (const { id, event, data } of page.events) this.#parts.take({ id, event, data: JSON.stringify(data) });
      from = page.cursor;
    }
  }

  #lead(): void {
    if (this.#stream) return;
    const { clock, api, signedOut } = this.#parts;
    this.#stream = new EventStream({
      clock,
      path: '/api/event',
      headers: api.identity,
      cursor: this.#cursor,
      take: (event) => {
        this.#channel?.postMessage({ kind: 'event', event } satisfies TabMessage);
        this.#take(event);
      },
      connection: (state) => this.#showConnection(state),
      signedOut,
      random: Math.random,
      isOnline: () => navigator.onLine,
    });
    this.#stream.start();
  }

  #showConnection(state: ConnectionState): void {
    this.#connection = state;
    this.#channel?.postMessage({ kind: 'connection', state } satisfies TabMessage);
    this.#parts.connection(state);
  }

  #hear(message: TabMessage): void {
    if (message.kind === 'ask') {
      if (this.isLeader)
        this.#channel?.postMessage({ kind: 'connection', state: this.#connection } satisfies TabMessage);
    } else if (this.isLeader) return;
    else if (message.kind === 'event') this.#take(message.event);
    else this.#parts.connection(message.state);
  }

  #take(event: StreamEvent): void {
    if (event.id !== '') this.#cursor = event.id;
    this.#parts.take(event);
  }
}
