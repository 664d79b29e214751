import type { Clock } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { StorageAwayError } from '../../kernel/postgres/storage-error.ts';
import type { SecretCipher } from '../authentication/secret-cipher.ts';
import type { Committed } from '../domain/event.ts';
import { hookCaller } from '../domain/hook/caller.ts';
import type { HookProgress, OutgoingHook } from '../domain/hook/hook.ts';
import {
  beginHook,
  forgiven,
  NO_PROGRESS,
  noteProgress,
  pauseHook,
  rewindHook,
  rewindsOf,
} from '../domain/hook/progress.ts';
import { signingSecrets } from '../domain/hook/rotation.ts';
import type { Outcome } from '../domain/refusal.ts';
import type { RoomFeed } from '../feed/room-feed.ts';
import type { Messages } from '../messages/messages.ts';
import type { JobLease, Jobs } from '../nodes/jobs.ts';
import type { OutboundGuard } from '../outbound/outbound-guard.ts';
import type { RoomState } from '../room/state.ts';
import type { RoomWriter } from '../room/writer.ts';
import type { Commit, RoomStore } from '../store/store.ts';
import { HookDelivery } from './delivery.ts';

/** Progress is written with this delay at most, so a crash may repeat deliveries of that time. */
const SAVE_EVERY_MS = 1_000;

export interface OutgoingHooksParts {
  readonly state: RoomState;
  readonly store: RoomStore;
  readonly writer: RoomWriter;
  readonly messages: Messages;
  readonly guard: OutboundGuard;
  readonly cipher: SecretCipher;
  readonly jobs: Jobs;
  readonly clock: Clock;
  readonly log: Log;
  readonly feed: Pick<RoomFeed, 'epoch'>;
  /** From 0 up to 1. */
  readonly random: () => number;
}

/** A hook whose events this node delivers. */
interface HookJob {
  hook: OutgoingHook;
  readonly lease: JobLease;
  /** Before the first delivery of a new hook. */
  readonly cursor: number;
  unsaved: HookProgress | undefined;
  /** Of the progress from which it delivers. */
  rewinds: number;
  delivery: HookDelivery | undefined;
}

/** Delivers events to the addresses of outgoing hooks, in the log's order; each hook is the job of one node. */
export class OutgoingHooks {
  readonly #parts: OutgoingHooksParts;
  readonly #jobs = new Map<string, HookJob>();
  /** Ids of hooks about to be taken. */
  readonly #taking = new Map<string, Promise<void>>();
  /** Jobs that end, by the hook's id: until their lease is released they cannot begin again. */
  readonly #ending = new Map<string, Promise<void>>();
  readonly #stopSaving: () => void;
  #stopLooking = () => {};
  #saving: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(parts: OutgoingHooksParts) {
    this.#parts = parts;
    this.#stopSaving = parts.clock.every(SAVE_EVERY_MS, () => this.#save());
    parts.writer.onCommit((committed, commit) => this.#follow(committed, commit));
  }

  /** Starts all enabled hooks where they stopped, and from then on those of lost nodes. */
  start(): void {
    this.#stopLooking = this.#parts.jobs.watch(() => this.#takeAll());
    void this.#takeAll();
  }

  /** A hook's progress; the stored one, and that of a hook on another node, may be a second behind. */
  progressOf(id: string): HookProgress | undefined {
    return this.#jobs.get(id)?.unsaved ?? this.#parts.state.get('progress', id);
  }

  /** Starts a new hook after position `pos`; resolves when that is on disk. */
  async begin(id: string, pos: number): Promise<void> {
    await this.#parts.writer.submit(beginHook(id, pos));
  }

  /** Delivers again everything after a position, on whichever node. */
  rewind(hook: OutgoingHook, cursor: number): Promise<Outcome<OutgoingHook>> {
    return this.#parts.writer.submit(rewindHook(hook, cursor));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopSaving();
    this.#stopLooking();
    await Promise.all(this.#taking.values());
    for (const job of this.#jobs.values()) this.#drop(job);
    await Promise.all(this.#ending.values());
  }

  #follow(committed: readonly Committed[], { records, restart }: Commit): void {
    if (this.#isClosed) return;
    if (restart) for (const job of this.#jobs.values()) this.#restart(job);
    for (const { kind, key, value } of records) {
      const job = kind === 'progress' ? this.#jobs.get(key) : undefined;
      if (job && value !== null && rewindsOf(value as HookProgress) !== job.rewinds) this.#restart(job);
    }
    for (const { event, pos } of committed) {
      if (!('hook' in event) || event.hook.direction !== 'outgoing') continue;
      const { hook } = event;
      const job = this.#jobs.get(hook.id);
      if (job && (event.type === 'hook.deleted' || !hook.enabled)) this.#drop(job);
      else if (job) this.#change(job, hook);
      else void this.#take(hook.id, pos);
    }
    for (const { delivery } of this.#jobs.values()) delivery?.wake();
  }

  /** What is stored counts, not what this node has noted. */
  #restart(job: HookJob): void {
    job.unsaved = undefined;
    this.#deliver(job);
  }

  #change(job: HookJob, hook: OutgoingHook): void {
    job.hook = hook;
    const progress = this.progressOf(hook.id);
    if (progress && progress.failures > 0) job.unsaved = forgiven(progress);
    this.#deliver(job);
  }

  async #takeAll(): Promise<void> {
    const { state, writer } = this.#parts;
    const ids = [...state.all('hook').values()].filter(isActive).map(({ id }) => id);
    await Promise.all(ids.filter((id) => !this.#jobs.has(id)).map((id) => this.#take(id, writer.pos)));
  }

  /** `cursor`: of a hook that has not begun. */
  #take(id: string, cursor: number): Promise<void> {
    const known = this.#taking.get(id);
    if (known) return known;
    const taken = this.#takeNow(id, cursor)
      .catch((error) => {
        if (error instanceof StorageAwayError) return;
        this.#parts.log.error('a hook could not be taken over', { hook: id, err: messageOf(error) });
      })
      .finally(() => this.#taking.delete(id));
    this.#taking.set(id, taken);
    return taken;
  }

  async #takeNow(id: string, cursor: number): Promise<void> {
    const { state, store, jobs } = this.#parts;
    await this.#ending.get(id);
    if (this.#isClosed) return;
    const lease = await jobs.hold(`hook/${id}`);
    if (!lease) return;
    // Up to here the progress of the last owner may still have changed.
    await store.catchUp();
    const hook = state.get('hook', id);
    if (!isActive(hook) || this.#isClosed) return lease.release();
    const job: HookJob = { hook, lease, cursor, unsaved: undefined, rewinds: 0, delivery: undefined };
    this.#jobs.set(id, job);
    lease.lost.addEventListener('abort', () => this.#drop(job));
    this.#deliver(job);
  }

  #deliver(job: HookJob): void {
    const { writer } = this.#parts;
    const { hook, lease } = job;
    void job.delivery?.close();
    const { id } = hook;
    job.rewinds = rewindsOf(this.progressOf(id) ?? {});
    job.delivery = new HookDelivery(hook, {
      ...this.#parts,
      progress: () => {
        const progress = this.progressOf(id) ?? { ...NO_PROGRESS, cursor: job.cursor };
        // A log that lost its end has no events there.
        return progress.cursor > writer.pos ? { ...progress, cursor: writer.pos } : progress;
      },
      note: (progress) => {
        job.unsaved = progress;
      },
      mayDeliver: () => lease.confirm(),
      pause: (reason) => void this.#pause(job, reason),
      secrets: () => this.#secretsOf(id),
    });
    job.delivery.wake();
  }

  #secretsOf(id: string): readonly string[] {
    const { state, cipher, clock } = this.#parts;
    const owner = `hook/${id}`;
    const secret = state.get('secret', owner);
    if (!secret) return [];
    const [current, ...earlier] = signingSecrets(secret, clock.now()).map((sealed) => cipher.open(owner, sealed));
    return current === undefined ? [] : [current, ...earlier.filter((one) => one !== undefined)];
  }

  /** Ends a job here; its progress is written before another node may have it. */
  #drop(job: HookJob): void {
    const { id } = job.hook;
    if (this.#jobs.get(id) !== job) return;
    this.#jobs.delete(id);
    const end = async () => {
      await job.delivery?.close();
      await this.#saveJob(job);
      await job.lease.release();
    };
    this.#ending.set(
      id,
      end().finally(() => this.#ending.delete(id)),
    );
  }

  #save(): void {
    this.#saving = this.#saving.then(() => Promise.all([...this.#jobs.values()].map((job) => this.#saveJob(job))));
  }

  async #saveJob(job: HookJob): Promise<void> {
    const { hook, lease, unsaved } = job;
    if (!unsaved) return;
    const { writer, log } = this.#parts;
    try {
      const saved = await writer.submit({ ...noteProgress(hook.id, unsaved), fences: lease.fences });
      if (saved.ok && job.unsaved === unsaved) job.unsaved = undefined;
    } catch (error) {
      log.warn('the progress of a hook could not be written', { hook: hook.id, err: messageOf(error) });
    }
  }

  async #pause(job: HookJob, reason: string): Promise<void> {
    const { hook, lease } = job;
    const { writer, log, messages } = this.#parts;
    void job.delivery?.close();
    log.warn('a hook is paused: its receiver has failed for too long', { hook: hook.id, reason });
    const change = pauseHook(hook.id, this.progressOf(hook.id));
    const paused = await writer.submit({ ...change, fences: lease.fences }).catch((error: unknown) => {
      log.warn('a hook could not be paused', { err: messageOf(error) });
      return undefined;
    });
    if (paused?.ok) job.unsaved = undefined;
    this.#drop(job);
    if (!paused?.ok || hook.roomId === null) return;
    const body = `The hook **${hook.name}** is paused: its receiver has failed for a day (${reason}). Enable it when it is back.`;
    await messages.post(hookCaller(hook, hook.roomId), { room: hook.roomId, body, byServer: true });
  }
}

function isActive(hook: { readonly direction: string } | undefined): hook is OutgoingHook {
  return hook?.direction === 'outgoing' && (hook as OutgoingHook).enabled;
}
