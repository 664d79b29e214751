import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import { record } from '../domain/record.ts';
import type { RoomState } from '../room-state.ts';
import type { RoomWriter } from '../room-writer.ts';

const WRITE_EVERY_MS = 60_000;

/** When users and tokens were last seen: kept in memory, and written once a minute where it has changed. */
export class LastSeen {
  readonly #state: RoomState;
  readonly #writer: RoomWriter;
  readonly #clock: Clock;
  readonly #dirty = new Map<string, number>();
  readonly #stop: CancelTimer;

  constructor(state: RoomState, writer: RoomWriter, clock: Clock) {
    this.#state = state;
    this.#writer = writer;
    this.#clock = clock;
    this.#stop = clock.every(WRITE_EVERY_MS, () => void this.#write());
  }

  user(id: string): void {
    this.#dirty.set(userKey(id), this.#clock.now());
  }

  token(id: string): void {
    this.#dirty.set(tokenKey(id), this.#clock.now());
  }

  /** Epoch milliseconds; `null` is never. */
  userAt(id: string): number | null {
    return this.#at(userKey(id));
  }

  tokenAt(id: string): number | null {
    return this.#at(tokenKey(id));
  }

  /** Writes what is left. */
  async close(): Promise<void> {
    this.#stop();
    await this.#write();
  }

  #at(key: string): number | null {
    const stored = this.#state.get('setting', key)?.value;
    return this.#dirty.get(key) ?? (stored === undefined ? null : Number(stored));
  }

  async #write(): Promise<void> {
    if (this.#dirty.size === 0) return;
    const records = [...this.#dirty].map(([key, at]) => record('setting', key, { value: String(at) }));
    this.#dirty.clear();
    // Refused, it is a time that nobody misses.
    await this.#writer.submit({ decide: () => ({ ok: true, write: { records }, answer: () => undefined }) });
  }
}

const userKey = (id: string) => `seen/user/${id}`;
const tokenKey = (id: string) => `seen/token/${id}`;
