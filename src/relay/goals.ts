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
  /** Where upstream has them; undefined: there is no upstream, and no goals. */
  readonly upstream: { readonly baseUri: string; readonly http: SendsRequests } | undefined;
  readonly clock: Clock;
}

interface Held extends GoalsAnswer {
  /** Epoch milliseconds until which nobody need ask again. */
  readonly freshUntil: number;
}

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 2 ** 20;
const NO_GOALS: GoalsAnswer = {
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from('[]'),
};
/** What of an answer is about its body, and not about the connection or the origin. */
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
 * The goals of JavaScript SDKs, as upstream has them, kept as long as it allows (RFC 7234): one request at a time for each
 * environment, asked with the validators of what is known. When upstream cannot be reached, what is known is good enough.
 */
export class Goals {
  readonly #parts: GoalsParts;
  readonly #held = new Map<string, Held>();
  readonly #asking = new Map<string, Promise<GoalsAnswer | undefined>>();

  constructor(parts: GoalsParts) {
    this.#parts = parts;
  }

  /** Undefined when upstream gives no answer and never gave one. Only asked for environments that are known. */
  async read(envId: string): Promise<GoalsAnswer | undefined> {
    const { upstream, clock } = this.#parts;
    if (!upstream) return NO_GOALS;
    const held = this.#held.get(envId);
    if (held && clock.now() < held.freshUntil) return held;
    let asking = this.#asking.get(envId);
    if (!asking) {
      asking = this.#ask(envId, `${upstream.baseUri}/sdk/goals/${encodeURIComponent(envId)}`, upstream.http, held)
        .catch(() => held)
        .finally(() => this.#asking.delete(envId));
      this.#asking.set(envId, asking);
    }
    return asking;
  }

  async #ask(envId: string, url: string, http: SendsRequests, held: Held | undefined): Promise<GoalsAnswer> {
    const request = { url, headers: validatorsOf(held), maxBytes: MAX_BYTES };
    const answer = await withDeadline({ clock: this.#parts.clock, ms: TIMEOUT_MS }, (signal) =>
      http.send({ ...request, signal }),
    );
    const { status, bytes: body } = answer;
    const headers = namedHeaders(answer.headers);
    if (held && status >= 500) return held;
    if (held && status === 304) return this.#keep(envId, { ...held, headers: { ...held.headers, ...headers } });
    if (!answer.isWhole) throw new Error('the goals of upstream are too long');
    return this.#keep(envId, { status, headers, body });
  }

  #keep(envId: string, answer: GoalsAnswer): GoalsAnswer {
    const freshMs = freshFor(answer.headers, this.#parts.clock.now());
    if (answer.status !== 200 || freshMs === undefined) this.#held.delete(envId);
    else this.#held.set(envId, { ...answer, freshUntil: this.#parts.clock.now() + freshMs });
    return answer;
  }
}

function validatorsOf(held: Held | undefined): Record<string, string> {
  const etag = held?.headers.etag;
  const modified = held?.headers['last-modified'];
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

/** How many milliseconds an answer is good for as a shared cache sees it, 0 when it must be asked for again; undefined: it must not be kept. */
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
