import type {
  ActivityReport,
  FlagDetails,
  FlagList,
  SwitchAnswer,
  SwitchRequest,
  TryAnswer,
  TryRequest,
} from '../../src/relay/contract/page.ts';
import type { Clock } from '../shared/clock.ts';

/** A failed request: `refused` by the relay (4xx), `signed out` without a valid token, `failed` with any other answer, `unreachable` without one. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly kind: 'refused' | 'signed out' | 'failed' | 'unreachable';
  readonly status: number;

  constructor(message: string, kind: ApiError['kind'], status = 0) {
    super(message);
    this.kind = kind;
    this.status = status;
  }
}

const TIMEOUT_MS = 30_000;
const TOKEN_KEY = 'opsdeck.page-token';

/** An answer that may be the one that is known already. */
export interface Tagged<T> {
  readonly tag: string;
  /** Undefined: unchanged. */
  readonly value: T | undefined;
  /** The relay's time in epoch milliseconds. */
  readonly at: number | undefined;
}

/** The API of the page's relay, relative to the page's URL. */
export class Api {
  readonly #clock: Clock;
  #token: string | undefined = readToken();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Uses this token in further requests; the tab keeps it. */
  signIn(token: string): void {
    this.#token = token;
    try {
      sessionStorage.setItem(TOKEN_KEY, token);
    } catch {
      // Forbidden storage: the token lasts until the page is closed.
    }
  }

  /** `tag` is that of the known answer. */
  async activity(environment: string | undefined, tag: string, signal?: AbortSignal): Promise<Tagged<ActivityReport>> {
    const query = environment === undefined ? '' : `?${new URLSearchParams({ environment })}`;
    const response = await this.#send('GET', `activity${query}`, { tag, signal });
    const date = Date.parse(response.headers.get('date') ?? '');
    return {
      tag: response.headers.get('etag') ?? '',
      value: response.status === 304 ? undefined : ((await response.json()) as ActivityReport),
      at: Number.isNaN(date) ? undefined : date,
    };
  }

  async flags(environment: string): Promise<FlagList> {
    return (await this.#send('GET', `flags?${new URLSearchParams({ environment })}`)).json() as Promise<FlagList>;
  }

  async flag(environment: string, key: string): Promise<FlagDetails> {
    return (await this.#send('GET', pathOf(key, { environment }))).json() as Promise<FlagDetails>;
  }

  async yaml(environment: string, key: string): Promise<string> {
    return (await this.#send('GET', pathOf(key, { environment, format: 'yaml' }))).text();
  }

  async switchFlag(key: string, request: SwitchRequest): Promise<SwitchAnswer> {
    const path = `flags/${encodeURIComponent(key)}/switch`;
    return (await this.#send('POST', path, { body: request })).json() as Promise<SwitchAnswer>;
  }

  async try(request: TryRequest): Promise<TryAnswer> {
    return (await this.#send('POST', 'try', { body: request })).json() as Promise<TryAnswer>;
  }

  async #send(
    method: string,
    path: string,
    { tag, body, signal }: { tag?: string; body?: object; signal?: AbortSignal | undefined } = {},
  ): Promise<Response> {
    const abort = new AbortController();
    const giveUp = () => abort.abort();
    if (signal?.aborted) giveUp();
    signal?.addEventListener('abort', giveUp);
    const cancelTimer = this.#clock.after(TIMEOUT_MS, giveUp);
    const headers: Record<string, string> = {
      ...(this.#token === undefined ? {} : { Authorization: `Bearer ${this.#token}` }),
      ...(tag ? { 'If-None-Match': tag } : {}),
      ...(body ? { 'Content-Type': 'application/json' } : {}),
    };
    try {
      const options = { method, headers, body: body ? JSON.stringify(body) : null, signal: abort.signal };
      const response = await fetch(`api/${path}`, options);
      if (response.ok || response.status === 304) return response;
      throw await refusalOf(response);
    } catch (error) {
      if (error instanceof ApiError) throw error;
      throw new ApiError('', 'unreachable');
    } finally {
      cancelTimer();
      signal?.removeEventListener('abort', giveUp);
    }
  }
}

function pathOf(key: string, query: Record<string, string>): string {
  return `flags/${encodeURIComponent(key)}?${new URLSearchParams(query)}`;
}

function readToken(): string | undefined {
  try {
    return sessionStorage.getItem(TOKEN_KEY) ?? undefined;
  } catch {
    return undefined;
  }
}

async function refusalOf(response: Response): Promise<ApiError> {
  const { status, statusText } = response;
  const reason = messageIn(await response.text()) || `${status} ${statusText}`.trim();
  if (status === 401) return new ApiError(reason, 'signed out', status);
  return new ApiError(reason, status >= 400 && status < 500 ? 'refused' : 'failed', status);
}

/** Empty if the text is not the relay's. */
function messageIn(body: string): string {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null && 'message' in value ? String(value.message) : '';
  } catch {
    return '';
  }
}
