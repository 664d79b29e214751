import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Clock } from '../kernel/clock.ts';
import { systemCodeOf } from '../kernel/errors.ts';
import type { HttpFetch } from '../kernel/http-fetch.ts';
import type { Log } from '../kernel/log.ts';

const compress = promisify(gzip);

const RETRY_MS = 1000;
const ATTEMPT_MS = 10_000;
/** Of an answer, which nobody reads. */
const MOST_ANSWER_BYTES = 64 * 1024;

export interface DeliveryParts {
  readonly http: Pick<HttpFetch, 'fetch'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Ends all waiting. */
  readonly signal: AbortSignal;
}

export interface Payload {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Goes out as gzip. */
  readonly body: Buffer;
  /** What is sent, for the log. */
  readonly what: string;
}

/** `refused`: upstream will never take anything from this sender; `failed`: it did not take this. */
export interface DeliveryResult {
  readonly outcome: 'sent' | 'failed' | 'refused';
  /** Upstream's clock, in epoch milliseconds. */
  readonly serverTime: number | undefined;
}

/** Posts a payload, and once more a second later when that may help. Never rejects. */
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
  const abort = new AbortController();
  const end = () => abort.abort();
  const cancel = clock.after(ATTEMPT_MS, end);
  signal.addEventListener('abort', end);
  if (signal.aborted) end();
  try {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip', ...payload.headers };
    const response = await http.fetch(payload.url, { method: 'POST', headers, body, signal: abort.signal });
    await passOver(response);
    return judge(response, payload, log);
  } catch (error) {
    // The error's text may quote the request: its headers hold a key.
    const err = abort.signal.aborted ? 'no answer in time' : (systemCodeOf(error) ?? 'the request failed');
    log.warn('events could not be sent', { what: payload.what, err });
    return 'retry';
  } finally {
    cancel();
    signal.removeEventListener('abort', end);
  }
}

function judge({ status, headers }: Response, { what }: Payload, log: Log): DeliveryResult | 'retry' {
  const date = Date.parse(headers.get('date') ?? '');
  const serverTime = Number.isNaN(date) ? undefined : date;
  if (status >= 200 && status < 300) return { outcome: 'sent', serverTime };
  log.warn('events were not accepted', { what, status });
  if (isRecoverable(status)) return 'retry';
  // A smaller payload may pass.
  return { outcome: status === 413 ? 'failed' : 'refused', serverTime };
}

function isRecoverable(status: number): boolean {
  return status < 400 || status >= 500 || status === 400 || status === 408 || status === 429;
}

/** Reads the body away, so that the connection can be used again; a long one is cut off. */
async function passOver({ body }: Response): Promise<void> {
  if (!body) return;
  let size = 0;
  for await (const chunk of body) {
    size += (chunk as Uint8Array).length;
    if (size > MOST_ANSWER_BYTES) break;
  }
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
