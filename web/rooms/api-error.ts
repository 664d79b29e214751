import type { SendOutcome } from './composer/outbox.ts';

/**
 * A request that failed: `refused` by the server (4xx), `busy` if it may be tried again later (429 and 503), `failed` with
 * any other status, `unreachable` without an answer.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly kind: 'refused' | 'busy' | 'failed' | 'unreachable';
  readonly status: number;
  /** `X-Error-Code`; `''` if there is none. */
  readonly code: string;
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    kind: ApiError['kind'],
    { status = 0, code = '', retryAfterMs }: { status?: number; code?: string; retryAfterMs?: number | undefined } = {},
  ) {
    super(message);
    this.kind = kind;
    this.status = status;
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The reason of a failure, shown to the user. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The outcome of a failed attempt: without an answer it is unknown, so the message is sent again with the same id. */
export function outcomeOf(error: unknown): SendOutcome {
  if (!(error instanceof ApiError)) return { kind: 'later' };
  if (error.kind === 'refused' && error.status !== 401 && error.status !== 408)
    return { kind: 'refused', reason: error.message };
  return { kind: 'later', afterMs: error.retryAfterMs };
}
