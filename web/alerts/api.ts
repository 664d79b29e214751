import type { Explanation } from '../../src/alerts/contract/explanation.ts';
import type { IntegrationHealth } from '../../src/alerts/contract/integration-health.ts';
import type { Routing } from '../../src/alerts/contract/routing.ts';
import type { ServerInfo } from '../../src/alerts/contract/server-info.ts';
import type { Timeline } from '../../src/alerts/contract/timeline.ts';
import type {
  Alert,
  AlertGroup,
  PostableSilence,
  Receiver,
  SentNotification,
  ServerStatus,
  Silence,
  SilenceId,
} from '../../src/alerts/contract/wire.ts';
import type { Condition } from '../../src/kernel/conditions.ts';
import type { Clock } from '../shared/clock.ts';
import { parseInSlices } from './parts/json-slices.ts';
import { serverWords } from './parts/server-words.ts';
import { t } from './text.ts';

/**
 * A failed request: `refused` by the server (4xx), `failed` with any other answer, `unreachable` without one.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly kind: 'refused' | 'failed' | 'unreachable';
  readonly status: number;

  constructor(message: string, kind: ApiError['kind'], status = 0) {
    super(message);
    this.kind = kind;
    this.status = status;
  }
}

/** The answers of opsdeck's own reports. */
interface Reports {
  readonly conditions: readonly Condition[];
  readonly explain: Explanation;
  readonly integrations: readonly IntegrationHealth[];
  readonly notifications: readonly SentNotification[];
  readonly routes: Routing;
  readonly server: ServerInfo;
  readonly timeline: Timeline;
}

/** The parameters of a report on the alert with these labels. */
export function labelParameters(labels: Readonly<Record<string, string>>): Readonly<Record<string, readonly string[]>> {
  return { label: Object.entries(labels).map(([name, value]) => `${name}=${value}`) };
}

/** Timeout of a request. */
const TIMEOUT_MS = 30_000;

/** The API of the page's server, relative to the page's URL. */
export class Api {
  readonly #clock: Clock;
  readonly #nextTask: () => Promise<void>;

  constructor(clock: Clock, nextTask: () => Promise<void>) {
    this.#clock = clock;
    this.#nextTask = nextTask;
  }

  /** Groups with alerts in any state; the filters are matchers as text, the receiver is a regular expression. */
  groups(filters: readonly string[], receiver: string, signal?: AbortSignal): Promise<AlertGroup[]> {
    const query = queryOf(filters);
    if (receiver) query.set('receiver', receiver);
    const parse = (text: string) => parseInSlices<AlertGroup>(text, 'alerts', this.#nextTask);
    return this.#json('GET', `alerts/groups?${query}`, undefined, signal, parse);
  }

  alerts(filters: readonly string[], signal?: AbortSignal): Promise<Alert[]> {
    return this.#json('GET', `alerts?${queryOf(filters)}`, undefined, signal);
  }

  /** Silenced and inhibited alerts. */
  suppressedAlerts(signal?: AbortSignal): Promise<Alert[]> {
    return this.#json('GET', 'alerts?active=false', undefined, signal);
  }

  receivers(signal?: AbortSignal): Promise<Receiver[]> {
    return this.#json('GET', 'receivers', undefined, signal);
  }

  silences(filters: readonly string[], signal?: AbortSignal): Promise<Silence[]> {
    return this.#json('GET', `silences?${queryOf(filters)}`, undefined, signal);
  }

  silence(id: string, signal?: AbortSignal): Promise<Silence> {
    return this.#json('GET', `silence/${encodeURIComponent(id)}`, undefined, signal);
  }

  /** Returns the id of the saved silence, a new one when the server had to replace it. */
  async saveSilence(silence: PostableSilence): Promise<string> {
    const answer = await this.#json<SilenceId>('POST', 'silences', JSON.stringify(silence));
    return answer.silenceID;
  }

  async expireSilence(id: string): Promise<void> {
    await this.#text('DELETE', `api/v2/silence/${encodeURIComponent(id)}`);
  }

  status(signal?: AbortSignal): Promise<ServerStatus> {
    return this.#json('GET', 'status', undefined, signal);
  }

  /** One of opsdeck's own reports; parameters may have several values. */
  report<Name extends keyof Reports>(
    name: Name,
    parameters: Readonly<Record<string, readonly string[]>> = {},
    signal?: AbortSignal,
  ): Promise<Reports[Name]> {
    const pairs = Object.entries(parameters).flatMap(([key, values]) =>
      values.map((value): [string, string] => [key, value]),
    );
    return this.#json('GET', `${name}?${new URLSearchParams(pairs)}`, undefined, signal);
  }

  async #json<Answer>(
    method: string,
    path: string,
    body?: string,
    signal?: AbortSignal,
    parse: (text: string) => Answer | Promise<Answer> = JSON.parse,
  ): Promise<Answer> {
    const { text, status } = await this.#text(method, `api/v2/${path}`, body, signal);
    try {
      return await parse(text);
    } catch {
      throw new ApiError(t('error.no-json'), 'failed', status);
    }
  }

  async #text(method: string, path: string, body?: string, signal?: AbortSignal) {
    const abort = new AbortController();
    const giveUp = () => abort.abort();
    if (signal?.aborted) giveUp();
    signal?.addEventListener('abort', giveUp);
    const cancelTimer = this.#clock.after(TIMEOUT_MS, giveUp);
    const headers = body === undefined ? {} : { 'Content-Type': 'application/json' };
    try {
      const response = await fetch(path, { method, headers, body: body ?? null, signal: abort.signal });
      const text = await response.text();
      if (response.ok) return { text, status: response.status };
      const kind = response.status >= 400 && response.status < 500 ? 'refused' : 'failed';
      throw new ApiError(
        serverWords(causeOf(text)) || t('error.status', { status: `${response.status} ${response.statusText}`.trim() }),
        kind,
        response.status,
      );
    } catch (error) {
      if (error instanceof ApiError) throw error;
      throw new ApiError(t('error.unreachable'), 'unreachable');
    } finally {
      cancelTimer();
      signal?.removeEventListener('abort', giveUp);
    }
  }
}

function queryOf(filters: readonly string[]): URLSearchParams {
  return new URLSearchParams(filters.map((filter): [string, string] => ['filter', filter]));
}

/** The cause in an error's body: a JSON string, or an object with a message; empty when it is neither. */
function causeOf(body: string): string {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === 'string') return value;
    if (typeof value === 'object' && value !== null && 'message' in value) return String(value.message);
  } catch {
    // A proxy's page, not the server's error.
  }
  return '';
}
