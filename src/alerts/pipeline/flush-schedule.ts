import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import { PriorityQueue } from '../../kernel/priority-queue.ts';

/** An item with a due time. Only the schedule sets these fields. */
export interface Scheduled {
  /** Epoch milliseconds, or infinity. */
  nextFlushAt: number;
  /** The items due at the same time; undefined when it is not scheduled. */
  appointment?: object | undefined;
}

/** Items scheduled in a row for the same time. */
interface Appointment<T> {
  /** On the steady clock. */
  readonly at: number;
  readonly order: number;
  items: T[];
  /** The number of items that have run or were skipped. */
  done: number;
}

/** Maximum time for due items in one turn of the event loop, so that requests run in between. */
const MAX_TURN_MS = 10;

/** Removed items that are kept before a clean-up, in addition to the number of scheduled ones. */
const MAX_LEFT_BEHIND = 1_000;

/** A smaller difference is a correction of the clock, not a change. */
const MIN_JUMP_MS = 1_000;

/**
 * One timer for any number of items. Items due at the same time run in the order in which they were scheduled; a change
 * of the clock moves no item.
 */
export class FlushSchedule<T extends Scheduled> {
  readonly #clock: Clock;
  readonly #due: (item: T) => void;
  readonly #ran: (isAll: boolean) => void;
  #appointments = new PriorityQueue<Appointment<T>>(isEarlier);
  /** The newest one: the next item often shares its time. */
  #latest: Appointment<T> | undefined;
  #order = 0;
  #waiting = 0;
  /** Items of all appointments, with those that were moved or removed: they are skipped. */
  #held = 0;
  #timer: { readonly at: number; readonly cancel: CancelTimer } | undefined;
  /** How far the clock is ahead of the steady one, in milliseconds. */
  #ahead: number;
  #isRunning = false;
  /** While due items run; the timer is set once at the end. */
  #isRunningDue = false;

  /** `ran` is called after each turn with whether all due items have run. */
  constructor(clock: Clock, due: (item: T) => void, ran: (isAll: boolean) => void = () => {}) {
    this.#clock = clock;
    this.#ahead = clock.now() - clock.monotonic();
    this.#due = due;
    this.#ran = ran;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Schedules the item for that time, in place of any other. */
  set(item: T, at: number): void {
    if (item.appointment) this.#waiting--;
    this.#followClock();
    const steadyAt = at - this.#ahead;
    const appointment = this.#latest?.at === steadyAt ? this.#latest : this.#appoint(steadyAt);
    if (item.appointment !== appointment) {
      appointment.items.push(item);
      this.#held++;
    }
    item.nextFlushAt = at;
    item.appointment = appointment;
    this.#waiting++;
    if (this.#held > 2 * this.#waiting + MAX_LEFT_BEHIND) this.#clearUp();
    this.#arm();
  }

  delete(item: T): void {
    item.nextFlushAt = Number.POSITIVE_INFINITY;
    if (!item.appointment) return;
    item.appointment = undefined;
    this.#waiting--;
  }

  /** Due items wait for this call. */
  start(): void {
    this.#isRunning = true;
    this.#arm();
  }

  /** No item runs any more. */
  stop(): void {
    this.#isRunning = false;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #appoint(at: number): Appointment<T> {
    this.#latest = { at, order: this.#order++, items: [], done: 0 };
    this.#appointments.push(this.#latest);
    return this.#latest;
  }

  /** Bounds the memory that groups leave behind which come and go within a long interval. */
  #clearUp(): void {
    const before = this.#appointments;
    this.#appointments = new PriorityQueue<Appointment<T>>(isEarlier);
    this.#latest = undefined;
    for (let appointment = before.pop(); appointment; appointment = before.pop()) {
      appointment.items = appointment.items.slice(appointment.done).filter((item) => item.appointment === appointment);
      appointment.done = 0;
      if (appointment.items.length > 0) this.#appointments.push(appointment);
    }
    this.#held = this.#waiting;
  }

  #followClock(): void {
    const ahead = this.#clock.now() - this.#clock.monotonic();
    if (Math.abs(ahead - this.#ahead) >= MIN_JUMP_MS) this.#ahead = ahead;
  }

  #steadyNow(): number {
    this.#followClock();
    return this.#clock.now() - this.#ahead;
  }

  #arm(): void {
    if (!this.#isRunning || this.#isRunningDue) return;
    const first = this.#appointments.first;
    if (!first || (this.#timer && this.#timer.at <= first.at)) return;
    this.#timer?.cancel();
    const cancel = this.#clock.after(first.at - this.#steadyNow(), () => this.#run());
    this.#timer = { at: first.at, cancel };
  }

  #run(): void {
    this.#timer = undefined;
    const now = this.#steadyNow();
    this.#isRunningDue = true;
    for (let first = this.#appointments.first; first && first.at <= now; first = this.#appointments.first) {
      if (this.#steadyNow() - now > MAX_TURN_MS) break;
      const item = this.#takeFirst(first);
      if (item) this.#due(item);
    }
    this.#isRunningDue = false;
    this.#arm();
    const next = this.#appointments.first;
    this.#ran(!next || next.at > now);
  }

  /** Undefined: it was moved or removed. */
  #takeFirst(appointment: Appointment<T>): T | undefined {
    const item = appointment.items[appointment.done++] as T;
    this.#held--;
    if (appointment.done === appointment.items.length) {
      this.#appointments.pop();
      if (this.#latest === appointment) this.#latest = undefined;
    }
    if (item.appointment !== appointment) return undefined;
    item.appointment = undefined;
    this.#waiting--;
    return item;
  }
}

function isEarlier(a: Appointment<unknown>, b: Appointment<unknown>): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
