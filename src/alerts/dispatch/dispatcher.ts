import type { Clock } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { isResolvedAt } from '../domain/alert.ts';
import type { Flush, FlushedAlert, Pipeline, Telling } from '../notifications/pipeline.ts';
import type { Send, Sending, SendQueue } from '../notifications/send-queue.ts';
import type { AlertGroup } from '../store/alert-group.ts';
import type { AlertGroups, GroupListener } from '../store/alert-groups.ts';
import type { AlertSlot } from '../store/alert-slot.ts';
import { FlushSchedule } from './flush-schedule.ts';
import type { GroupTimers } from './group-timers.ts';

/** However short the interval of a group, its notifications have this long to arrive. */
const SHORTEST_DEADLINE_MS = 10_000;

export interface DispatcherParts {
  readonly groups: AlertGroups;
  readonly timers: GroupTimers;
  /** Held while groups are due: what they have to tell is sent when all of them are flushed. */
  readonly sending: SendQueue;
  readonly clock: Clock;
  readonly log: Log;
  /** Every group of the alert has told that it is resolved. */
  readonly settled: (slot: AlertSlot) => void;
}

/** The part of the dispatcher that a flush calls when its turn has come. */
interface FlushParts {
  readonly now: () => number;
  readonly isRunning: () => boolean;
  readonly judge: (flush: GroupFlush) => void;
  readonly tell: (flush: GroupFlush, send: Send<boolean> | undefined, leave: () => void) => Promise<void>;
}

/** A flush from its tick to its end; where there is something to tell, it waits for its turn. */
class GroupFlush implements Flush, Sending<void> {
  readonly group: AlertGroup;
  readonly pipeline: Pipeline;
  alerts: readonly FlushedAlert[] = [];
  at = 0;
  deadlineAt = 0;
  telling: Telling | undefined;
  readonly #parts: FlushParts;

  constructor(group: AlertGroup, pipeline: Pipeline, parts: FlushParts) {
    this.group = group;
    this.pipeline = pipeline;
    this.#parts = parts;
    this.#look();
  }

  /**
   * Where more groups are due than their receiver takes within their interval, each would be given up when its turn comes,
   * which takes as long as telling, and nobody would be told any more: so what is late begins anew.
   */
  prepare(): Send<void> {
    const { now, isRunning, judge, tell } = this.#parts;
    // Each would be written down as given up, which keeps the process from its end: the next one tells it at once.
    if (!isRunning()) return (leave) => tell(this, undefined, leave);
    if (now() - this.at >= (this.deadlineAt - this.at) / 2) {
      this.#look();
      judge(this);
    }
    const send = this.telling?.prepare();
    return (leave) => tell(this, send, leave);
  }

  #look(): void {
    const at = this.#parts.now();
    this.alerts = this.group
      .sorted()
      .map((slot) => ({ slot, alert: slot.alert, isResolved: isResolvedAt(slot.alert, at) }));
    this.at = at;
    this.deadlineAt = at + Math.max(this.group.route.groupIntervalMs, SHORTEST_DEADLINE_MS);
  }
}

/**
 * Flushes every group when its time has come: what the group holds goes through the pipeline, and resolved alerts leave
 * once that has worked. The next flush is counted from the tick of this one, not from its end, and never overlaps it.
 */
export class Dispatcher implements GroupListener {
  readonly #parts: DispatcherParts;
  readonly #schedule: FlushSchedule<AlertGroup>;
  readonly #flushParts: FlushParts;
  readonly #underWay = new Set<GroupFlush>();
  /** Those who wait for the end of some flushes. */
  readonly #waiting = new Set<{ readonly flushes: Set<GroupFlush>; readonly ended: () => void }>();
  /** When groups of before the start were to be flushed; each is asked for once. */
  readonly #remembered = new Map<string, number>();
  #pipeline: Pipeline | undefined;

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
    const { clock, sending } = parts;
    this.#flushParts = {
      now: () => clock.now(),
      isRunning: () => this.#schedule.isRunning,
      judge: (flush) => this.#judgeAgain(flush),
      tell: this.#tell,
    };
    this.#schedule = new FlushSchedule(
      clock,
      (group) => this.#tick(group),
      (isAll) => (isAll ? sending.release() : sending.hold()),
    );
    parts.groups.listen(this);
  }

  /** Groups that come up again after a restart keep the moments that these timers remember. */
  remember(timers: ReadonlyMap<string, number>): void {
    for (const [id, at] of timers) this.#remembered.set(id, at);
  }

  /** From now on groups are flushed; what has fallen due before is flushed at once. */
  start(pipeline: Pipeline): void {
    // Groups that did not come back never will.
    for (const id of this.#remembered.keys()) this.#parts.timers.set(id, undefined);
    this.#remembered.clear();
    this.#pipeline = pipeline;
    this.#schedule.start();
  }

  /** Another pipeline, for what is flushed from now on. */
  replacePipeline(pipeline: Pipeline): void {
    if (this.#pipeline) this.#pipeline = pipeline;
  }

  /** Resolves when the flushes that are under way now have ended. */
  flushes(): Promise<void> {
    const flushes = new Set(this.#underWay);
    if (flushes.size === 0) return Promise.resolve();
    return new Promise((ended) => this.#waiting.add({ flushes, ended }));
  }

  /** Starts no other flush; resolves when those under way have ended. */
  stop(): Promise<void> {
    this.#schedule.stop();
    this.#parts.sending.release();
    return this.flushes();
  }

  created(group: AlertGroup, slot: AlertSlot): void {
    const now = this.#parts.clock.now();
    const { groupWaitMs, groupIntervalMs } = group.route;
    const remembered = this.#remembered.get(group.id);
    // An alert that is older than the wait has waited somewhere else.
    const isOld = slot.alert.startsAt + groupWaitMs < now;
    const waitMs = isOld ? 0 : groupWaitMs;
    this.#remembered.delete(group.id);
    // The intervals may have been shortened meanwhile.
    const latest = now + Math.max(groupWaitMs, groupIntervalMs);
    this.#set(group, remembered === undefined ? now + waitMs : Math.min(remembered, latest));
  }

  removed(group: AlertGroup): void {
    this.#schedule.delete(group);
    group.isOverdue = false;
    this.#parts.timers.set(group.id, undefined);
  }

  #set(group: AlertGroup, at: number): void {
    this.#schedule.set(group, at);
    this.#parts.timers.set(group.id, at);
  }

  #tick(group: AlertGroup): void {
    if (group.isFlushing) {
      group.isOverdue = true;
      return;
    }
    const at = this.#parts.clock.now();
    this.#set(group, at + group.route.groupIntervalMs);
    this.#flush(group);
  }

  #flush(group: AlertGroup): void {
    const flush = new GroupFlush(group, this.#pipeline as Pipeline, this.#flushParts);
    try {
      flush.telling = flush.pipeline.run(flush);
      // Most flushes have nothing new to tell, and end where they began.
      if (flush.telling) this.#begin(flush);
      else this.#release(flush);
    } catch (error) {
      this.#fail(group, error);
    }
  }

  #begin(flush: GroupFlush): void {
    flush.group.isFlushing = true;
    this.#underWay.add(flush);
    this.#parts.sending.enter(flush.group.receiver, flush);
  }

  #judgeAgain(flush: GroupFlush): void {
    try {
      flush.telling = flush.pipeline.run(flush);
    } catch (error) {
      this.#fail(flush.group, error);
    }
  }

  readonly #tell: FlushParts['tell'] = async (flush, send, leave) => {
    try {
      if (send ? await send(leave) : !flush.telling) this.#release(flush);
      else if (!send) this.#parts.timers.set(flush.group.id, flush.at);
    } catch (error) {
      this.#fail(flush.group, error);
    }
    this.#end(flush);
  };

  #end(flush: GroupFlush): void {
    const { group } = flush;
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

  #fail(group: AlertGroup, error: unknown): void {
    this.#parts.log.error('a flush failed unexpectedly', { aggrGroup: group.key, err: messageOf(error) });
  }

  /** Alerts that have fired again during the flush stay. */
  #release({ group, alerts }: Flush): void {
    const { groups, settled } = this.#parts;
    for (const { slot, alert, isResolved } of alerts) {
      if (!isResolved || slot.alert !== alert || !group.has(slot)) continue;
      groups.release(group, slot);
      if (slot.isSettled) settled(slot);
    }
  }
}
