import { formatDuration } from '../../kernel/duration.ts';
import { readRetryAfter } from '../../kernel/http/retry-after.ts';
import type { HttpAnswer } from '../../kernel/http-client/exchange.ts';
import type { Outcome } from '../../kernel/outcome.ts';
import { printable } from '../../kernel/terminal/printable.ts';

export type UpstreamCode =
  | 'upstream_unreachable'
  | 'upstream_timeout'
  | 'upstream_session_expired'
  | 'upstream_challenge'
  | 'upstream_forbidden'
  | 'upstream_rate_limited'
  | 'upstream_error'
  | 'upstream_bad_response';

/** Why upstream gave no data, for the page; contains no secret. */
export interface UpstreamFailure {
  readonly code: UpstreamCode;
  readonly error: string;
  readonly hint: string;
  readonly status?: number;
  /** From Retry-After. */
  readonly retryAfterMs?: number;
  /** Upstream refuses the request itself, perhaps for a too long range. */
  readonly isBadRequest?: boolean;
}

/** The failure of an `Outcome` that comes from upstream. */
export interface UpstreamFailed {
  readonly failure: UpstreamFailure;
}

const HTML = /^\s*(?:<!doctype html|<html)/i;
/** Found on login pages but not on bot checks. */
const LOGIN_MARKER =
  /type\s*=\s*["']?password|\b(?:sign|log)[\s-]?in\b|action\s*=\s*["'][^"']*\/(?:login|signin|authorize)|authkit/i;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * Interprets an answer. An HTML page with a login form means an expired session, any other HTML page a bot check, which
 * may be unrelated to the token. `asked` is the request's URL, `variable` the name of the token's variable.
 */
export function classifyAnswer(
  { status, headers, text }: HttpAnswer,
  asked: URL,
  variable: string,
): Outcome<unknown, UpstreamFailed> {
  const fail = (failure: Omit<UpstreamFailure, 'status'>): Outcome<never, UpstreamFailed> => ({
    ok: false,
    failure: { ...failure, status },
  });
  if (REDIRECTS.has(status)) return fail(explainRedirect(headers.get('location'), asked, variable));
  if (headers.get('cf-mitigated') === 'challenge') return fail(CHALLENGE);
  const isPage = HTML.test(text);
  if (status === 401 || (status === 200 && isPage && LOGIN_MARKER.test(text))) return fail(expired(variable));
  if (isPage && (status === 200 || status === 403)) return fail(CHALLENGE);
  if (status === 403) return fail(FORBIDDEN);
  if (status === 429) return fail(rateLimited(readRetryAfter(headers)));
  if (status >= 500) return fail(brokenUpstream(status));
  if (status === 400) return fail({ ...unexpected('upstream refuses the request (400)'), isBadRequest: true });
  if (status !== 200) return fail(unexpected(`upstream answered ${status}`));
  try {
    return { ok: true, value: JSON.parse(text) as unknown };
  } catch {
    return fail(unexpected('the upstream answer is not JSON'));
  }
}

function expired(variable: string): UpstreamFailure {
  return {
    code: 'upstream_session_expired',
    error: 'the upstream session has expired',
    hint: `Sign in upstream, copy the fresh session cookie into ${variable} (environment or .env), and restart.`,
  };
}

const CHALLENGE: UpstreamFailure = {
  code: 'upstream_challenge',
  error: 'upstream answered with a bot check instead of data',
  hint: 'The token may be fine. Try again later, or load a CSV export.',
};

const FORBIDDEN: UpstreamFailure = {
  code: 'upstream_forbidden',
  error: 'upstream forbids this request',
  hint: 'Check that the upstream URL is the site where you sign in, and that the token belongs to the right team.',
};

function rateLimited(retryAfterMs: number | undefined): UpstreamFailure {
  const when = retryAfterMs === undefined ? 'in a few minutes' : `in ${formatDuration(Math.max(1000, retryAfterMs))}`;
  return {
    code: 'upstream_rate_limited',
    error: 'upstream asks for fewer requests',
    hint: `Try again ${when}.`,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

function brokenUpstream(status: number): UpstreamFailure {
  return {
    code: 'upstream_error',
    error: `upstream failed (${status})`,
    hint: 'The fault is upstream. Try again later, or load a CSV export.',
  };
}

/** For unexpected answers of upstream. */
export function unexpected(error: string): UpstreamFailure {
  return {
    code: 'upstream_bad_response',
    error,
    hint: 'Check USAGE_UPSTREAM_URL. If it is right, upstream may have changed its answers: load a CSV export.',
  };
}

export const UNREACHABLE: UpstreamFailure = {
  code: 'upstream_unreachable',
  error: 'upstream cannot be reached',
  hint: 'Check the network and USAGE_UPSTREAM_URL.',
};

export const TIMEOUT: UpstreamFailure = {
  code: 'upstream_timeout',
  error: 'upstream gave no answer in time',
  hint: 'Try again, or ask for a shorter period.',
};

/** A login page has another path; the same path on another host is a site that has moved. */
function explainRedirect(location: string | null, asked: URL, variable: string): UpstreamFailure {
  const target = location !== null && URL.canParse(location, asked.href) ? new URL(location, asked) : undefined;
  if (!target || target.pathname !== asked.pathname) return expired(variable);
  return {
    ...unexpected('upstream has moved'),
    hint: `It points to ${printable(target.origin)}: set USAGE_UPSTREAM_URL to that, if you trust it.`,
  };
}
