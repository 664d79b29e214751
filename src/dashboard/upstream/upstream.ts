import type { Clock } from '../../kernel/clock.ts';
import { DeadlineError, withDeadline } from '../../kernel/deadline.ts';
import { systemCodeOf } from '../../kernel/errors.ts';
import type { HttpAnswer } from '../../kernel/http-client/exchange.ts';
import type { HttpClient } from '../../kernel/http-client/http-client.ts';
import type { Outcome } from '../../kernel/outcome.ts';
import type { DashboardUser } from '../config/config.ts';
import {
  classifyAnswer,
  TIMEOUT,
  UNREACHABLE,
  type UpstreamFailed,
  type UpstreamFailure,
  unexpected,
} from './answer.ts';

export interface UpstreamOptions {
  /** Without a slash at the end. */
  readonly url: string;
  readonly cookieName: string;
  readonly http: HttpClient;
  readonly clock: Clock;
}

export interface UpstreamRequest {
  readonly method: 'GET' | 'POST';
  /** Begins with a slash. */
  readonly path: string;
  readonly body?: unknown;
  /** The user whose token is sent. */
  readonly user: DashboardUser;
  /** Epoch milliseconds of the caller's deadline. */
  readonly deadlineAt: number;
  /** Aborted when no request waits any more; counts as a timeout. */
  readonly signal?: AbortSignal | undefined;
}

const ONE_ANSWER_MS = 30_000;
/** Ten times the largest page seen. */
const MAX_ANSWER_BYTES = 32 * 2 ** 20;
const RETRY_MS = 1_000;
/** Longer waits are left to the user. */
const MAX_RETRY_MS = 30_000;
/** Upstream refuses clients that do not look like browsers. */
const USER_AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36';
const NO_NETWORK_HINTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was cut',
  UND_ERR_SOCKET: 'the connection was cut',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name could not be resolved',
  UND_ERR_CONNECT_TIMEOUT: 'no connection came about',
};

/** Requests to the upstream usage API with a user's token; failures say what is wrong. */
export class Upstream {
  readonly #options: UpstreamOptions;

  constructor(options: UpstreamOptions) {
    this.#options = options;
  }

  /** The JSON of an answer. A rate limit or an upstream error is retried once. */
  async ask(request: UpstreamRequest): Promise<Outcome<unknown, UpstreamFailed>> {
    const first = await this.#askOnce(request);
    if (first.ok) return first;
    const pauseMs = retryPause(first.failure);
    const { clock } = this.#options;
    if (pauseMs === undefined || clock.now() + pauseMs >= request.deadlineAt) return first;
    await pause(clock, pauseMs, request.signal);
    return this.#askOnce(request);
  }

  async #askOnce(request: UpstreamRequest): Promise<Outcome<unknown, UpstreamFailed>> {
    const { clock, url } = this.#options;
    const waitMs = Math.min(ONE_ANSWER_MS, request.deadlineAt - clock.now());
    if (waitMs <= 0 || request.signal?.aborted) return { ok: false, failure: TIMEOUT };
    const deadline = { clock, ms: waitMs, signal: request.signal };
    try {
      const answer = await withDeadline(deadline, (signal) => this.#send(request, signal));
      if (!answer.isWhole) return { ok: false, failure: unexpected('the upstream answer is too large') };
      return classifyAnswer(answer, new URL(url + request.path), request.user.tokenVariable);
    } catch (error) {
      const isLate = error instanceof DeadlineError || request.signal?.aborted;
      return { ok: false, failure: isLate ? TIMEOUT : explain(error) };
    }
  }

  #send({ method, path, body, user }: UpstreamRequest, signal: AbortSignal): Promise<HttpAnswer> {
    const { http, url, cookieName } = this.#options;
    const { origin } = new URL(url);
    return http.send({
      method,
      url: url + path,
      signal,
      maxBytes: MAX_ANSWER_BYTES,
      headers: {
        accept: 'application/json',
        cookie: `${cookieName}=${user.token ?? ''}`,
        referer: `${origin}/dashboard?tab=usage`,
        'user-agent': USER_AGENT,
        ...(method === 'POST' ? { origin, 'content-type': 'application/json' } : {}),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  }
}

/** Ends early when the signal is aborted. */
function pause(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      cancel();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const cancel = clock.after(ms, end);
    signal?.addEventListener('abort', end, { once: true });
    if (signal?.aborted) end();
  });
}

function retryPause({ code, retryAfterMs = RETRY_MS }: UpstreamFailure): number | undefined {
  if (code !== 'upstream_rate_limited' && code !== 'upstream_error') return undefined;
  return retryAfterMs <= MAX_RETRY_MS ? retryAfterMs : undefined;
}

/** The error's own text may quote the request and its cookie. */
function explain(error: unknown): UpstreamFailure {
  let deepest = error;
  while (deepest instanceof Error && deepest.cause instanceof Error) deepest = deepest.cause;
  const code = systemCodeOf(deepest) ?? '';
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'ETIMEDOUT') return TIMEOUT;
  const reason = NO_NETWORK_HINTS[code] ?? code;
  return reason === '' ? UNREACHABLE : { ...UNREACHABLE, error: `${UNREACHABLE.error}: ${reason}` };
}
