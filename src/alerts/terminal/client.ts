import ky, { type KyInstance } from 'ky';
import * as v from 'valibot';
import { CommandError, ExitCode, messageOf, systemCodeOf } from '../../kernel/errors.ts';
import { printable } from '../../kernel/terminal/printable.ts';
import { awaitStart } from '../../kernel/terminal/starting-server.ts';
import type { Terminal } from '../../kernel/terminal/terminal.ts';
import type { PostableAlert, PostableSilence } from '../contract/wire.ts';
import { findServerAddress, type ServerAddress } from './server-address.ts';
import { parseSpan } from './time-argument.ts';
import type { WireAlert, WireAlertGroup, WireExplanation, WireNotification, WireSilence, WireStatus } from './wire.ts';
import {
  alertGroupsSchema,
  alertsSchema,
  explanationSchema,
  notificationsSchema,
  silenceIdSchema,
  silenceSchema,
  silencesSchema,
  statusSchema,
} from './wire.ts';

export interface ConnectionOptions {
  readonly url?: string;
  readonly timeout: string;
}

/** Query parameters; a list is sent as one parameter per value, undefined is left out. */
export type Parameters = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

interface Answer {
  readonly status: number;
  readonly location: string | null;
  readonly contentType: string;
  readonly body: string;
}

/** The server answered with an error; `status` is the HTTP status. */
export class RefusedError extends CommandError {
  readonly status: number;

  constructor(message: string, status: number, exitCode: ExitCode) {
    super(message, exitCode);
    this.status = status;
  }
}

const MAX_TEXT = 2000;
const EXIT_CODES: Readonly<Record<number, ExitCode>> = {
  401: ExitCode.denied,
  403: ExitCode.denied,
  409: ExitCode.conflict,
};

/** The text in the body of a refusal: a JSON string, an object with a message, or plain text. */
export function refusalText(body: string, contentType: string): string {
  let text = /html/i.test(contentType) ? '' : body;
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === 'string') text = value;
    else if (v.is(v.looseObject({ message: v.string() }), value)) text = value.message;
    else if (v.is(v.looseObject({ error: v.string() }), value)) text = value.error;
  } catch {
    // Not JSON: the text is the message.
  }
  return printable(
    text
      .trim()
      .slice(0, MAX_TEXT)
      .replace(/\s*\n\s*/g, '; '),
  );
}

const CONNECTION_TROUBLE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was cut',
  UND_ERR_SOCKET: 'the connection was cut',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the name could not be resolved',
  ETIMEDOUT: 'no answer',
  UND_ERR_CONNECT_TIMEOUT: 'no answer',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to the network',
};

/** Why fetch failed, from the innermost cause: its message or its code. */
function connectionTrouble(error: unknown): string {
  let deepest = error;
  while (deepest instanceof Error && deepest.cause instanceof Error) deepest = deepest.cause;
  const code = systemCodeOf(deepest);
  if (code?.startsWith('ERR_SSL_'))
    return 'the server speaks no TLS that this end understands (http instead of https?)';
  return (code && CONNECTION_TROUBLE[code]) || printable(messageOf(deepest)) || code || 'unknown trouble';
}

function searchOf(parameters: Parameters): URLSearchParams {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined) continue;
    for (const one of typeof value === 'object' ? value : [value]) search.append(name, String(one));
  }
  return search;
}

/**
 * A client of Alertmanager's API v2, for opsdeck and Alertmanager. Every method throws a {@link CommandError}: exit code
 * 3 when the server cannot be reached, 4 when access is denied, 5 for a conflict, 1 for any other refusal. Nothing is
 * sent twice.
 */
export class AlertmanagerClient {
  readonly #terminal: Terminal;
  readonly #address: ServerAddress;
  readonly #timeoutMs: number;
  readonly #timeout: string;
  readonly #http: KyInstance;

  constructor(options: ConnectionOptions, terminal: Terminal) {
    this.#terminal = terminal;
    this.#address = findServerAddress(options.url, terminal);
    this.#timeout = options.timeout;
    this.#timeoutMs = parseSpan(options.timeout, '--timeout');
    const { authorization } = this.#address;
    this.#http = ky.create({
      prefix: this.#address.apiUrl,
      headers: { accept: 'application/json', ...(authorization && { authorization }) },
      retry: 0,
      timeout: false,
      throwHttpErrors: false,
    });
  }

  /** The server's address, without credentials. */
  get url(): string {
    return this.#address.shown;
  }

  status(): Promise<WireStatus> {
    return this.#read('status', {}, statusSchema);
  }

  alerts(parameters: Parameters): Promise<WireAlert[]> {
    return this.#read('alerts', parameters, alertsSchema);
  }

  groups(parameters: Parameters): Promise<WireAlertGroup[]> {
    return this.#read('alerts/groups', parameters, alertGroupsSchema);
  }

  async addAlerts(alerts: readonly PostableAlert[]): Promise<void> {
    await this.#succeed('POST', 'alerts', {}, alerts);
  }

  /** The sent notifications, newest first; only opsdeck has them. */
  notifications(parameters: Parameters): Promise<WireNotification[]> {
    return this.#readOwn('notifications', parameters, notificationsSchema);
  }

  /** What happens to an alert; each parameter `label` is `name=value`. Only opsdeck has it. */
  explanation(parameters: Parameters): Promise<WireExplanation> {
    return this.#readOwn('explain', parameters, explanationSchema);
  }

  silences(parameters: Parameters): Promise<WireSilence[]> {
    return this.#read('silences', parameters, silencesSchema);
  }

  silence(id: string): Promise<WireSilence> {
    return this.#read(`silence/${encodeURIComponent(id)}`, {}, silenceSchema);
  }

  /** Creates or updates a silence and returns its new id. */
  async setSilence(silence: PostableSilence): Promise<string> {
    const { body } = await this.#succeed('POST', 'silences', {}, silence);
    return this.#parse(body, silenceIdSchema).silenceID;
  }

  async expireSilence(id: string): Promise<void> {
    await this.#succeed('DELETE', `silence/${encodeURIComponent(id)}`, {});
  }

  async #read<T>(path: string, parameters: Parameters, schema: v.GenericSchema<T>): Promise<T> {
    const { body } = await this.#succeed('GET', path, parameters);
    return this.#parse(body, schema);
  }

  /** Reads from an endpoint that Alertmanager does not have. */
  async #readOwn<T>(path: string, parameters: Parameters, schema: v.GenericSchema<T>): Promise<T> {
    try {
      return await this.#read(path, parameters, schema);
    } catch (error) {
      if (!(error instanceof RefusedError) || error.status !== 404) throw error;
      throw new RefusedError(
        `${this.url} does not know ${path}: opsdeck does, Alertmanager does not`,
        404,
        ExitCode.failed,
      );
    }
  }

  #parse<T>(body: string, schema: v.GenericSchema<T>): T {
    let value: unknown;
    try {
      value = JSON.parse(body);
    } catch {
      throw new CommandError(`${this.url} answered something that is not JSON; is it an Alertmanager?`);
    }
    // The value itself, not valibot's copy: `--output json` shows what the server sent.
    if (v.is(schema, value)) return value;
    throw new CommandError(`${this.url} answered JSON that is not of Alertmanager's API v2; is it an Alertmanager?`);
  }

  async #succeed(method: string, path: string, parameters: Parameters, json?: unknown): Promise<Answer> {
    const answer = await this.#send(method, path, parameters, json);
    if (answer.status >= 200 && answer.status < 300) return answer;
    throw this.#refusal(answer);
  }

  #refusal({ status, location, contentType, body }: Answer): RefusedError {
    const text = refusalText(body, contentType) || (status === 404 ? 'not found' : '');
    const exitCode = EXIT_CODES[status] ?? ExitCode.failed;
    let message = `${this.url} answered ${status}${text && `: ${text}`}`;
    if (location) message = `${this.url} redirects elsewhere (${status}): give its new address in --url`;
    if (exitCode === ExitCode.denied) message += ' (credentials go into the URL: http://name:password@host)';
    return new RefusedError(message, status, exitCode);
  }

  async #send(method: string, path: string, parameters: Parameters, json: unknown): Promise<Answer> {
    const deadline = new AbortController();
    const cancel = this.#terminal.clock.after(this.#timeoutMs, () => deadline.abort());
    try {
      const response = await awaitStart(this.url, this.#terminal, () =>
        this.#http(path, {
          method,
          searchParams: searchOf(parameters),
          signal: deadline.signal,
          // Following a redirect would turn a POST into a GET.
          redirect: method === 'GET' ? 'follow' : 'manual',
          ...(json !== undefined && { json }),
        }),
      );
      return {
        status: response.status,
        location: response.headers.get('location'),
        contentType: response.headers.get('content-type') ?? '',
        body: await response.text(),
      };
    } catch (error) {
      const trouble = deadline.signal.aborted ? `no answer within ${this.#timeout}` : connectionTrouble(error);
      throw new CommandError(
        `cannot reach ${this.url}: ${trouble}. Does the server run? --url or OPSDECK_ALERTS_URL names another`,
        ExitCode.unreachable,
        { cause: error },
      );
    } finally {
      cancel();
    }
  }
}
