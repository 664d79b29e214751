import type { SendOutcome } from './composer/outbox.ts';

/**
 * An answer that is none: `refused` is the server's word on what was asked (4xx), `busy` asks to come back later (429 and
 * 503), `failed` is any other answer, and `unreachable` no answer at all.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly kind: 'refused' | 'busy' | 'failed' | 'unreachable';
  readonly status: number;
  /** The machine's word for it; `''` where there is none. */
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

/** What went wrong, for people. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What a failed attempt means: without an answer nobody knows, so it is sent again, with the same id. */
export function outcomeOf(error: unknown): SendOutcome {
  if (!(error instanceof ApiError)) return { kind: 'later' };
  if (error.kind === 'refused' && error.status !== 401 && error.status !== 408)
    return { kind: 'refused', reason: error.message };
  return { kind: 'later', afterMs: error.retryAfterMs };
}
