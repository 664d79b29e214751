import type { CancelTimer, Clock } from '../kernel/clock.ts';
import { PriorityQueue } from '../kernel/priority-queue.ts';

/** What is due at a moment of its own. */
export interface Scheduled {
  /** Epoch milliseconds, or infinity; set by the schedule alone. */
  nextFlushAt: number;
}

interface Appointment<T> {
  readonly at: number;
  readonly order: number;
  readonly item: T;
}

/** So long at most the due are told in one go, then requests have their turn. */
const LONGEST_TURN_MS = 10;

/** How many appointments that no longer hold are borne with, beside as many as hold. */
const MOST_LEFT_BEHIND = 1_000;

/** One timer for any number of things. What is due at the same moment comes in the order in which it was set. */
export class FlushSchedule<T extends Scheduled> {
  readonly #clock: Clock;
  readonly #due: (item: T) => void;
  readonly #told: (isAll: boolean) => void;
  readonly #current = new Map<T, Appointment<T>>();
  /** An item that was moved or taken out leaves its old appointment behind, which is passed over. */
  #appointments = new PriorityQueue<Appointment<T>>(isEarlier);
  #order = 0;
  #timer: { readonly at: number; readonly cancel: CancelTimer } | undefined;
  #isRunning = false;
  /** What falls due is being told; there is one look for the next moment, at the end. */
  #isTelling = false;

  /** `told` hears after each go whether that was all that is due by now. */
  constructor(clock: Clock, due: (item: T) => void, told: (isAll: boolean) => void = () => {}) {
    this.#clock = clock;
    this.#due = due;
    this.#told = told;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** The item is due at that moment, and at no other. */
  set(item: T, at: number): void {
    item.nextFlushAt = at;
    const appointment = { at, order: this.#order++, item };
    this.#current.set(item, appointment);
    this.#appointments.push(appointment);
    if (this.#appointments.size > 2 * this.#current.size + MOST_LEFT_BEHIND) this.#clearUp();
    this.#arm();
  }

  delete(item: T): void {
    item.nextFlushAt = Number.POSITIVE_INFINITY;
    this.#current.delete(item);
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

  /** Groups that come and go within a long interval must not fill the memory with what they leave behind. */
  #clearUp(): void {
    this.#appointments = new PriorityQueue<Appointment<T>>(isEarlier);
    for (const appointment of this.#current.values()) this.#appointments.push(appointment);
  }

  #arm(): void {
    if (!this.#isRunning || this.#isTelling) return;
    const first = this.#appointments.first;
    if (!first || (this.#timer && this.#timer.at <= first.at)) return;
    this.#timer?.cancel();
    const cancel = this.#clock.after(first.at - this.#clock.now(), () => this.#run());
    this.#timer = { at: first.at, cancel };
  }

  #run(): void {
    this.#timer = undefined;
    const now = this.#clock.now();
    this.#isTelling = true;
    for (let first = this.#appointments.first; first && first.at <= now; first = this.#appointments.first) {
      if (this.#clock.now() - now > LONGEST_TURN_MS) break;
      this.#appointments.pop();
      if (this.#current.get(first.item) !== first) continue;
      this.#current.delete(first.item);
      this.#due(first.item);
    }
    this.#isTelling = false;
    this.#arm();
    const next = this.#appointments.first;
    this.#told(!next || next.at > now);
  }
}

function isEarlier(a: Appointment<unknown>, b: Appointment<unknown>): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
