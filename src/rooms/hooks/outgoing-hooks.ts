import type { Clock } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import type { SecretCipher } from '../authentication/secret-cipher.ts';
import type { Committed } from '../domain/event.ts';
import { hookCaller } from '../domain/hook/caller.ts';
import type { HookProgress, OutgoingHook } from '../domain/hook/hook.ts';
import { signingSecrets } from '../domain/hook/rotation.ts';
import { type RecordChange, record } from '../domain/record.ts';
import type { RoomFeed } from '../feed/room-feed.ts';
import type { Messages } from '../messages/messages.ts';
import type { OutboundGuard } from '../outbound/outbound-guard.ts';
import type { RoomState } from '../room/state.ts';
import type { RoomWriter } from '../room/writer.ts';
import type { RoomStore } from '../store/store.ts';
import { HookDelivery } from './delivery.ts';

/** Progress is written with this delay at most, so a crash may repeat deliveries of that time. */
const SAVE_EVERY_MS = 1_000;

const NO_PROGRESS = { failures: 0, lastStatus: null, lastError: null, failingSince: null };

export interface OutgoingHooksParts {
  readonly state: RoomState;
  readonly store: RoomStore;
  readonly writer: RoomWriter;
  readonly messages: Messages;
  readonly guard: OutboundGuard;
  readonly cipher: SecretCipher;
  readonly clock: Clock;
  readonly log: Log;
  readonly feed: Pick<RoomFeed, 'epoch'>;
  /** From 0 up to 1. */
  readonly random: () => number;
}

/** Delivers events to the addresses of outgoing hooks, in the log's order. */
export class OutgoingHooks {
  readonly #parts: OutgoingHooksParts;
  readonly #deliveries = new Map<string, HookDelivery>();
  readonly #unsaved = new Map<string, HookProgress>();
  readonly #stopSaving: () => void;
  #saving: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(parts: OutgoingHooksParts) {
    this.#parts = parts;
    this.#stopSaving = parts.clock.every(SAVE_EVERY_MS, () => void this.#save());
    parts.writer.onCommit((committed) => this.#follow(committed));
  }

  /** Starts all enabled hooks where they stopped. */
  start(): void {
    for (const hook of this.#parts.state.all('hook').values()) if (hook.direction === 'outgoing') this.#take(hook);
  }

  /** A hook's progress; the stored one may be a second behind. */
  progressOf(id: string): HookProgress | undefined {
    return this.#unsaved.get(id) ?? this.#parts.state.get('progress', id);
  }

  /** Starts a new hook after position `pos`; resolves when that is on disk. */
  async begin(id: string, pos: number): Promise<void> {
    this.#note(id, { ...NO_PROGRESS, cursor: Math.max(pos, this.progressOf(id)?.cursor ?? 0) });
    await this.#save();
  }

  /** Delivers again everything after a position. */
  rewind(hook: OutgoingHook, cursor: number): void {
    this.#stop(hook.id);
    this.#note(hook.id, { ...NO_PROGRESS, cursor });
    this.#take(hook);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopSaving();
    await Promise.all([...this.#deliveries.values()].map((delivery) => delivery.close()));
    await this.#save();
  }

  #follow(committed: readonly Committed[]): void {
    if (this.#isClosed) return;
    for (const { event } of committed) {
      if (!('hook' in event) || event.hook.direction !== 'outgoing') continue;
      this.#stop(event.hook.id);
      if (event.type === 'hook.deleted') this.#unsaved.delete(event.hook.id);
      else if (event.type !== 'hook.paused') {
        this.#forgive(event.hook.id);
        this.#take(event.hook);
      }
    }
    for (const delivery of this.#deliveries.values()) delivery.wake();
  }

  /** A change of the hook resets its failures. */
  #forgive(id: string): void {
    const progress = this.progressOf(id);
    if (progress && progress.failures > 0) this.#note(id, { ...progress, failures: 0, failingSince: null });
  }

  #take(hook: OutgoingHook): void {
    if (!hook.enabled || this.#isClosed) return;
    const { writer } = this.#parts;
    // A hook without progress is not started yet.
    const cursor = writer.pos;
    const delivery = new HookDelivery(hook, {
      ...this.#parts,
      progress: () => this.progressOf(hook.id) ?? { ...NO_PROGRESS, cursor },
      note: (progress) => this.#note(hook.id, progress),
      pause: (reason) => void this.#pause(hook, reason),
      secrets: () => this.#secretsOf(hook),
    });
    this.#deliveries.set(hook.id, delivery);
    delivery.wake();
  }

  #secretsOf({ id }: OutgoingHook): readonly string[] {
    const { state, cipher, clock } = this.#parts;
    const owner = `hook/${id}`;
    const secret = state.get('secret', owner);
    if (!secret) return [];
    const [current, ...earlier] = signingSecrets(secret, clock.now()).map((sealed) => cipher.open(owner, sealed));
    return current === undefined ? [] : [current, ...earlier.filter((one) => one !== undefined)];
  }

  #stop(id: string): void {
    void this.#deliveries.get(id)?.close();
    this.#deliveries.delete(id);
  }

  #note(id: string, progress: HookProgress): void {
    this.#unsaved.set(id, progress);
  }

  #save(): Promise<void> {
    this.#saving = this.#saving.then(() => this.#saveNow());
    return this.#saving;
  }

  async #saveNow(): Promise<void> {
    const taken = [...this.#unsaved];
    if (taken.length === 0) return;
    const { writer, state, log } = this.#parts;
    const records: RecordChange[] = taken
      .filter(([id]) => state.get('hook', id) !== undefined)
      .map(([id, progress]) => record('progress', id, progress));
    try {
      const saved = await writer.submit({ decide: () => ({ ok: true, write: { records }, answer: () => {} }) });
      if (!saved.ok) return;
    } catch (error) {
      return log.warn('the progress of hooks could not be written', { err: messageOf(error) });
    }
    for (const [id, progress] of taken) if (this.#unsaved.get(id) === progress) this.#unsaved.delete(id);
  }

  async #pause(hook: OutgoingHook, reason: string): Promise<void> {
    this.#stop(hook.id);
    const { writer, state, log, messages } = this.#parts;
    log.warn('a hook is paused: its receiver has failed for too long', { hook: hook.id, reason });
    if (hook.roomId !== null) {
      const body = `The hook **${hook.name}** is paused: its receiver has failed for a day (${reason}). Enable it when it is back.`;
      void messages.post(hookCaller(hook, hook.roomId), { room: hook.roomId, body, byServer: true });
    }
    await writer
      .submit({
        decide: (view) => {
          const current = view.get('hook', hook.id);
          if (current?.direction !== 'outgoing') return { ok: true, write: null, answer: () => {} };
          const paused = { ...current, enabled: false, version: current.version + 1, updatedAt: view.now };
          const progress = this.#unsaved.get(hook.id) ?? state.get('progress', hook.id);
          const records = [record('hook', hook.id, paused)];
          if (progress) records.push(record('progress', hook.id, progress));
          return {
            ok: true,
            write: { records, events: [{ type: 'hook.paused', roomId: hook.roomId, hook: paused }] },
            answer: () => {},
          };
        },
      })
      .catch((error: unknown) => log.warn('a hook could not be paused', { err: messageOf(error) }));
  }
}
