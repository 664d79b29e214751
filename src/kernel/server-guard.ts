import type { HttpBindings } from '@hono/node-server';
import { PasswordCheck, type PasswordHashes, readBasicAuth } from './basic-auth.ts';
import type { Clock } from './clock.ts';

/** What holds for every request; it may change from one to the next. */
export interface RequestRules {
  /** Added to every answer. */
  readonly headers: Readonly<Record<string, string>>;
  /** Nobody has to say who he is where this is empty. */
  readonly users: PasswordHashes;
  /** At most `burst` requests at once, and one more for each `intervalMs` that passes. */
  readonly rateLimit?: { readonly burst: number; readonly intervalMs: number } | undefined;
}

export type Fetch = (request: Request, env: never) => Response | Promise<Response>;

/**
 * Lets through only what the rules allow: 429 beyond the rate, 401 without the name and password of a user, and 500 while
 * the rules cannot be had (`rules` throws). Source: Prometheus' exporter-toolkit, web/handler.go.
 */
export function guardFetch(fetch: Fetch, rules: () => RequestRules, clock: Clock): Fetch {
  const passwords = new PasswordCheck(clock);
  const rate = new RateLimiter(clock);
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
    if (current.users.size === 0) return fetch(request, env);
    const credentials = readBasicAuth(incoming.headers.authorization);
    if (!credentials) return unauthorized();
    const verdict = passwords.check(credentials, current.users);
    const answer = (found: Awaited<typeof verdict>) => {
      if (found === 'welcome') return fetch(request, env);
      return found === 'busy' ? refuse(429, 'Too Many Requests') : unauthorized();
    };
    return typeof verdict === 'string' ? answer(verdict) : verdict.then(answer);
  };
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
