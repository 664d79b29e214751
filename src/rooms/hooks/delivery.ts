import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import { DeadlineError, withDeadline } from '../../kernel/deadline.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { StorageAwayError } from '../../kernel/postgres/storage-error.ts';
import { printInstant } from '../contract/instant.ts';
import { accessTo } from '../domain/access.ts';
import type { Caller } from '../domain/caller.ts';
import { hookCaller } from '../domain/hook/caller.ts';
import { advanced, failed, printDelivery, timeOf, wantsEvent } from '../domain/hook/delivery.ts';
import type { HookProgress, OutgoingHook } from '../domain/hook/hook.ts';
import { signWebhook } from '../domain/hook/webhook-signature.ts';
import { hookAuthorId } from '../domain/message/reserved-message.ts';
import { SCOPES } from '../domain/token/token.ts';
import type { RoomFeed } from '../feed/room-feed.ts';
import type { Messages } from '../messages/messages.ts';
import { ForbiddenAddressError, type OutboundGuard } from '../outbound/outbound-guard.ts';
import type { RoomState } from '../room/state.ts';
import type { RoomWriter } from '../room/writer.ts';
import type { RoomStore, StoredEvent } from '../store/store.ts';

const TIMEOUT_MS = 10_000;
const PAGE = 200;
/** Until the next attempt, without PostgreSQL. */
const AWAY_MS = 1_000;
/** After an unexpected error. */
const ERROR_MS = 60_000;

export interface HookDeliveryParts {
  readonly state: RoomState;
  readonly store: RoomStore;
  readonly writer: RoomWriter;
  readonly messages: Messages;
  readonly guard: OutboundGuard;
  readonly clock: Clock;
  readonly log: Log;
  readonly feed: Pick<RoomFeed, 'epoch'>;
  readonly random: () => number;
  readonly progress: () => HookProgress;
  readonly note: (progress: HookProgress) => void;
  /** Whether the hook is still this node's job. False also while PostgreSQL is away. */
  readonly mayDeliver: () => Promise<boolean>;
  /** Called when the receiver has failed for too long. */
  readonly pause: (reason: string) => void;
  /** The signing secrets, the current one first; empty: it cannot be decrypted. */
  readonly secrets: () => readonly string[];
}

type Attempt =
  | { readonly ok: true; readonly status: number; readonly text: string }
  | { readonly ok: false; readonly status: number | null; readonly error: string };

/** Delivers the events of one hook to its address, one after the other. */
export class HookDelivery {
  readonly #hook: OutgoingHook;
  readonly #parts: HookDeliveryParts;
  readonly #ending = new AbortController();
  #running: Promise<void> | undefined;
  #isAwake = false;
  #isClosed = false;
  #cancelRetry: CancelTimer | undefined;

  constructor(hook: OutgoingHook, parts: HookDeliveryParts) {
    this.#hook = hook;
    this.#parts = parts;
  }

  /** Checks for new events. */
  wake(): void {
    this.#isAwake = true;
    if (this.#isClosed || this.#cancelRetry) return;
    this.#running ??= this.#run();
  }

  /** Aborts the attempt in progress, which the next start repeats. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelRetry?.();
    this.#ending.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    try {
      while (this.#isAwake && !this.#isClosed && !this.#cancelRetry) {
        this.#isAwake = false;
        await this.#carryAll();
      }
    } catch (error) {
      if (error instanceof StorageAwayError) return this.#retryIn(AWAY_MS);
      this.#parts.log.error('the deliveries of a hook failed', { hook: this.#hook.id, err: messageOf(error) });
      this.#retryIn(ERROR_MS);
    } finally {
      this.#running = undefined;
    }
  }

  async #carryAll(): Promise<void> {
    const { store, writer } = this.#parts;
    const { roomId } = this.#hook;
    for (;;) {
      const after = this.#parts.progress().cursor;
      const upTo = writer.pos;
      if (after >= upTo || this.#isClosed) return;
      const events = await store.readEvents({
        after,
        upTo,
        limit: PAGE,
        ...(roomId === null ? {} : { roomIds: [roomId] }),
      });
      for (const event of events) {
        if (this.#isClosed || !(await this.#carry(event))) return;
      }
      // Events filtered out at the end of the log count as done, too.
      if (events.length < PAGE && !this.#isClosed) this.#parts.note(advanced(this.#parts.progress(), upTo, null));
    }
  }

  /** Whether to go on with the next event. */
  async #carry(event: StoredEvent): Promise<boolean> {
    const { note, progress, clock, random } = this.#parts;
    if (!this.#concerns(event)) {
      note(advanced(progress(), event.pos, null));
      return true;
    }
    if (!(await this.#parts.mayDeliver())) {
      this.#retryIn(AWAY_MS);
      return false;
    }
    const now = clock.now();
    const attempt = await this.#deliver(event, now);
    if (this.#isClosed) return false;
    if (attempt.ok) {
      note(advanced(progress(), event.pos, attempt.status));
      await this.#postAnswer(event, attempt.text);
      return true;
    }
    const next = failed(progress(), { ...attempt, now, random: random() });
    note(next.progress);
    if (next.retryInMs === null) this.#parts.pause(attempt.error);
    else this.#retryIn(next.retryInMs);
    return false;
  }

  #concerns(event: StoredEvent): boolean {
    const { roomId, createdBy, id } = this.#hook;
    if (event.roomId === null || event.audience !== null || !wantsEvent(this.#hook, event.type)) return false;
    // Otherwise its own answers would be delivered to it for ever.
    if (authorIdOf(event) === hookAuthorId(id)) return false;
    if (roomId !== null) return event.roomId === roomId;
    const [room, user] = [this.#parts.state.get('room', event.roomId), this.#parts.state.get('user', createdBy)];
    if (!room || !user || user.disabled) return false;
    const caller: Caller = {
      kind: 'user',
      user,
      isAdmin: user.role === 'admin',
      scopes: new Set(SCOPES),
      roomIds: null,
      tokenId: null,
      expiresAt: null,
    };
    return accessTo(this.#parts.state, caller, room) !== undefined;
  }

  async #deliver(event: StoredEvent, now: number): Promise<Attempt> {
    const { clock, feed, guard, progress } = this.#parts;
    const secrets = this.#parts.secrets();
    if (secrets.length === 0)
      return { ok: false, status: null, error: 'its signing secret cannot be decrypted; rotate it' };
    const id = `evt_${feed.epoch}-${event.pos}`;
    const timestampS = Math.floor(now / 1000);
    const occurredAt = timeOf(event.type, event.data) ?? printInstant(progress().failingSince ?? now);
    const body = printDelivery(event.type, occurredAt, event.data);
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'opsdeck-rooms',
      'webhook-id': id,
      'webhook-timestamp': String(timestampS),
      'webhook-signature': secrets.map((secret) => signWebhook(secret, id, timestampS, body)).join(' '),
    };
    const request = { method: 'POST', url: this.#hook.url, headers, body, statusSuffices: true };
    try {
      const deadline = { clock, ms: TIMEOUT_MS, signal: this.#ending.signal };
      const send = (signal: AbortSignal) => guard.send({ ...request, signal }, this.#hook);
      const { isOk, status, text } = await withDeadline(deadline, send);
      return isOk ? { ok: true, status, text } : { ok: false, status, error: `the receiver answered ${status}` };
    } catch (error) {
      return { ok: false, status: null, error: reasonOf(error) };
    }
  }

  /** A receiver may answer with a text for the room. */
  async #postAnswer(event: StoredEvent, answer: string): Promise<void> {
    const words = wordsOf(answer);
    if (words === undefined || event.roomId === null) return;
    const caller = hookCaller(this.#hook, event.roomId);
    const post = {
      room: event.roomId,
      body: words,
      id: `hook-${this.#hook.id}-${event.pos}`.slice(0, 64),
      byServer: true,
    };
    const posted = await this.#parts.messages.post(caller, post);
    if (!posted.ok)
      this.#parts.log.debug('the answer of a hook was not posted', { hook: this.#hook.id, code: posted.code });
  }

  #retryIn(ms: number): void {
    if (this.#isClosed) return;
    this.#cancelRetry = this.#parts.clock.after(ms, () => {
      this.#cancelRetry = undefined;
      this.wake();
    });
  }
}

/** The author of an event's message; its text may contain anything. */
function authorIdOf({ data }: StoredEvent): string | undefined {
  const { message } = JSON.parse(data) as { readonly message?: { readonly author?: { readonly id?: string } } };
  return message?.author?.id;
}

function wordsOf(answer: string): string | undefined {
  try {
    const parsed = JSON.parse(answer) as { readonly text?: unknown } | null;
    return typeof parsed?.text === 'string' && parsed.text.trim() !== '' ? parsed.text : undefined;
  } catch {
    return undefined;
  }
}

/** Errors of the client may quote the address with its secrets. */
function reasonOf(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ForbiddenAddressError || cause instanceof DeadlineError) return cause.message;
    if ('code' in cause && typeof cause.code === 'string' && /^[A-Z_]+$/.test(cause.code))
      return `not reachable: ${cause.code}`;
  }
  return 'not reachable';
}
