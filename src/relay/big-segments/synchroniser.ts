import type { Clock } from '../../kernel/clock.ts';
import { waitUnlessAborted } from '../../kernel/deadline.ts';
import { messageOf, systemCodeOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import type { BigSegmentPatch, BigSegmentStore } from './store.ts';
import { type BigSegmentUpstream, BigSegmentUpstreamError } from './upstream.ts';

export interface SynchroniserParts {
  readonly store: BigSegmentStore;
  readonly upstream: Pick<BigSegmentUpstream, 'poll' | 'open'>;
  /** Called when the store has other members than before, by this relay or another one. */
  readonly onChange: () => void;
  readonly clock: Clock;
  /** The log of the environment. */
  readonly log: Log;
  /** Whether whole patches are logged at debug. */
  readonly logsPatches: boolean;
}

const RETRY_MS = 10_000;
const SYNCHRONIZED_EVERY_MS = 30_000;

/** Another relay has written to the store, the store has lost data, or upstream has left out a patch. */
class OutOfOrder extends Error {
  /** Whether it was the store that changed. */
  readonly hasStoreChanged: boolean;

  constructor(hasStoreChanged: boolean) {
    super(hasStoreChanged ? 'the store has another version' : 'a patch does not follow the stored version');
    this.hasStoreChanged = hasStoreChanged;
  }
}

/**
 * Copies the members of one environment's big segments into the store: polls until there are no more patches, opens the
 * stream, polls again, and then follows the stream. Retries after every failure.
 */
export class BigSegmentSynchroniser {
  readonly #parts: SynchroniserParts;
  readonly #closing = new AbortController();
  #running: Promise<void> | undefined;
  /** The last cursor known to this relay. */
  #cursor: string | undefined;
  /** Whether the store has members that nobody was notified of. */
  #isChanged = false;
  /** Versions that were polled while the stream was open, which may send them again. */
  readonly #polled = new Set<string>();
  #lastFailure: string | undefined;
  #recheck = () => {};

  constructor(parts: SynchroniserParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Checks at once whether the store still has what was written, or synchronises it again if that failed. */
  recheck(): void {
    this.#recheck();
  }

  /** Resolves when nothing more is written. Idempotent. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('closed'));
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      const failure = await this.#synchronise(signal);
      if (signal.aborted) return;
      this.#report(failure);
      if (!mayRetryAtOnce(failure)) await this.#wait(signal);
    }
  }

  /** Until the next attempt, or the next check of the store. */
  async #wait(closing: AbortSignal): Promise<void> {
    const wake = new AbortController();
    this.#recheck = () => wake.abort();
    await waitUnlessAborted(this.#parts.clock, RETRY_MS, AbortSignal.any([closing, wake.signal]));
    this.#recheck = () => {};
  }

  /** Resolves with the reason for its end. */
  async #synchronise(closing: AbortSignal): Promise<unknown> {
    const { upstream } = this.#parts;
    const attempt = new AbortController();
    const signal = AbortSignal.any([closing, attempt.signal]);
    try {
      await this.#catchUp(signal);
      const stream = await upstream.open(signal);
      this.#polled.clear();
      await this.#catchUp(signal);
      await this.#markSynchronised();
      await this.#follow(stream, attempt);
      return new BigSegmentUpstreamError('the stream ended');
    } catch (error) {
      return attempt.signal.aborted ? attempt.signal.reason : error;
    } finally {
      attempt.abort();
    }
  }

  /** Polls until there are no more patches. */
  async #catchUp(signal: AbortSignal): Promise<void> {
    const { store, upstream } = this.#parts;
    try {
      for (;;) {
        const before = await store.cursor();
        this.#noticeCursor(before);
        const patches = await upstream.poll(before, signal);
        if (patches.length === 0) return;
        const applied = await this.#apply(patches, signal);
        for (const { version } of patches.slice(0, applied)) this.#polled.add(version);
        const after = await store.cursor();
        this.#noticeCursor(after);
        // The same patches would come again, without an end.
        if (after === before) throw new OutOfOrder(false);
      }
    } finally {
      this.#notify();
    }
  }

  async #follow(stream: AsyncIterable<readonly BigSegmentPatch[]>, attempt: AbortController): Promise<void> {
    let isApplying = false;
    this.#recheck = () => {
      // A synchronisation under way is not complete.
      if (!isApplying) this.#markIfKept().catch((error: unknown) => attempt.abort(error));
    };
    const stopTimer = this.#parts.clock.every(SYNCHRONIZED_EVERY_MS, () => this.#recheck());
    try {
      for await (const patches of stream) {
        isApplying = true;
        await this.#requireData();
        const applied = await this.#apply(patches, attempt.signal);
        if (applied < patches.length) throw await this.#conflict();
        this.#notify();
        await this.#markSynchronised();
        isApplying = false;
      }
    } finally {
      stopTimer();
      this.#recheck = () => {};
      this.#notify();
    }
  }

  /** The store would accept any patch if it has lost its data. */
  async #requireData(): Promise<void> {
    const cursor = await this.#parts.store.cursor();
    if (cursor === '' && this.#cursor !== '') throw new OutOfOrder(true);
  }

  async #markIfKept(): Promise<void> {
    // The store may have been restored from a copy, or emptied.
    if ((await this.#parts.store.cursor()) !== this.#cursor) throw new OutOfOrder(true);
    await this.#markSynchronised();
  }

  async #conflict(): Promise<OutOfOrder> {
    const before = this.#cursor;
    this.#noticeCursor(await this.#parts.store.cursor());
    return new OutOfOrder(this.#cursor !== before);
  }

  /** Applies patches up to the first that does not follow; returns their number. */
  async #apply(patches: readonly BigSegmentPatch[], signal: AbortSignal): Promise<number> {
    const { store, log } = this.#parts;
    for (const [index, patch] of patches.entries()) {
      signal.throwIfAborted();
      this.#logPatch(patch);
      const { version, previousVersion } = patch;
      if (await store.applyPatch(patch)) {
        this.#cursor = version;
        this.#isChanged = true;
      } else if (!(await this.#isKnown(version))) {
        log.info('a patch of a big segment does not follow the stored version', { version, previousVersion });
        return index;
      }
    }
    return patches.length;
  }

  /** Whether a refused patch was applied before, by this relay or another one. */
  async #isKnown(version: string): Promise<boolean> {
    if (this.#polled.has(version)) return true;
    const cursor = await this.#parts.store.cursor();
    if (cursor !== version) return false;
    this.#noticeCursor(cursor);
    return true;
  }

  /** Another relay may have moved the cursor. */
  #noticeCursor(cursor: string): void {
    if (this.#cursor !== undefined && this.#cursor !== cursor) this.#isChanged = true;
    this.#cursor = cursor;
  }

  #notify(): void {
    if (!this.#isChanged) return;
    this.#isChanged = false;
    this.#parts.log.info('big segments were updated', { version: this.#cursor });
    this.#parts.onChange();
  }

  async #markSynchronised(): Promise<void> {
    const { store, clock, log } = this.#parts;
    await store.setSynchronizedOn(clock.now());
    if (this.#lastFailure !== undefined) log.info('big segments are synchronised again');
    this.#lastFailure = undefined;
  }

  #report(failure: unknown): void {
    const error = messageOf(failure) || (systemCodeOf(failure) ?? 'unknown');
    const retryMs = mayRetryAtOnce(failure) ? 0 : RETRY_MS;
    const level = error === this.#lastFailure ? 'debug' : 'warn';
    this.#lastFailure = error;
    this.#parts.log[level]('big segments are not synchronised', { error, retryMs });
  }

  #logPatch(patch: BigSegmentPatch): void {
    const { log, logsPatches } = this.#parts;
    if (!log.debugging) return;
    const { segmentId: segment, version, previousVersion } = patch;
    log.debug('a patch of a big segment', {
      segment,
      version,
      previousVersion,
      ...(logsPatches ? { patch: JSON.stringify(patch) } : {}),
    });
  }
}

/** A poll brings what the store has, or lacks. */
const mayRetryAtOnce = (failure: unknown): boolean => failure instanceof OutOfOrder && failure.hasStoreChanged;
