import { messageOf } from '../../kernel/errors.ts';
import { readRetryAfter } from '../../kernel/http/retry-after.ts';
import { accepted, type Outcome } from '../../kernel/outcome.ts';
import { OwnTimeout } from './http/timeout.ts';
import type { Delivery, FailureReason, HttpAnswer, HttpClient, HttpRequest } from './notifier.ts';
import { hideSecrets } from './secret-texts.ts';
import { truncateRunes } from './truncate.ts';

export interface DeliveryRules {
  /** Statuses besides 5xx after which a retry may succeed. */
  readonly retryStatuses?: readonly number[];
  /** The part of an answer that an error quotes; the whole body by default. */
  readonly describe?: (answer: HttpAnswer) => string;
  /** Stands before an error about the answer. */
  readonly prefix?: string;
  /** Texts that must not appear in an error. */
  readonly secrets?: readonly string[];
}

/** Characters of a body in an error, which is stored and shown. */
const MAX_DETAILS = 2048;

export const DELIVERED: Delivery = { ok: true };

/** A result, or the failed delivery. */
export type Attempted<T> = Outcome<T, { readonly failure: Delivery }>;

export const failed = (failure: Delivery) => ({ ok: false, failure }) as const;

/** Sends one request; resolves with an answer with status 2xx, or with the failure. */
export async function exchange(
  client: HttpClient,
  request: HttpRequest,
  rules: DeliveryRules = {},
): Promise<Attempted<HttpAnswer>> {
  try {
    const answer = await client.send(request);
    const failure = failureOfAnswer(answer, rules);
    return failure ? failed(failure) : accepted(answer);
  } catch (error) {
    return failed(failedToSend(error, request.signal, rules.secrets));
  }
}

/** Sends one request that succeeds with any status of 2xx. */
export async function deliver(client: HttpClient, request: HttpRequest, rules?: DeliveryRules): Promise<Delivery> {
  const result = await exchange(client, { ...request, statusSuffices: true }, rules);
  return result.ok ? DELIVERED : result.failure;
}

/** The failure of a request without an answer; a retry may succeed. */
export function failedToSend(error: unknown, signal: AbortSignal, secrets: readonly string[] = []): Delivery {
  const reason = signal.aborted ? abortReason(signal) : 'other';
  return { ok: false, retry: true, reason, error: hideSecrets(messageOf(error), secrets) };
}

/** A permanent failure. */
export function failedForGood(error: string, reason: FailureReason = 'other'): Delivery {
  return { ok: false, retry: false, reason, error };
}

/**
 * A signal is aborted with a TimeoutError at the deadline of the flush, with an OwnTimeout at that of the integration, and
 * with anything else at a stop.
 */
export function abortReason(signal: AbortSignal): FailureReason {
  const reason: unknown = signal.reason;
  if (reason instanceof OwnTimeout) return 'other';
  return reason instanceof Error && reason.name === 'TimeoutError' ? 'contextDeadlineExceeded' : 'contextCanceled';
}

/** Undefined for a status of 2xx. Source: Alertmanager notify.Retrier. */
export function failureOfAnswer(answer: HttpAnswer, rules: DeliveryRules = {}): Delivery | undefined {
  const { status } = answer;
  if (status >= 200 && status < 300) return undefined;
  // Before truncation, which could leave the beginning of a secret.
  const said = hideSecrets(rules.describe ? rules.describe(answer) : answer.text, rules.secrets ?? []);
  const details = truncateRunes(said, MAX_DETAILS);
  const error = `${rules.prefix ?? ''}unexpected status code ${status}${details === '' ? '' : `: ${details}`}`;
  return {
    ok: false,
    retry: status >= 500 || (rules.retryStatuses?.includes(status) ?? false),
    reason: reasonOfStatus(status),
    error: hideSecrets(error, rules.secrets ?? []),
    retryAfterMs: readRetryAfter(answer.headers),
  };
}

export function reasonOfStatus(status: number): FailureReason {
  if (status === 401 || status === 403) return 'authError';
  if (status === 429) return 'rateLimited';
  if (status >= 400 && status < 500) return 'clientError';
  return status >= 500 && status < 600 ? 'serverError' : 'other';
}
