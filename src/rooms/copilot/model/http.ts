import { messageOf, systemCodeOf } from '../../../kernel/errors.ts';
import { readRetryAfter } from '../../../kernel/http/retry-after.ts';
import type { HttpStream } from '../../../kernel/http-client/http-client.ts';
import { OversizedEventError, type SseEvent, SseReader } from '../../../kernel/sse/reader.ts';
import { redactSecrets } from '../../domain/message/redaction.ts';
import { ForbiddenAddressError, type OutboundGuard } from '../../outbound/outbound-guard.ts';
import { ModelError, type ModelRequest, type ModelTarget } from './model.ts';

/** The most that is read of an error, in bytes. */
const ERROR_BYTES = 16 * 1024;
const ERROR_CHARS = 300;
const EVENT_BYTES = 2 ** 20;
/** Statuses after which the provider may be asked again. */
const PASSING = new Set([408, 409, 425, 429, 529]);

/** Timeouts are rounded up to these steps, so that requests with similar timeouts share connections. */
const CONNECT_STEPS_MS = [1_000, 2_000, 5_000, 10_000, 30_000, 120_000, 600_000] as const;

/** Opens guards by their connect timeout. */
export class ModelConnections {
  readonly #create: (connectTimeoutMs: number) => OutboundGuard;
  readonly #guards = new Map<number, OutboundGuard>();

  constructor(create: (connectTimeoutMs: number) => OutboundGuard) {
    this.#create = create;
  }

  guardFor(connectMs: number): OutboundGuard {
    const step = CONNECT_STEPS_MS.find((ms) => ms >= connectMs) ?? 600_000;
    let guard = this.#guards.get(step);
    if (!guard) {
      guard = this.#create(step);
      this.#guards.set(step, guard);
    }
    return guard;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#guards.values()].map((guard) => guard.close()));
  }
}

export interface ModelCall {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

/** A refusal of the provider, with its body. */
export interface ModelRefusal {
  readonly status: number;
  /** As received; to be cleaned before it is shown. */
  readonly text: string;
  readonly retryAfterMs: number | undefined;
}

/** Sends a request for a stream; returns statuses other than 200, and fails with a ModelError otherwise. */
export async function callModel(
  connections: ModelConnections,
  { target, connectMs }: ModelRequest,
  { url, headers, body }: ModelCall,
  signal: AbortSignal,
): Promise<HttpStream | ModelRefusal> {
  const request = {
    method: 'POST',
    url,
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      'user-agent': 'opsdeck-rooms',
      ...headers,
    },
    body: JSON.stringify(body),
    signal,
  };
  try {
    const response = await connections.guardFor(connectMs).open(request, target);
    return response.status === 200 ? response : await readRefusal(response);
  } catch (error) {
    signal.throwIfAborted();
    throw connectError(error);
  }
}

async function readRefusal({ status, headers, body }: HttpStream): Promise<ModelRefusal> {
  return { status, text: await readSome(body, ERROR_BYTES), retryAfterMs: readRetryAfter(headers) };
}

/** The body of an answer that is no stream, cut at a limit. */
async function readWhole({ body }: HttpStream, signal: AbortSignal): Promise<string> {
  try {
    return await readSome(body, EVENT_BYTES);
  } catch {
    signal.throwIfAborted();
    throw cutOff();
  }
}

async function readSome(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    text += decoder.decode(chunk, { stream: true });
    if (size >= maxBytes) break;
  }
  return text;
}

function connectError(error: unknown): ModelError {
  let code: string | undefined;
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ForbiddenAddressError)
      return new ModelError('forbidden_address', `the provider was not asked: ${messageOf(cause)}`);
    code ??= systemCodeOf(cause);
  }
  // The error's own words may quote the request.
  const words = code && /^[A-Z][A-Z0-9_]{2,40}$/.test(code) ? ` (${code})` : '';
  return new ModelError('unreachable', `the provider cannot be reached${words}`, { isPassing: true });
}

/** The meaning of a refusal, in words without keys. */
export function refusalError({ status, text, retryAfterMs }: ModelRefusal, target: ModelTarget): ModelError {
  const words = wordsOf(text, target);
  const said = words === '' ? '' : `: ${words}`;
  if (status >= 300 && status < 400)
    return new ModelError('redirected', `the provider answered ${status}, a redirect, which is not followed`);
  const isPassing = PASSING.has(status) || status >= 500;
  return new ModelError(codeOf(status), `the provider answered ${status}${said}`, {
    isPassing,
    retryAfterMs: isPassing ? retryAfterMs : undefined,
  });
}

function codeOf(status: number): string {
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 429) return 'rate_limited';
  if (status === 529) return 'overloaded';
  return status >= 500 ? 'provider_failed' : 'refused';
}

/** The meaning of an error in the stream: `{message, type, code}` in the forms of OpenAI, Anthropic and the like. */
export function streamError(error: unknown, target: ModelTarget): ModelError {
  const { type, code } = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>;
  const marks = `${String(type ?? '')} ${String(code ?? '')}`;
  const isPassing = /overloaded|rate_limit|server_error|api_error|timeout|unavailable|\b(408|409|429|5\d\d)\b/.test(
    marks,
  );
  const words = cleanWords(messageIn(error) ?? '', target);
  const name = /overloaded/.test(marks) ? 'overloaded' : 'provider_failed';
  return new ModelError(name, `the provider reported an error${words === '' ? '' : `: ${words}`}`, { isPassing });
}

/** The message of an error body, cleaned and cut. */
function wordsOf(text: string, target: ModelTarget): string {
  try {
    const message = messageIn(JSON.parse(text));
    return cleanWords(message ?? '', target);
  } catch {
    // HTML pages are not shown.
    return text.trimStart().startsWith('<') ? '' : cleanWords(text, target);
  }
}

function messageIn(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return undefined;
  const { error, message, detail } = value as Record<string, unknown>;
  return messageIn(error) ?? messageIn(message) ?? messageIn(detail);
}

function cleanWords(text: string, { apiKey }: ModelTarget): string {
  const line = redactSecrets(text, apiKey)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .toWellFormed();
  return line.length <= ERROR_CHARS ? line : `${line.slice(0, ERROR_CHARS - 1).toWellFormed()}…`;
}

const cutOff = (): ModelError =>
  new ModelError('cut_off', 'the connection to the provider broke off', { isPassing: true });

/** The events of an answer. A server that does not stream sends its whole answer, which is then an event without a name. */
export async function* readAnswer(
  answer: HttpStream,
  signal: AbortSignal,
): AsyncGenerator<Pick<SseEvent, 'event' | 'data'>> {
  if (answer.headers.get('content-type')?.startsWith('application/json'))
    yield { event: 'message', data: await readWhole(answer, signal) };
  else yield* readEvents(answer, signal);
}

/** Lines other than events are skipped. */
async function* readEvents({ body }: HttpStream, signal: AbortSignal): AsyncGenerator<SseEvent> {
  const events = new SseReader({ maxEventBytes: EVENT_BYTES });
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      signal.throwIfAborted();
      for (const item of events.push(chunk)) if (item.kind === 'event') yield item;
    }
    signal.throwIfAborted();
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ModelError) throw error;
    if (error instanceof OversizedEventError) throw new ModelError('malformed', 'the provider sent an oversized event');
    throw cutOff();
  }
}

/** Reads the data of events as JSON objects; the second invalid one ends the answer. */
export class JsonEvents {
  #failures = 0;

  /** `undefined`: skipped. */
  read(data: string): Readonly<Record<string, unknown>> | undefined {
    try {
      const value: unknown = JSON.parse(data);
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
    } catch {
      // Counted below.
    }
    this.#failures += 1;
    if (this.#failures > 1) throw new ModelError('malformed', 'the provider sent what is not JSON');
    return undefined;
  }
}
