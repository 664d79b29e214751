import { createHmac, randomBytes } from 'node:crypto';
import type { Clock } from './clock.ts';

export interface Credentials {
  readonly user: string;
  readonly password: string;
}

/** Undefined for what is not the header of HTTP basic authentication. Source: RFC 7617. */
export function readBasicAuth(header: string | undefined): Credentials | undefined {
  const encoded = /^basic +([A-Za-z0-9+/]*={0,2})$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const decoded = Buffer.from(encoded, 'base64').toString();
  const colon = decoded.indexOf(':');
  return colon < 0 ? undefined : { user: decoded.slice(0, colon), password: decoded.slice(colon + 1) };
}

/** What bcrypt makes of a password, with a cost of 4 to 31. */
export function isBcryptHash(text: string): boolean {
  return /^\$2[aby]\$(0[4-9]|[12]\d|3[01])\$[./A-Za-z0-9]{53}$/.test(text);
}

/** The bcrypt hash of each user's password. */
export type PasswordHashes = ReadonlyMap<string, string>;

/** `busy`: too many passwords wait to be looked at. */
export type Verdict = 'welcome' | 'refused' | 'busy';

/** How many verdicts of each kind are kept. */
const MOST_KEPT = 100;
const MOST_WAITING = 32;
/** After a wrong password the next one is not looked at for so long: guessing must not use up the processor. */
const PAUSE_MS = 100;

/** Compares a password with a hash; bcrypt unless a test says otherwise. */
export type Compare = (password: string, hash: string) => Promise<boolean>;

const compareWithBcrypt: Compare = async (password, hash) => {
  const { compare } = await import('bcryptjs');
  return compare(password, hash);
};

/**
 * Looks at passwords: one after the other, as bcrypt is expensive, and each only once. What is kept are keyed hashes of
 * user, password and bcrypt hash, so that a new bcrypt hash needs a new look.
 */
export class PasswordCheck {
  readonly #clock: Clock;
  readonly #compare: Compare;
  readonly #key = randomBytes(32);
  readonly #good = new Set<string>();
  readonly #bad = new Set<string>();
  readonly #waiting = new Map<string, Promise<Verdict>>();
  #queue: Promise<unknown> = Promise.resolve();

  constructor(clock: Clock, compare: Compare = compareWithBcrypt) {
    this.#clock = clock;
    this.#compare = compare;
  }

  /** At once for what has been looked at before. There is at least one user. */
  check({ user, password }: Credentials, users: PasswordHashes): Verdict | Promise<Verdict> {
    const known = users.get(user);
    const hash = known ?? this.#standIn(user, users);
    const digest = this.#digest([known === undefined ? 'unknown' : 'known', user, hash, password]);
    if (this.#good.has(digest)) return 'welcome';
    if (this.#bad.has(digest)) return 'refused';
    const waiting = this.#waiting.get(digest);
    if (waiting) return waiting;
    if (this.#waiting.size >= MOST_WAITING) return 'busy';
    const verdict = this.#queue.then(() => this.#look(digest, password, hash, known !== undefined));
    this.#waiting.set(digest, verdict);
    this.#queue = verdict.then((found) => (found === 'welcome' ? undefined : this.#pause()));
    return verdict;
  }

  async #look(digest: string, password: string, hash: string, isKnown: boolean): Promise<Verdict> {
    try {
      const isWelcome = (await this.#compare(password, hash)) && isKnown;
      keep(isWelcome ? this.#good : this.#bad, digest);
      return isWelcome ? 'welcome' : 'refused';
    } catch {
      return 'refused';
    } finally {
      this.#waiting.delete(digest);
    }
  }

  /** A user who is not known costs what a known one costs, with the hash of always the same one of them. */
  #standIn(user: string, users: PasswordHashes): string {
    const hashes = [...users.values()];
    return hashes[Number.parseInt(this.#digest([user]).slice(0, 8), 16) % hashes.length] as string;
  }

  #digest(parts: readonly string[]): string {
    return createHmac('sha256', this.#key).update(JSON.stringify(parts)).digest('hex');
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      this.#clock.after(PAUSE_MS, resolve);
    });
  }
}

function keep(kept: Set<string>, digest: string): void {
  const [oldest] = kept;
  if (kept.size >= MOST_KEPT && oldest !== undefined) kept.delete(oldest);
  kept.add(digest);
}
