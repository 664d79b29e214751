import ky, { type KyInstance } from 'ky';
import * as v from 'valibot';
import { parseFlagDuration } from '../../kernel/duration.ts';
import { CommandError, ExitCode, messageOf, systemCodeOf } from '../../kernel/errors.ts';
import { isLoopbackHost } from '../../kernel/http/site-address.ts';
import { printable } from '../../kernel/terminal/printable.ts';
import { awaitStart } from '../../kernel/terminal/starting-server.ts';
import type { Terminal } from '../../kernel/terminal/terminal.ts';
import { type FlagData, readFlagData } from '../flag-store.ts';
import { readLocalKeys } from '../local-keys.ts';
import { hideKey } from '../masking.ts';
import { statusSchema, type WireStatus } from './wire.ts';

export interface ConnectionOptions {
  readonly url?: string;
  readonly timeout: string;
  readonly sdkKey?: string;
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

const DEFAULT_URL = 'http://localhost:8030';
const DEFAULT_SDK_KEY = 'sdk-local';
const MAX_TEXT = 500;
const CONNECTION_TROUBLE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was cut',
  UND_ERR_SOCKET: 'the connection was cut',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the name could not be resolved',
};

/**
 * Client of a relay, opsdeck's or LaunchDarkly's. Methods throw a {@link CommandError}: exit code 3 if it is unreachable, 4
 * for an unknown key, 1 for any other refusal.
 */
export class RelayClient {
  /** Without credentials. */
  readonly url: string;
  readonly #terminal: Terminal;
  /** The first one that the relay knows is used. */
  readonly #sdkKeys: readonly [string, ...string[]];
  readonly #timeoutMs: number;
  readonly #timeout: string;
  readonly #http: KyInstance;

  constructor({ url, timeout, sdkKey }: ConnectionOptions, terminal: Terminal) {
    this.#terminal = terminal;
    this.url = readAddress(url ?? (terminal.env.OPSDECK_RELAY_URL || DEFAULT_URL));
    this.#sdkKeys = keysFor(this.url, sdkKey ?? (terminal.env.OPSDECK_RELAY_SDK_KEY || undefined), terminal.env);
    this.#timeout = timeout;
    const ms = parseFlagDuration(timeout);
    if (ms === undefined || ms <= 0) throw new CommandError('--timeout: write a duration such as 30s', ExitCode.usage);
    this.#timeoutMs = ms;
    this.#http = ky.create({ prefix: this.url, retry: 0, timeout: false, throwHttpErrors: false });
  }

  async status(): Promise<WireStatus> {
    const { body } = this.#accept(await this.#send('status', {}));
    const value = this.#parse(body);
    // Not valibot's copy: `--json` prints the response as received.
    if (v.is(statusSchema, value)) return value;
    throw new CommandError(`${this.url} did not return the status of a relay`);
  }

  /** All flags and segments; undefined if the relay does not support it, as LaunchDarkly's. */
  async data(): Promise<FlagData | undefined> {
    const answer = await this.#sendWithKey('sdk/latest-all');
    if (answer.status === 404) return undefined;
    const data = readFlagData(this.#parse(this.#accept(answer).body));
    if (data.ok) return data.value;
    throw new CommandError(`${this.url} did not return flags: ${data.reason}`);
  }

  /** Evaluates a flag in the relay; undefined if it is unknown. */
  async evaluation(key: string, context: string): Promise<unknown> {
    const encoded = Buffer.from(context).toString('base64url');
    const path = `sdk/evalx/contexts/${encoded}?withReasons=true`;
    const { body } = this.#accept(await this.#sendWithKey(path));
    const all = this.#parse(body);
    return v.is(v.record(v.string(), v.unknown()), all) && Object.hasOwn(all, key) ? all[key] : undefined;
  }

  #parse(body: string): unknown {
    try {
      return JSON.parse(body);
    } catch {
      throw new CommandError(`${this.url} did not return JSON; is it a relay?`);
    }
  }

  async #sendWithKey(path: string): Promise<Answer> {
    const [first, ...others] = this.#sdkKeys;
    let answer = await this.#send(path, { authorization: first });
    for (const authorization of others) if (answer.status === 401) answer = await this.#send(path, { authorization });
    return answer;
  }

  #hideKeys(text: string): string {
    return this.#sdkKeys.reduce(hideKey, text);
  }

  #accept(answer: Answer): Answer {
    const { status, body } = answer;
    if (status >= 200 && status < 300) return answer;
    const text = printable(this.#hideKeys(body.trim().slice(0, MAX_TEXT)));
    const isDenied = status === 401 || status === 403;
    const hint = isDenied ? ' (set the SDK key with --sdk-key or OPSDECK_RELAY_SDK_KEY)' : '';
    const code = isDenied ? ExitCode.denied : ExitCode.failed;
    throw new CommandError(`${this.url} answered ${status}${text && `: ${text}`}${hint}`, code);
  }

  async #send(path: string, headers: Readonly<Record<string, string>>): Promise<Answer> {
    const deadline = new AbortController();
    const cancel = this.#terminal.clock.after(this.#timeoutMs, () => deadline.abort());
    try {
      const { signal } = deadline;
      const response = await awaitStart(this.url, this.#terminal, () => this.#http(path, { headers, signal }));
      return { status: response.status, body: await response.text() };
    } catch (error) {
      const trouble = deadline.signal.aborted ? `no response within ${this.#timeout}` : connectionTrouble(error);
      throw new CommandError(
        `cannot reach ${this.url}: ${this.#hideKeys(trouble)}. Is it running? Set another URL with --url or OPSDECK_RELAY_URL`,
        ExitCode.unreachable,
      );
    } finally {
      cancel();
    }
  }
}

/** By default the local key, which is only sent to this machine, and that of the sample. */
function keysFor(url: string, named: string | undefined, variables: Terminal['env']): readonly [string, ...string[]] {
  if (named !== undefined) return [named];
  const own = isLoopbackHost(new URL(url).hostname) ? readLocalKeys(variables)?.sdkKey : undefined;
  return own === undefined ? [DEFAULT_SDK_KEY] : [own, DEFAULT_SDK_KEY];
}

function readAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password)
    throw new CommandError(`--url: write an http or https URL, such as ${DEFAULT_URL}`, ExitCode.usage);
  return url.href.replace(/\/+$/, '');
}

/** Why fetch failed: the innermost cause. */
function connectionTrouble(error: unknown): string {
  let deepest = error;
  while (deepest instanceof Error && deepest.cause instanceof Error) deepest = deepest.cause;
  const code = systemCodeOf(deepest);
  return (code && CONNECTION_TROUBLE[code]) || printable(messageOf(deepest)) || code || 'unknown error';
}
