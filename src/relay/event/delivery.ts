import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Clock } from '../../kernel/clock.ts';
import { DeadlineError, withDeadline } from '../../kernel/deadline.ts';
import { systemCodeOf } from '../../kernel/errors.ts';
import type { HttpAnswer } from '../../kernel/http-client/exchange.ts';
import type { SendsRequests } from '../../kernel/http-client/http-client.ts';
import type { Log } from '../../kernel/log.ts';

const compress = promisify(gzip);

const RETRY_MS = 1000;
const ATTEMPT_MS = 10_000;

export interface DeliveryParts {
  readonly http: SendsRequests;
  readonly clock: Clock;
  readonly log: Log;
  /** Aborts requests and waits. */
  readonly signal: AbortSignal;
}

export interface Payload {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as gzip. */
  readonly body: Buffer;
  /** Description for the log. */
  readonly what: string;
}

/** `failed`: upstream has not accepted this payload; `refused`: it will accept none with this credential. */
export interface DeliveryResult {
  readonly outcome: 'sent' | 'failed' | 'refused';
  /** From the Date header, in epoch milliseconds. */
  readonly serverTime: number | undefined;
}

/** Posts a payload, with one retry after a second if the failure may be temporary. Never rejects. */
export async function deliver(payload: Payload, parts: DeliveryParts): Promise<DeliveryResult> {
  const body = await compress(payload.body);
  const first = await attempt(payload, body, parts);
  if (first !== 'retry') return first;
  await pause(RETRY_MS, parts);
  const second = parts.signal.aborted ? 'retry' : await attempt(payload, body, parts);
  return second === 'retry' ? { outcome: 'failed', serverTime: undefined } : second;
}

async function attempt(payload: Payload, body: Buffer, parts: DeliveryParts): Promise<DeliveryResult | 'retry'> {
  const { http, clock, log, signal } = parts;
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip', ...payload.headers };
  const request = { method: 'POST', url: payload.url, headers, body, statusSuffices: true };
  try {
    const answer = await withDeadline({ clock, ms: ATTEMPT_MS, signal }, (signal) => http.send({ ...request, signal }));
    return resultOf(answer, payload, log);
  } catch (error) {
    const isLate = signal.aborted || error instanceof DeadlineError;
    // Without the error message, which may quote the request and its key.
    const err = isLate ? 'no response in time' : (systemCodeOf(error) ?? 'the request failed');
    log.warn('events could not be sent', { what: payload.what, err });
    return 'retry';
  }
}

function resultOf({ status, headers }: HttpAnswer, { what }: Payload, log: Log): DeliveryResult | 'retry' {
  const date = Date.parse(headers.get('date') ?? '');
  const serverTime = Number.isNaN(date) ? undefined : date;
  if (status >= 200 && status < 300) return { outcome: 'sent', serverTime };
  log.warn('events were not accepted', { what, status });
  if (isRecoverable(status)) return 'retry';
  // A smaller payload may be accepted.
  return { outcome: status === 413 ? 'failed' : 'refused', serverTime };
}

function isRecoverable(status: number): boolean {
  return status < 400 || status >= 500 || status === 400 || status === 408 || status === 429;
}

function pause(ms: number, { clock, signal }: DeliveryParts): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      cancel();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const cancel = clock.after(ms, end);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
}
