import type { CancelTimer, Clock } from '../../../kernel/clock.ts';
import { type RecordChange, record } from '../../domain/record.ts';
import type { RoomState } from '../../room/state.ts';
import type { RoomWriter } from '../../room/writer.ts';

const WRITE_EVERY_MS = 60_000;

/** When users and tokens were last seen: kept in memory; changes are written once a minute. */
export class LastSeen {
  readonly #state: RoomState;
  readonly #writer: RoomWriter;
  readonly #clock: Clock;
  /** By id, so that a request needs no key to be built. */
  readonly #users = new Map<string, number>();
  readonly #tokens = new Map<string, number>();
  readonly #stop: CancelTimer;

  constructor(state: RoomState, writer: RoomWriter, clock: Clock) {
    this.#state = state;
    this.#writer = writer;
    this.#clock = clock;
    this.#stop = clock.every(WRITE_EVERY_MS, () => void this.#write());
  }

  user(id: string): void {
    this.#users.set(id, this.#clock.now());
  }

  token(id: string): void {
    this.#tokens.set(id, this.#clock.now());
  }

  /** Epoch milliseconds; `null` is never. */
  userAt(id: string): number | null {
    return this.#users.get(id) ?? this.#storedAt(userKey(id));
  }

  tokenAt(id: string): number | null {
    return this.#tokens.get(id) ?? this.#storedAt(tokenKey(id));
  }

  /** Writes what has not been written yet. */
  async close(): Promise<void> {
    this.#stop();
    await this.#write();
  }

  #storedAt(key: string): number | null {
    const stored = this.#state.get('setting', key)?.value;
    return stored === undefined ? null : Number(stored);
  }

  async #write(): Promise<void> {
    const records = [...recordsOf(this.#users, userKey), ...recordsOf(this.#tokens, tokenKey)];
    if (records.length === 0) return;
    this.#users.clear();
    this.#tokens.clear();
    // Refused writes lose only a time.
    await this.#writer.submit({ decide: () => ({ ok: true, write: { records }, answer: () => undefined }) });
  }
}

function recordsOf(seen: ReadonlyMap<string, number>, keyOf: (id: string) => string): readonly RecordChange[] {
  return [...seen].map(([id, at]) => record('setting', keyOf(id), { value: String(at) }));
}

const userKey = (id: string) => `seen/user/${id}`;
const tokenKey = (id: string) => `seen/token/${id}`;
