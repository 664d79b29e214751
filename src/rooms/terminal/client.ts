import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import * as v from 'valibot';
import { type Clock, holdProcess } from '../../kernel/clock.ts';
import { CommandError, ExitCode, messageOf, systemCodeOf } from '../../kernel/errors.ts';
import { readRetryAfter } from '../../kernel/http/retry-after.ts';
import type { AnswerHeaders } from '../../kernel/http-client/exchange.ts';
import { HttpClient, type HttpRequest, type HttpStream } from '../../kernel/http-client/http-client.ts';
import { printable } from '../../kernel/terminal/printable.ts';
import { awaitStart } from '../../kernel/terminal/starting-server.ts';
import type { Terminal } from '../../kernel/terminal/terminal.ts';
import { type Connection, type ConnectionOptions, readConnection } from './connection.ts';

export interface RequestParts {
  /** Sent as JSON. */
  readonly json?: unknown;
  readonly body?: string | Uint8Array | Readable;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Milliseconds; the connection's by default. */
  readonly timeoutMs?: number;
}

export interface Answer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly text: string;
}

/** A refusal by the server. */
export class RefusedError extends CommandError {
  readonly status: number;
  /** The error code, such as `room_not_found`. */
  readonly code: string;
  /** Milliseconds until a retry may succeed, if the server says so. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, answer: Pick<Answer, 'status' | 'headers'>) {
    super(message, exitCodeOf(answer.status));
    this.status = answer.status;
    this.code = answer.headers.get('x-error-code') ?? '';
    this.retryAfterMs = readRetryAfter(answer.headers);
  }
}

const MAX_TEXT = 1_000;
const CONNECTION_TROUBLE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was cut',
  UND_ERR_SOCKET: 'the connection was cut',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the name could not be resolved',
};
const CONFLICTS = new Set([409, 412, 428]);

function exitCodeOf(status: number): ExitCode {
  if (status === 401 || status === 403) return ExitCode.denied;
  return CONFLICTS.has(status) ? ExitCode.conflict : ExitCode.failed;
}

/** A client of a rooms server. Every method throws a CommandError whose exit code names the kind of failure. */
export class RoomsClient {
  readonly url: string;
  readonly clock: Clock;
  readonly #connection: Connection;
  readonly #http: HttpClient;

  constructor(connection: Connection, clock: Clock) {
    this.url = connection.url;
    this.clock = clock;
    this.#connection = connection;
    const { timeoutMs, variables } = connection;
    this.#http = new HttpClient({ connectTimeoutMs: Math.min(timeoutMs, 10_000), variables });
  }

  /** The JSON of a GET, as far as the schema covers it. */
  async get<S extends v.GenericSchema>(path: string, schema: S): Promise<v.InferOutput<S>> {
    return this.parse(await this.send('GET', path), schema);
  }

  async send(method: string, path: string, parts: RequestParts = {}): Promise<Answer> {
    const deadline = this.#deadline(parts);
    try {
      const request = { ...this.#request(method, path, parts, deadline.signal), maxBytes: Infinity };
      const answer = await this.#whenStarted(request, () => this.#http.send(request));
      if (answer.isOk) return answer;
      throw this.#refusal(answer);
    } catch (error) {
      throw this.#trouble(error, deadline.isOver());
    } finally {
      deadline.cancel();
    }
  }

  /** An answer with a stream as its body; the timeout covers its head. The body must be read or cancelled. */
  async open(method: string, path: string, parts: RequestParts = {}): Promise<HttpStream> {
    const deadline = this.#deadline(parts);
    try {
      const request = this.#request(method, path, parts, deadline.signal);
      const response = await this.#whenStarted(request, () => this.#http.open(request));
      const { status, headers, body } = response;
      if (status >= 200 && status < 300) return response;
      throw this.#refusal({ status, headers, text: await text(body) });
    } catch (error) {
      throw this.#trouble(error, deadline.isOver());
    } finally {
      deadline.cancel();
    }
  }

  /**
   * The bytes of an answer; a body that breaks off is an error that names the server. So is silence longer than
   * `longestSilenceMs`; without it the caller limits the time.
   */
  async *read({ body }: HttpStream, longestSilenceMs?: number): AsyncGenerator<Uint8Array> {
    let isSilent = false;
    const giveUp = () => {
      isSilent = true;
      body.destroy(new Error('the server keeps silent'));
    };
    const watch = () => (longestSilenceMs === undefined ? () => {} : this.clock.after(longestSilenceMs, giveUp));
    let cancel = watch();
    try {
      for await (const piece of body) {
        cancel();
        yield piece as Uint8Array;
        cancel = watch();
      }
    } catch (error) {
      throw this.#trouble(error, isSilent);
    } finally {
      cancel();
    }
  }

  parse<S extends v.GenericSchema>({ text }: Answer, schema: S): v.InferOutput<S> {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      throw new CommandError(`${this.url} answered something that is not JSON; is it a server of rooms?`);
    }
    const parsed = v.safeParse(schema, value, { abortEarly: true });
    if (parsed.success) return parsed.output;
    const path = v.getDotPath(parsed.issues[0]);
    throw new CommandError(`${this.url} answered JSON of another shape than expected${path ? ` (${path})` : ''}`);
  }

  async close(): Promise<void> {
    await this.#http.close();
  }

  #request(method: string, path: string, parts: RequestParts, deadline: AbortSignal): HttpRequest {
    const { token, user } = this.#connection;
    const { json, signal } = parts;
    const body = json === undefined ? parts.body : JSON.stringify(json);
    return {
      method,
      url: `${this.url}${path}`,
      headers: {
        accept: 'application/json, */*;q=0.5',
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(user === undefined ? {} : { 'x-opsdeck-user': user }),
        ...parts.headers,
      },
      body,
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
    };
  }

  #whenStarted<T>({ body }: HttpRequest, send: () => Promise<T>): Promise<T> {
    // A stream cannot be sent again.
    const { startWaitMs = 0 } = body instanceof Readable ? {} : this.#connection;
    return awaitStart(this.url, { clock: this.clock, startWaitMs }, send);
  }

  #refusal(answer: Answer): RefusedError {
    const { status, text } = answer;
    const reason = reasonOf(text) ?? `${this.url} answered ${status}${excerptOf(text)}`;
    const hint = status === 401 ? ' (OPSDECK_ROOMS_TOKEN or --token shows a token)' : '';
    return new RefusedError(`${printable(this.#hideToken(reason)).slice(0, MAX_TEXT)}${hint}`, answer);
  }

  #deadline({ timeoutMs = this.#connection.timeoutMs }: RequestParts) {
    const controller = new AbortController();
    const cancel = this.clock.after(timeoutMs, () => controller.abort());
    return { signal: controller.signal, isOver: () => controller.signal.aborted, cancel };
  }

  #trouble(error: unknown, isLate: boolean): Error {
    if (error instanceof CommandError) return error;
    const why = isLate ? 'no answer in time (--timeout)' : this.#hideToken(connectionTrouble(error));
    return new CommandError(
      `cannot reach ${this.url}: ${why}. Does it run? --url or OPSDECK_ROOMS_URL names another`,
      ExitCode.unreachable,
      { cause: error },
    );
  }

  #hideToken(text: string): string {
    const { token } = this.#connection;
    return token === undefined ? text : text.replaceAll(token, '…');
  }
}

/** Runs a command with a client, keeping the process alive until it ends. */
export async function withClient<T>(
  options: ConnectionOptions,
  terminal: Terminal,
  use: (client: RoomsClient) => Promise<T>,
): Promise<T> {
  const client = new RoomsClient(readConnection(options, terminal), terminal.clock);
  const release = holdProcess();
  try {
    return await use(client);
  } finally {
    await client.close();
    release();
  }
}

/**
 * The reason of a refusal of rooms, a JSON string; `undefined`: the answer came from another server, such as a proxy.
 */
function reasonOf(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' && value !== '' ? value : undefined;
  } catch {
    return undefined;
  }
}

/** An answer of another server, unless it is a page. */
function excerptOf(text: string): string {
  const [line = ''] = text.trim().split('\n');
  return line === '' || line.startsWith('<') ? '' : `: ${line}`;
}

/** The root cause of a failed request. */
function connectionTrouble(error: unknown): string {
  let deepest = error;
  while (deepest instanceof Error && deepest.cause instanceof Error) deepest = deepest.cause;
  const code = systemCodeOf(deepest);
  return (code && CONNECTION_TROUBLE[code]) || printable(messageOf(deepest)) || code || 'unknown trouble';
}
