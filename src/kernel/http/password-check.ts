import { createHmac, randomBytes } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { FairQueue } from '../fair-queue.ts';
import type { Credentials, PasswordHashes } from './basic-auth.ts';

/** `busy`: too many passwords of this client wait to be compared. `failed`: no password can be compared now. */
export type PasswordOutcome = 'correct' | 'wrong' | 'busy' | 'failed';

/** Compares a password with a hash. */
export type Compare = (password: string, hash: string) => Promise<boolean>;

/** Correct passwords that are remembered, and as many wrong ones. */
const MAX_KEPT = 100;
/** The time after a wrong password in which only reserved places are served: guessing must not use up the processor. */
const PAUSE_MS = 25;
/** Maximum waiting attempts: with a cost of 10, they are compared within the ten seconds that most clients wait. */
const MAX_WAITING = { perKey: 48, total: 512 };
/** Likewise, for attempts with the name of a user, from clients that have not failed lately. */
const MAX_RESERVED = { perKey: 4, total: 128 };
/** The time in which a client that has failed has no reserved place. */
const FAILURE_MS = 600_000;
/** Maximum number of such clients that are remembered. */
const MAX_FAILURES = 1_000;

interface Attempt {
  readonly digest: string;
  readonly password: string;
  readonly hash: string;
  readonly isKnown: boolean;
  readonly queue: string;
  settle(outcome: PasswordOutcome): void;
}

/**
 * Compares passwords one after the other, as bcrypt is expensive, and each only once. It keeps keyed hashes of
 * user, password and bcrypt hash, so that a new bcrypt hash needs a new comparison.
 *
 * Attempts wait in queues that take turns: one for each client and user, and one for all unknown names of a client. So
 * wrong passwords lock out neither another client, nor a user with the same address as the guesser, as behind a proxy. A
 * user at an address without a recent failure does not even wait for the pauses.
 */
export class PasswordCheck {
  readonly #clock: Clock;
  readonly #compare: Compare;
  #key: Buffer | undefined;
  readonly #good = new Set<string>();
  readonly #bad = new Set<string>();
  readonly #waiting = new Map<string, Promise<PasswordOutcome>>();
  readonly #queue = new FairQueue<Attempt>(MAX_WAITING);
  readonly #reserved = new FairQueue<Attempt>(MAX_RESERVED);
  /** The time of the last wrong password of each queue. */
  readonly #failures = new Map<string, number>();
  #isComparing = false;
  #isPausing = false;
  #wasReserved = false;

  constructor(clock: Clock, compare: Compare) {
    this.#clock = clock;
    this.#compare = compare;
  }

  /** Synchronous for a remembered outcome. `users` is not empty; `client` is the network of the attempt. */
  check(
    { user, password }: Credentials,
    users: PasswordHashes,
    client: string,
  ): PasswordOutcome | Promise<PasswordOutcome> {
    const known = users.get(user);
    const isKnown = known !== undefined;
    const hash = known ?? this.#standIn(user, users);
    const digest = this.#digest([isKnown ? 'known' : 'unknown', user, hash, password]);
    const kept = this.#kept(digest);
    if (kept) return kept;
    const queue = JSON.stringify(isKnown ? [client, user] : [client]);
    const name = queue + digest;
    const waiting = this.#waiting.get(name);
    if (waiting) return waiting;
    let resolve = (_: PasswordOutcome) => {};
    const outcome = new Promise<PasswordOutcome>((done) => {
      resolve = done;
    });
    this.#waiting.set(name, outcome);
    const settle = (found: PasswordOutcome) => {
      this.#waiting.delete(name);
      resolve(found);
    };
    this.#place({ digest, password, hash, isKnown, queue, settle });
    return outcome;
  }

  #kept(digest: string): PasswordOutcome | undefined {
    if (this.#good.has(digest)) return 'correct';
    return this.#bad.has(digest) ? 'wrong' : undefined;
  }

  #place(attempt: Attempt): void {
    const isReserved = attempt.isKnown && !this.#hasFailed(attempt.queue);
    const rest = isReserved ? this.#reserved.add(attempt.queue, attempt) : attempt;
    const dropped = rest && this.#queue.add(rest.queue, rest);
    dropped?.settle('busy');
    this.#goOn();
  }

  #goOn(): void {
    if (this.#isComparing) return;
    const attempt = this.#next();
    if (attempt) void this.#decide(attempt);
  }

  /** Reserved places and the others take turns, so that neither waits for all of the other. */
  #next(): Attempt | undefined {
    const isOpen = !this.#isPausing && this.#queue.size > 0;
    this.#wasReserved = this.#reserved.size > 0 && !(isOpen && this.#wasReserved);
    if (this.#wasReserved) return this.#reserved.take();
    return isOpen ? this.#queue.take() : undefined;
  }

  async #decide(attempt: Attempt): Promise<void> {
    this.#isComparing = true;
    const outcome = this.#kept(attempt.digest) ?? (await this.#look(attempt));
    this.#isComparing = false;
    attempt.settle(outcome);
    this.#goOn();
  }

  async #look({ digest, password, hash, isKnown, queue }: Attempt): Promise<PasswordOutcome> {
    try {
      const isCorrect = (await this.#compare(password, hash)) && isKnown;
      keep(isCorrect ? this.#good : this.#bad, digest);
      if (isCorrect) return 'correct';
      if (isKnown) this.#noteFailure(queue);
      this.#pause();
      return 'wrong';
    } catch {
      this.#pause();
      return 'failed';
    }
  }

  #noteFailure(queue: string): void {
    this.#failures.delete(queue);
    this.#failures.set(queue, this.#clock.monotonic());
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > MAX_FAILURES && oldest !== undefined) this.#failures.delete(oldest);
  }

  #hasFailed(queue: string): boolean {
    const at = this.#failures.get(queue);
    return at !== undefined && this.#clock.monotonic() - at < FAILURE_MS;
  }

  #pause(): void {
    if (this.#isPausing) return;
    this.#isPausing = true;
    this.#clock.after(PAUSE_MS, () => {
      this.#isPausing = false;
      this.#goOn();
    });
  }

  /** An unknown user takes as long as a known one: the same name is always compared with the same user's hash. */
  #standIn(user: string, users: PasswordHashes): string {
    const hashes = [...users.values()];
    return hashes[Number.parseInt(this.#digest([user]).slice(0, 8), 16) % hashes.length] as string;
  }

  #digest(parts: readonly string[]): string {
    this.#key ??= randomBytes(32);
    return createHmac('sha256', this.#key).update(JSON.stringify(parts)).digest('hex');
  }
}

function keep(kept: Set<string>, digest: string): void {
  const [oldest] = kept;
  if (kept.size >= MAX_KEPT && oldest !== undefined) kept.delete(oldest);
  kept.add(digest);
}
