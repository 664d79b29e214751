import type { Clock } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { NO_TRACES, type Traces } from '../../kernel/tracing/tracer.ts';
import type { AlertGroup } from '../store/group.ts';
import type { AlertGroups, GroupListener } from '../store/groups.ts';
import type { AlertSlot } from '../store/slot.ts';
import type { Claims, FlushResult, ReleasedAlert } from './claims.ts';
import type { PipelineEvents } from './events.ts';
import { Flush, type FlushParts } from './flush.ts';
import { FlushSchedule } from './flush-schedule.ts';
import type { RememberedTimer, TimerStorage } from './group-timers.ts';
import type { Pipeline } from './pipeline.ts';
import type { SendQueue } from './send-queue.ts';

export interface DispatcherParts {
  readonly groups: AlertGroups;
  readonly timers: TimerStorage;
  /** Undefined: this node is the only one. */
  readonly claims?: Claims | undefined;
  /** Held while groups are due, so that sends begin after all of them are flushed. */
  readonly sending: SendQueue;
  readonly traces?: Traces | undefined;
  readonly events?: PipelineEvents | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Called before a notification of these alerts is sent: the next commit puts them on disk. */
  readonly announced: (slots: readonly AlertSlot[]) => void;
  /** Every group of the alert has sent its resolved notification. */
  readonly settled: (slot: AlertSlot) => void;
}

/** A flush that begins later than this no longer keeps the rhythm of its group. */
const MAX_LATE_MS = 1_000;
/** Delay of the next attempt after a claim was lost. */
const CLAIM_AGAIN_MS = 500;

/**
 * Flushes every group when it is due: its alerts go through the pipeline, and resolved ones leave after success. The next
 * flush is counted from the appointed time of this one, not from its end, and never overlaps it.
 */
export class Dispatcher implements GroupListener {
  readonly #parts: DispatcherParts;
  readonly #schedule: FlushSchedule<AlertGroup>;
  readonly #flushParts: FlushParts;
  readonly #underWay = new Set<Flush>();
  /** Callers that wait for the end of flushes. */
  readonly #waiting = new Set<{ readonly flushes: Set<Flush>; readonly ended: () => void }>();
  /** Timers of groups from before the start; each is read once. */
  readonly #remembered = new Map<string, RememberedTimer>();
  /** Only where several nodes flush them. */
  readonly #byId = new Map<string, AlertGroup>();
  #pipeline: Pipeline | undefined;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
    const { clock, claims, sending, traces = NO_TRACES } = parts;
    this.#flushParts = {
      claims,
      traces,
      now: () => clock.now(),
      isRunning: () => this.#schedule.isRunning,
      announce: (alerts) => parts.announced(alerts.map(({ slot }) => slot)),
      failed: ({ group }, error) =>
        parts.log.error('a flush failed unexpectedly', { aggrGroup: group.key, err: messageOf(error) }),
      ended: (flush) => this.#end(flush),
    };
    this.#schedule = new FlushSchedule(
      clock,
      (group) => this.#tick(group),
      (isAll) => (isAll ? sending.release() : sending.hold()),
    );
    parts.groups.listen(this);
  }

  /**
   * After a restart, groups that were never flushed keep their timers; any other is flushed at once, as its last
   * notification may not be recorded.
   */
  remember(timers: ReadonlyMap<string, RememberedTimer>): void {
    for (const [id, timer] of timers) this.#remembered.set(id, timer);
  }

  /** Starts flushing; overdue groups at once. */
  start(pipeline: Pipeline): void {
    // Groups without alerts after the start do not return.
    for (const id of this.#remembered.keys()) this.#parts.timers.set(id, undefined);
    this.#remembered.clear();
    this.#pipeline = pipeline;
    this.#schedule.start();
  }

  /** Replaces the pipeline for later flushes. */
  replacePipeline(pipeline: Pipeline): void {
    if (this.#pipeline) this.#pipeline = pipeline;
  }

  /** Resolves when the flushes under way have ended. */
  flushes(): Promise<void> {
    const flushes = new Set(this.#underWay);
    if (flushes.size === 0) return Promise.resolve();
    return new Promise((ended) => this.#waiting.add({ flushes, ended }));
  }

  /** Starts no further flush; resolves when those under way have ended. */
  stop(): Promise<void> {
    this.#schedule.stop();
    this.#parts.sending.release();
    return this.flushes();
  }

  created(group: AlertGroup, slot: AlertSlot): void {
    const now = this.#parts.clock.now();
    const { groupWaitMs } = group.route;
    const remembered = this.#remembered.get(group.id);
    // An alert older than group_wait has waited elsewhere.
    const isOld = slot.alert.startsAt + groupWaitMs < now;
    const waitMs = isOld ? 0 : groupWaitMs;
    this.#remembered.delete(group.id);
    if (this.#parts.claims) this.#byId.set(group.id, group);
    // The last notification of a single node may not be recorded.
    if (remembered?.isFlushed) this.#set(group, this.#parts.claims ? remembered.at : now, true);
    // group_wait may have become shorter meanwhile.
    else this.#set(group, remembered ? Math.min(remembered.at, now + groupWaitMs) : now + waitMs, false);
  }

  removed(group: AlertGroup): void {
    this.#schedule.delete(group);
    group.isOverdue = false;
    if (this.#byId.get(group.id) === group) this.#byId.delete(group.id);
    this.#parts.timers.set(group.id, undefined);
  }

  /** Another node has flushed the group. */
  flushedElsewhere(id: string, { nextFlushAt, released }: FlushResult): void {
    const group = this.#byId.get(id);
    if (!group) {
      if (nextFlushAt === undefined) this.#remembered.delete(id);
      else this.#remembered.set(id, { at: nextFlushAt, isFlushed: true });
      return;
    }
    group.isContested = false;
    if (nextFlushAt !== undefined) this.#schedule.set(group, nextFlushAt);
    const ends = new Map(released.map(({ fingerprint, endsAt }) => [fingerprint, endsAt]));
    for (const slot of [...group.sorted()]) {
      if (ends.get(slot.alert.fingerprint) === slot.alert.endsAt) this.#leave(group, slot);
    }
  }

  #set(group: AlertGroup, at: number, isFlushed: boolean): void {
    this.#schedule.set(group, at);
    this.#parts.timers.set(group.id, { at, isFlushed });
  }

  #tick(group: AlertGroup): void {
    if (group.isFlushing) {
      group.isOverdue = true;
      return;
    }
    const now = this.#parts.clock.now();
    // From the appointed time, so that delays do not add up.
    const isLate = now - group.nextFlushAt > MAX_LATE_MS;
    this.#set(group, (isLate ? now : group.nextFlushAt) + group.route.groupIntervalMs, true);
    this.#parts.events?.flushed(group);
    const flush = new Flush(group, this.#pipeline as Pipeline, this.#flushParts);
    flush.evaluate();
    if (flush.state === 'evaluated') this.#queue(flush);
    else if (flush.isNotified) this.#release(flush);
  }

  #queue(flush: Flush): void {
    flush.group.isFlushing = true;
    this.#underWay.add(flush);
    flush.enter(this.#parts.sending);
  }

  #end(flush: Flush): void {
    const { group } = flush;
    this.#conclude(flush, flush.isNotified ? this.#release(flush) : []);
    this.#underWay.delete(flush);
    for (const waiting of this.#waiting) {
      if (!waiting.flushes.delete(flush) || waiting.flushes.size > 0) continue;
      this.#waiting.delete(waiting);
      waiting.ended();
    }
    group.isFlushing = false;
    if (!group.isOverdue || !this.#schedule.isRunning) return;
    group.isOverdue = false;
    this.#tick(group);
  }

  /** Passes the result on to the other nodes, or tries again when one of them may have failed. */
  #conclude({ group, claim, retryAt, isNotified }: Flush, released: readonly ReleasedAlert[]): void {
    const nextFlushAt = Number.isFinite(group.nextFlushAt) ? group.nextFlushAt : undefined;
    // A request that a stop has cut short may have arrived: the next node learns that from the claim, which is left open.
    if (claim && !isNotified && !this.#schedule.isRunning) return;
    if (claim) {
      const isOpen = claim.isLost && !isNotified;
      group.isContested = isOpen;
      this.#parts.claims?.complete(claim, { nextFlushAt, released }, claim.isInDoubt && !isNotified);
      if (isOpen && nextFlushAt !== undefined) this.#schedule.set(group, this.#parts.clock.now() + CLAIM_AGAIN_MS);
    } else if (retryAt !== undefined && nextFlushAt !== undefined) {
      group.isContested = true;
      this.#schedule.set(group, retryAt);
    }
  }

  /** Alerts that fired again during the flush stay. */
  #release({ group, alerts }: Flush): readonly ReleasedAlert[] {
    const released: ReleasedAlert[] = [];
    for (const { slot, alert, isResolved } of alerts) {
      if (!isResolved || slot.alert !== alert || !group.has(slot)) continue;
      this.#parts.events?.resolved(group, alert);
      this.#leave(group, slot);
      released.push({ fingerprint: alert.fingerprint, endsAt: alert.endsAt });
    }
    return released;
  }

  #leave(group: AlertGroup, slot: AlertSlot): void {
    const { groups, settled } = this.#parts;
    groups.release(group, slot);
    if (slot.isSettled) settled(slot);
  }
}
