import { createHmac, randomBytes } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { FairQueue } from '../fair-queue.ts';
import type { Credentials, PasswordHashes } from './basic-auth.ts';

/** `busy`: too many passwords of this client wait to be compared. `failed`: no password can be compared now. */
export type Verdict = 'welcome' | 'refused' | 'busy' | 'failed';

/** Compares a password with a hash. */
export type Compare = (password: string, hash: string) => Promise<boolean>;

/** How many verdicts of each kind are kept. */
const MAX_KEPT = 100;
/** After a wrong password only reserved places are served for so long: guessing must not use up the processor. */
const PAUSE_MS = 25;
/** How many attempts of one client may wait: with a cost of 10, what is compared within the ten seconds that most clients wait. */
const MAX_WAITING = { perLane: 48, total: 512 };
/** Likewise, of those who name a user and have not failed of late. */
const MAX_RESERVED = { perLane: 4, total: 128 };
/** For so long a client that has failed has no reserved place. */
const FAILURE_MS = 600_000;
/** How many such clients are remembered. */
const MAX_FAILURES = 1_000;

interface Attempt {
  readonly digest: string;
  readonly password: string;
  readonly hash: string;
  readonly isKnown: boolean;
  readonly lane: string;
  settle(verdict: Verdict): void;
}

/**
 * Compares passwords one after the other, as bcrypt is expensive, and each only once. It keeps keyed hashes of
 * user, password and bcrypt hash, so that a new bcrypt hash needs a new comparison.
 *
 * Attempts wait in lanes that take turns: one for each client and user, and one for all unknown names of a client. So
 * wrong passwords keep nobody out: neither another client, nor a user who shares an address with the guesser, as behind a
 * proxy. A user from where nobody has failed of late does not even wait for the pauses.
 */
export class PasswordCheck {
  readonly #clock: Clock;
  readonly #compare: Compare;
  readonly #key = randomBytes(32);
  readonly #good = new Set<string>();
  readonly #bad = new Set<string>();
  readonly #waiting = new Map<string, Promise<Verdict>>();
  readonly #queue = new FairQueue<Attempt>(MAX_WAITING);
  readonly #reserved = new FairQueue<Attempt>(MAX_RESERVED);
  /** When the last one of a lane was refused. */
  readonly #failures = new Map<string, number>();
  #isComparing = false;
  #isPausing = false;
  #wasReserved = false;

  constructor(clock: Clock, compare: Compare) {
    this.#clock = clock;
    this.#compare = compare;
  }

  /** Synchronous for known verdicts. `users` is not empty; `client` is the network of the attempt. */
  check({ user, password }: Credentials, users: PasswordHashes, client: string): Verdict | Promise<Verdict> {
    const known = users.get(user);
    const isKnown = known !== undefined;
    const hash = known ?? this.#standIn(user, users);
    const digest = this.#digest([isKnown ? 'known' : 'unknown', user, hash, password]);
    const kept = this.#kept(digest);
    if (kept) return kept;
    const lane = JSON.stringify(isKnown ? [client, user] : [client]);
    const name = lane + digest;
    const waiting = this.#waiting.get(name);
    if (waiting) return waiting;
    let resolve = (_: Verdict) => {};
    const verdict = new Promise<Verdict>((done) => {
      resolve = done;
    });
    this.#waiting.set(name, verdict);
    const settle = (found: Verdict) => {
      this.#waiting.delete(name);
      resolve(found);
    };
    this.#place({ digest, password, hash, isKnown, lane, settle });
    return verdict;
  }

  #kept(digest: string): Verdict | undefined {
    if (this.#good.has(digest)) return 'welcome';
    return this.#bad.has(digest) ? 'refused' : undefined;
  }

  #place(attempt: Attempt): void {
    const isReserved = attempt.isKnown && !this.#hasFailed(attempt.lane);
    const rest = isReserved ? this.#reserved.add(attempt.lane, attempt) : attempt;
    const dropped = rest && this.#queue.add(rest.lane, rest);
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
    const verdict = this.#kept(attempt.digest) ?? (await this.#look(attempt));
    this.#isComparing = false;
    attempt.settle(verdict);
    this.#goOn();
  }

  async #look({ digest, password, hash, isKnown, lane }: Attempt): Promise<Verdict> {
    try {
      const isWelcome = (await this.#compare(password, hash)) && isKnown;
      keep(isWelcome ? this.#good : this.#bad, digest);
      if (isWelcome) return 'welcome';
      if (isKnown) this.#noteFailure(lane);
      this.#pause();
      return 'refused';
    } catch {
      this.#pause();
      return 'failed';
    }
  }

  #noteFailure(lane: string): void {
    this.#failures.delete(lane);
    this.#failures.set(lane, this.#clock.monotonic());
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > MAX_FAILURES && oldest !== undefined) this.#failures.delete(oldest);
  }

  #hasFailed(lane: string): boolean {
    const at = this.#failures.get(lane);
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

  /** A user who is not known costs what a known one costs, with the hash of always the same one of them. */
  #standIn(user: string, users: PasswordHashes): string {
    const hashes = [...users.values()];
    return hashes[Number.parseInt(this.#digest([user]).slice(0, 8), 16) % hashes.length] as string;
  }

  #digest(parts: readonly string[]): string {
    return createHmac('sha256', this.#key).update(JSON.stringify(parts)).digest('hex');
  }
}

function keep(kept: Set<string>, digest: string): void {
  const [oldest] = kept;
  if (kept.size >= MAX_KEPT && oldest !== undefined) kept.delete(oldest);
  kept.add(digest);
}
