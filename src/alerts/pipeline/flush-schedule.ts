import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import { PriorityQueue } from '../../kernel/priority-queue.ts';

/** What is due at a moment of its own. Both fields are set by the schedule alone. */
export interface Scheduled {
  /** Epoch milliseconds, or infinity. */
  nextFlushAt: number;
  /** Those it shares the moment with; undefined where it is not waiting. */
  appointment?: object | undefined;
}

/** Things that were set to the same moment one after the other. */
interface Appointment<T> {
  /** On the steady clock. */
  readonly at: number;
  readonly order: number;
  items: T[];
  /** How many of the items have been told, or passed over. */
  done: number;
}

/** So long at most the due are told in one go, then requests have their turn. */
const MAX_TURN_MS = 10;

/** How many items that were moved or taken out are borne with, beside as many as hold. */
const MAX_LEFT_BEHIND = 1_000;

/** By less than this a clock is not put forward or back, but corrected. */
const MIN_JUMP_MS = 1_000;

/**
 * One timer for any number of things. What is due at the same moment comes in the order in which it was set; a clock that
 * is put forward or back moves no moment that was set before.
 */
export class FlushSchedule<T extends Scheduled> {
  readonly #clock: Clock;
  readonly #due: (item: T) => void;
  readonly #ran: (isAll: boolean) => void;
  #appointments = new PriorityQueue<Appointment<T>>(isEarlier);
  /** The one that was made last: the next item is likely to share its moment. */
  #latest: Appointment<T> | undefined;
  #order = 0;
  #waiting = 0;
  /** All items of all appointments. One that was moved or taken out is still in its old one, and is passed over. */
  #held = 0;
  #timer: { readonly at: number; readonly cancel: CancelTimer } | undefined;
  /** What the clock is ahead of the steady one. */
  #ahead: number;
  #isRunning = false;
  /** What falls due is being told; there is one look for the next moment, at the end. */
  #isRunningDue = false;

  /** `told` hears after each go whether that was all that is due by now. */
  constructor(clock: Clock, due: (item: T) => void, ran: (isAll: boolean) => void = () => {}) {
    this.#clock = clock;
    this.#ahead = clock.now() - clock.monotonic();
    this.#due = due;
    this.#ran = ran;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** The item is due at that moment, and at no other. */
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

  /** Until then, what falls due waits. */
  start(): void {
    this.#isRunning = true;
    this.#arm();
  }

  /** Nothing is due any more. */
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

  /** Groups that come and go within a long interval must not fill the memory with what they leave behind. */
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

  /** Undefined: it was moved or taken out. */
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
