import type { Clock } from '../kernel/clock.ts';
import { withDeadline } from '../kernel/deadline.ts';
import type { AnswerHeaders } from '../kernel/http-client/exchange.ts';
import type { SendsRequests } from '../kernel/http-client/http-client.ts';

export interface GoalsAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface GoalsParts {
  /** Undefined: there is no upstream, and no goals. */
  readonly upstream: { readonly baseUri: string; readonly http: SendsRequests } | undefined;
  readonly clock: Clock;
}

interface CachedGoals extends GoalsAnswer {
  /** Epoch milliseconds. */
  readonly freshUntil: number;
}

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 2 ** 20;
const NO_GOALS: GoalsAnswer = {
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from('[]'),
};
/** Headers passed on: those about the body. */
const PASSED_ON = [
  'content-type',
  'content-encoding',
  'cache-control',
  'expires',
  'etag',
  'last-modified',
  'age',
  'date',
];

/**
 * The goals of JavaScript SDKs from upstream, cached as it allows (RFC 7234): at most one request at a time per environment,
 * with the validators of the cached response. If upstream is unreachable, a stale response is used.
 */
export class Goals {
  readonly #parts: GoalsParts;
  readonly #cached = new Map<string, CachedGoals>();
  readonly #asking = new Map<string, Promise<GoalsAnswer | undefined>>();

  constructor(parts: GoalsParts) {
    this.#parts = parts;
  }

  /** Undefined if upstream does not respond and nothing is cached. Call it for known environments only. */
  async read(envId: string): Promise<GoalsAnswer | undefined> {
    const { upstream, clock } = this.#parts;
    if (!upstream) return NO_GOALS;
    const cached = this.#cached.get(envId);
    if (cached && clock.now() < cached.freshUntil) return cached;
    let asking = this.#asking.get(envId);
    if (!asking) {
      asking = this.#ask(envId, `${upstream.baseUri}/sdk/goals/${encodeURIComponent(envId)}`, upstream.http, cached)
        .catch(() => cached)
        .finally(() => this.#asking.delete(envId));
      this.#asking.set(envId, asking);
    }
    return asking;
  }

  async #ask(envId: string, url: string, http: SendsRequests, cached: CachedGoals | undefined): Promise<GoalsAnswer> {
    const request = { url, headers: validatorsOf(cached), maxBytes: MAX_BYTES };
    const answer = await withDeadline({ clock: this.#parts.clock, ms: TIMEOUT_MS }, (signal) =>
      http.send({ ...request, signal }),
    );
    const { status, bytes: body } = answer;
    const headers = namedHeaders(answer.headers);
    if (cached && status >= 500) return cached;
    if (cached && status === 304) return this.#keep(envId, { ...cached, headers: { ...cached.headers, ...headers } });
    if (!answer.isWhole) throw new Error('the goals of upstream are too large');
    return this.#keep(envId, { status, headers, body });
  }

  #keep(envId: string, answer: GoalsAnswer): GoalsAnswer {
    const freshMs = freshFor(answer.headers, this.#parts.clock.now());
    if (answer.status !== 200 || freshMs === undefined) this.#cached.delete(envId);
    else this.#cached.set(envId, { ...answer, freshUntil: this.#parts.clock.now() + freshMs });
    return answer;
  }
}

function validatorsOf(cached: CachedGoals | undefined): Record<string, string> {
  const etag = cached?.headers.etag;
  const modified = cached?.headers['last-modified'];
  return { ...(etag ? { 'if-none-match': etag } : {}), ...(modified ? { 'if-modified-since': modified } : {}) };
}

function namedHeaders(headers: AnswerHeaders): Record<string, string> {
  return Object.fromEntries(
    PASSED_ON.flatMap((name) => {
      const value = headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
}

/** Freshness for a shared cache in milliseconds, 0 if it must be revalidated; undefined if it must not be stored. */
function freshFor(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const control = (headers['cache-control'] ?? '').toLowerCase();
  if (/\b(no-store|private)\b/.test(control)) return undefined;
  if (/\bno-cache\b/.test(control)) return 0;
  const seconds = /\bs-maxage="?(\d+)/.exec(control) ?? /\bmax-age="?(\d+)/.exec(control);
  const ageMs = Number(headers.age ?? 0) * 1000 || 0;
  if (seconds) return Math.max(0, Number(seconds[1]) * 1000 - ageMs);
  if (headers.expires === undefined) return 0;
  const expires = Date.parse(headers.expires);
  const date = Date.parse(headers.date ?? '');
  return Number.isNaN(expires) ? 0 : Math.max(0, expires - (Number.isNaN(date) ? now : date) - ageMs);
}
