import type { HttpBindings } from '@hono/node-server';
import type { Clock } from '../clock.ts';
import { type Credentials, type PasswordHashes, readBasicAuth } from './basic-auth.ts';
import { clientNetwork } from './client-network.ts';
import { type Compare, PasswordCheck, type PasswordOutcome } from './password-check.ts';

/** Rules for every request; they may change between requests. */
export interface RequestRules {
  /** Added to every answer. */
  readonly headers: Readonly<Record<string, string>>;
  /** If empty, no request needs a user. */
  readonly users: PasswordHashes;
  /** At most `burst` requests at once, and one more for each `intervalMs` that passes. */
  readonly rateLimit?: { readonly burst: number; readonly intervalMs: number } | undefined;
}

export type Fetch = (request: Request, env: never) => Response | Promise<Response>;

/** For a client with too many waiting passwords: comparing them takes seconds. */
const BUSY_RETRY_S = '5';
const FAILED_RETRY_S = '1';

/**
 * Lets through requests that the rules allow: 429 beyond the rate, 401 without the name and password of a user, 429 to a
 * client that tries too many passwords, and 500 while the rules cannot be read (`rules` throws). Source: Prometheus'
 * exporter-toolkit, web/handler.go.
 */
export function guardFetch(fetch: Fetch, rules: () => RequestRules, clock: Clock, compare: Compare): Fetch {
  const passwords = new PasswordCheck(clock, compare);
  const rate = new RateLimiter(clock);
  /** The rules may have changed while the password waited. */
  const stillHolds = ({ user }: Credentials, hash: string | undefined) => rules().users.get(user) === hash;
  return (request, env) => {
    let current: RequestRules;
    try {
      current = rules();
    } catch {
      return refuse(500, 'Internal Server Error');
    }
    if (!rate.allows(current.rateLimit)) return refuse(429, 'Too Many Requests');
    const { incoming, outgoing } = env as HttpBindings;
    for (const [name, value] of Object.entries(current.headers)) outgoing.setHeader(name, value);
    const { users } = current;
    if (users.size === 0) return fetch(request, env);
    const credentials = readBasicAuth(incoming.headers.authorization);
    if (!credentials) return unauthorized();
    const outcome = passwords.check(credentials, users, clientNetwork(incoming.socket.remoteAddress));
    if (typeof outcome === 'string') return outcome === 'correct' ? fetch(request, env) : refuseFor(outcome);
    return outcome.then((found) => {
      if (found !== 'correct') return refuseFor(found);
      try {
        return stillHolds(credentials, users.get(credentials.user)) ? fetch(request, env) : unauthorized();
      } catch {
        return refuse(500, 'Internal Server Error');
      }
    });
  };
}

function refuseFor(outcome: Exclude<PasswordOutcome, 'correct'>): Response {
  if (outcome === 'busy') return refuse(429, 'Too Many Requests', { 'retry-after': BUSY_RETRY_S });
  return outcome === 'failed' ? refuse(503, 'Service Unavailable', { 'retry-after': FAILED_RETRY_S }) : unauthorized();
}

function unauthorized(): Response {
  return refuse(401, 'Unauthorized', { 'www-authenticate': 'Basic' });
}

function refuse(status: number, text: string, headers: Readonly<Record<string, string>> = {}): Response {
  const plain = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' };
  return new Response(`${text}\n`, { status, headers: { ...plain, ...headers } });
}

class RateLimiter {
  readonly #clock: Clock;
  #used = 0;
  #countedAt = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  allows(limit: RequestRules['rateLimit']): boolean {
    if (limit === undefined || limit.intervalMs <= 0) return true;
    const now = this.#clock.now();
    this.#used = Math.max(0, this.#used - Math.max(0, now - this.#countedAt) / limit.intervalMs);
    this.#countedAt = now;
    if (this.#used + 1 > limit.burst) return false;
    this.#used++;
    return true;
  }
}
