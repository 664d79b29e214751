import type { CancelTimer, Clock } from '../kernel/clock.ts';
import type { Caller } from './domain/caller.ts';
import type { IdempotentAnswer } from './domain/record.ts';
import { record } from './domain/record.ts';
import { accepted, type Outcome, refuse } from './domain/refusal.ts';
import type { RoomState } from './room/state.ts';
import type { RoomWriter } from './room/writer.ts';

const KEPT_MS = 24 * 3_600_000;
const SWEEP_MS = 3_600_000;
/** Beyond this number the oldest are dropped. */
const MAX_ANSWERS = 10_000;
const MAX_BODY = 64 * 1024;
const KEY = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;
/** Instead of a status: the answer is pending, or was not stored. */
const BEGUN = 0;
const UNKEPT = 1;

const IN_PROGRESS = refuse('request_in_progress', 'the same request is being answered; ask again in a moment', {
  retryAfterS: 1,
});
const UNKNOWN_END = refuse(
  'request_in_progress',
  'the server was stopped while it answered this request: look whether it was done, then use another Idempotency-Key',
);
const GONE = refuse(
  'id_conflict',
  'this request was done already; its answer held a secret, which is shown once, or was too long to be kept',
);

/** A stored answer. */
export interface KeptAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A request with a key is either to be served now, or answered as before. */
export type Admission =
  | { readonly kind: 'do'; finish(answer: KeptAnswer | undefined, isSecret: boolean): Promise<void> }
  | { readonly kind: 'again'; readonly answer: KeptAnswer };

/**
 * Stores answers by `Idempotency-Key` for 24 hours, also across restarts. The beginning of a request is on disk before
 * it is served, so that a request interrupted by a crash is not repeated.
 */
export class AnswerStore {
  readonly #state: RoomState;
  readonly #writer: RoomWriter;
  readonly #clock: Clock;
  readonly #running = new Set<string>();
  /** Answers with a secret, kept in memory only; the disk only knows that they were given. */
  readonly #secrets = new Map<string, KeptAnswer>();
  readonly #stop: CancelTimer;

  constructor(state: RoomState, writer: RoomWriter, clock: Clock) {
    this.#state = state;
    this.#writer = writer;
    this.#clock = clock;
    this.#stop = clock.every(SWEEP_MS, () => void this.#sweep());
  }

  /** `requestHash`: of method, path and body. */
  async enter(caller: Caller, key: string, requestHash: string): Promise<Outcome<Admission>> {
    if (!KEY.test(key)) return refuse('invalid_body', 'Idempotency-Key: write 1 to 255 ASCII characters');
    const name = `${caller.tokenId ?? caller.user.id}/${key}`;
    const known = this.#state.get('answer', name);
    if (known && known.expiresAt > this.#clock.now()) return this.#again(name, known, requestHash);
    if (this.#running.has(name)) return IN_PROGRESS;
    this.#running.add(name);
    const begun = await this.#begin(name, requestHash);
    if (begun.ok)
      return accepted({ kind: 'do', finish: (answer, isSecret) => this.#finish(name, requestHash, answer, isSecret) });
    this.#running.delete(name);
    return begun;
  }

  close(): void {
    this.#stop();
  }

  #again(name: string, known: IdempotentAnswer, requestHash: string): Outcome<Admission> {
    if (known.requestHash !== requestHash)
      return refuse('key_reused', 'this Idempotency-Key was used for another request; use a new one');
    if (this.#running.has(name)) return IN_PROGRESS;
    if (known.status === BEGUN) return UNKNOWN_END;
    const answer = known.status === UNKEPT ? this.#secrets.get(name) : known;
    return answer ? accepted({ kind: 'again', answer }) : GONE;
  }

  #begin(name: string, requestHash: string): Promise<Outcome<true>> {
    const oldest = this.#state.all('answer').size >= MAX_ANSWERS ? this.#oldest(name) : undefined;
    return this.#writer.submit<true>({
      decide: (view) => {
        const { now } = view;
        const other = view.get('answer', name);
        // Begun on another node meanwhile.
        if (other && other.expiresAt > now) return IN_PROGRESS;
        return {
          ok: true,
          write: {
            records: [
              record('answer', name, { requestHash, status: BEGUN, headers: {}, body: '', expiresAt: now + KEPT_MS }),
              ...(oldest === undefined ? [] : [record('answer', oldest, null)]),
            ],
          },
          answer: () => {
            if (oldest !== undefined) this.#secrets.delete(oldest);
            return true;
          },
        };
      },
    });
  }

  /** Stores the answer; without one the request may be repeated as if it were new. */
  async #finish(name: string, requestHash: string, answer: KeptAnswer | undefined, isSecret: boolean): Promise<void> {
    const isShort = answer !== undefined && answer.body.length <= MAX_BODY;
    if (isShort && isSecret) this.#secrets.set(name, answer);
    const kept = isShort && !isSecret ? answer : answer && { status: UNKEPT, headers: {}, body: '' };
    await this.#writer.submit({
      decide: ({ now }) => ({
        ok: true,
        write: {
          records: [record('answer', name, kept ? { ...kept, requestHash, expiresAt: now + KEPT_MS } : null)],
        },
        answer: () => undefined,
      }),
    });
    this.#running.delete(name);
  }

  #oldest(name: string): string | undefined {
    for (const key of this.#state.all('answer').keys()) if (key !== name && !this.#running.has(key)) return key;
    return undefined;
  }

  async #sweep(): Promise<void> {
    const now = this.#clock.now();
    const gone = [...this.#state.all('answer')].filter(([, { expiresAt }]) => expiresAt <= now).map(([key]) => key);
    if (gone.length === 0) return;
    for (const key of gone) this.#secrets.delete(key);
    const records = gone.map((key) => record('answer', key, null));
    await this.#writer.submit({ decide: () => ({ ok: true, write: { records }, answer: () => undefined }) });
  }
}
