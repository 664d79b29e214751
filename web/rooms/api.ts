import type { WireCommands, WireNotice } from '../../src/rooms/contract/command.ts';
import type { WireOnline } from '../../src/rooms/contract/feed.ts';
import type { WireInbox } from '../../src/rooms/contract/inbox.ts';
import type { MeBody, ReadBody, WireMe, WireMembers } from '../../src/rooms/contract/member.ts';
import type {
  PostMessageBody,
  PutMessageBody,
  WireFile,
  WireMessage,
  WirePage,
} from '../../src/rooms/contract/message.ts';
import type { RoomDraftBody, WireOpenedRoom, WireRoom, WireRooms } from '../../src/rooms/contract/room.ts';
import type { WireRun } from '../../src/rooms/contract/run.ts';
import type { WireHits } from '../../src/rooms/contract/search.ts';
import type { WireUser } from '../../src/rooms/contract/user.ts';
import type { Clock } from '../shared/clock.ts';
import { ApiError } from './api-error.ts';
import { addressOf } from './root.ts';
import { refusalWords } from './text/server-words.ts';
import { t } from './text/text.ts';

/** A request without an answer fails after this. */
const PATIENCE_MS = 30_000;

/** Overwrites whatever is there, also where the server requires a precondition. */
export const ANY_VERSION = { 'If-Match': '*' } as const;
/** Writes only if nothing is there yet. */
export const NEW_ONLY = { 'If-None-Match': '*' } as const;

export interface RequestParts {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The API of the server that sent the page. */
export class Api {
  readonly #clock: Clock;
  /** The user, on a server without sign-in. */
  readonly #user: string | undefined;
  /** Called when the session has ended. */
  onSignedOut: () => void = () => {};

  constructor(clock: Clock, user: string | undefined) {
    this.#clock = clock;
    this.#user = user;
  }

  /** Whether users sign in with tokens. */
  get hasSignIn(): boolean {
    return this.#user === undefined;
  }

  get identity(): Readonly<Record<string, string>> {
    return this.#user === undefined ? {} : { 'X-Opsdeck-User': this.#user };
  }

  room(id: string): Promise<WireOpenedRoom> {
    return this.send('GET', `/api/room/${encodeURIComponent(id)}?messages=50`);
  }

  rooms(query: Readonly<Record<string, string>> = {}): Promise<WireRooms> {
    return this.send('GET', `/api/room?${new URLSearchParams({ limit: '100', ...query })}`);
  }

  page(roomId: string, query: Readonly<Record<string, string>>): Promise<WirePage> {
    return this.send('GET', `/api/room/${roomId}/message?${new URLSearchParams({ limit: '50', ...query })}`);
  }

  message(id: string): Promise<WireMessage> {
    return this.send('GET', `/api/message/${encodeURIComponent(id)}`);
  }

  post(message: PostMessageBody): Promise<WireMessage | WireNotice> {
    return this.send('POST', '/api/message', { body: message });
  }

  edit(id: string, body: string): Promise<WireMessage> {
    return this.send('PUT', `/api/message/${id}`, { body: { body } satisfies PutMessageBody, headers: ANY_VERSION });
  }

  remove(id: string): Promise<WireMessage> {
    return this.send('DELETE', `/api/message/${id}`, { headers: ANY_VERSION });
  }

  react(id: string, emoji: string, reacts: boolean): Promise<WireMessage> {
    return this.send(reacts ? 'PUT' : 'DELETE', `/api/message/${id}/reaction/${encodeURIComponent(emoji)}`);
  }

  pin(id: string, pinned: boolean): Promise<WireMessage> {
    return this.send(pinned ? 'PUT' : 'DELETE', `/api/message/${id}/pin`);
  }

  commands(): Promise<WireCommands> {
    return this.send('GET', '/api/command');
  }

  /** `key` is unique for each press of the button. */
  press(id: string, action: string, key: string): Promise<WireMessage | WireNotice> {
    return this.send('POST', `/api/message/${id}/action/${action}`, { headers: { 'Idempotency-Key': key } });
  }

  read(roomId: string, body: ReadBody): Promise<WireMe> {
    return this.send('PUT', `/api/room/${roomId}/read`, { body });
  }

  putMe(roomId: string, me: MeBody): Promise<WireMe> {
    return this.send('PUT', `/api/room/${roomId}/me`, { body: me });
  }

  me(roomId: string): Promise<WireMe> {
    return this.send('GET', `/api/room/${roomId}/me`);
  }

  typing(roomId: string): Promise<void> {
    return this.send('POST', `/api/room/${roomId}/typing`);
  }

  presence(roomId: string): Promise<WireOnline> {
    return this.send('GET', `/api/room/${roomId}/presence`);
  }

  members(roomId: string): Promise<WireMembers> {
    return this.send('GET', `/api/room/${roomId}/member?limit=200`);
  }

  /** The newest finds; `next`: the end of the last page. */
  search(query: string, next: string | undefined = undefined): Promise<WireHits> {
    return this.send('GET', `/api/search?${new URLSearchParams({ q: query, limit: '20', ...(next && { next }) })}`);
  }

  inbox(): Promise<WireInbox> {
    return this.send('GET', '/api/inbox');
  }

  /** Users whose id begins with a text, or whose name contains it. */
  users(query: string): Promise<{ readonly users: readonly WireUser[] }> {
    return this.send('GET', `/api/user?${new URLSearchParams({ q: query, limit: '50' })}`);
  }

  /** The direct room of the user and others, which is made the first time. */
  direct(members: readonly string[]): Promise<WireRoom> {
    return this.send('POST', '/api/room', {
      body: { visibility: 'direct', members: [...members] } satisfies RoomDraftBody,
    });
  }

  run(id: string): Promise<WireRun> {
    return this.send('GET', `/api/run/${id}`);
  }

  cancelRun(id: string): Promise<WireRun> {
    return this.send('DELETE', `/api/run/${id}`);
  }

  retryRun(id: string): Promise<WireRun> {
    return this.send('POST', `/api/run/${id}/retry`);
  }

  /** Sends a file; `progress` gets the part that was sent, from 0 to 1. */
  upload(file: Blob & { readonly name?: string }, progress: (done: number) => void): Promise<WireFile> {
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open('POST', addressOf('/api/file'));
      for (const [name, value] of Object.entries(this.identity)) request.setRequestHeader(name, value);
      request.setRequestHeader('Content-Type', file.type || 'application/octet-stream');
      request.setRequestHeader('X-File-Name', encodeURIComponent(file.name ?? 'file'));
      request.upload.onprogress = ({ loaded, total }) => progress(total > 0 ? loaded / total : 0);
      request.onerror = () => reject(new ApiError(t('server.silent'), 'unreachable'));
      request.onload = () => {
        if (request.status === 201) resolve(JSON.parse(request.responseText) as WireFile);
        else {
          const reason = reasonIn(request.responseText, request.status, request.getResponseHeader('x-error-code'));
          reason.then((text) => reject(new ApiError(text, 'refused')), reject);
        }
      };
      request.send(file);
    });
  }

  async send<Answer>(method: string, path: string, { body, headers = {} }: RequestParts = {}): Promise<Answer> {
    const abort = new AbortController();
    const cancelTimer = this.#clock.after(PATIENCE_MS, () => abort.abort());
    try {
      const response = await fetch(addressOf(path), {
        method,
        headers: {
          ...this.identity,
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: abort.signal,
      });
      const text = await response.text();
      if (response.ok) return (text === '' ? undefined : JSON.parse(text)) as Answer;
      if (response.status === 401) this.onSignedOut();
      throw await errorOf(response, text);
    } catch (error) {
      if (error instanceof ApiError) throw error;
      throw new ApiError(t('server.silent'), 'unreachable');
    } finally {
      cancelTimer();
    }
  }
}

async function errorOf(response: Response, text: string): Promise<ApiError> {
  const { status } = response;
  const kind = status === 429 || status === 503 ? 'busy' : status >= 400 && status < 500 ? 'refused' : 'failed';
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  const code = response.headers.get('x-error-code') ?? '';
  return new ApiError(await reasonIn(text, status, code), kind, {
    status,
    code,
    retryAfterMs: Number.isFinite(seconds) ? seconds * 1000 : undefined,
  });
}

/** The reason of a refusal, in the words of its code or of its body. */
const reasonIn = (body: string, status: number, code: string | null): Promise<string> =>
  refusalWords(code ?? '', causeOf(body) || t('server.answered', { status: String(status) }));

function causeOf(body: string): string {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === 'string') return value;
  } catch {
    // The page of a proxy, not an answer of the server.
  }
  return '';
}
