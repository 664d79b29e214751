import type { CancelTimer, Clock } from '../../kernel/clock.ts';

interface Timer {
  dueAt: number;
  readonly order: number;
  readonly everyMs?: number;
  readonly action: () => void;
}

/** A clock that only a test moves; timers fire in the order of their due times. */
export class FakeClock implements Clock {
  readonly #startedAt: number;
  #now: number;
  #order = 0;
  /** Total of all jumps. */
  #jumps = 0;
  readonly #timers = new Set<Timer>();

  constructor(now: number | string = '2026-01-01T00:00:00Z') {
    this.#startedAt = typeof now === 'number' ? now : Date.parse(now);
    this.#now = this.#startedAt;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now - this.#jumps - this.#startedAt;
  }

  /** Changes the wall clock, forward or back; timers are not affected. */
  jump(ms: number): void {
    this.#now += ms;
    this.#jumps += ms;
    for (const timer of this.#timers) timer.dueAt += ms;
  }

  after(ms: number, action: () => void): CancelTimer {
    return this.#add({ dueAt: this.#now + Math.max(0, ms), order: this.#order++, action });
  }

  every(ms: number, action: () => void): CancelTimer {
    return this.#add({ dueAt: this.#now + ms, order: this.#order++, everyMs: ms, action });
  }

  /** Advances time; each timer that is due fires at its own time. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (let next = this.#nextUntil(end); next; next = this.#nextUntil(end)) {
      this.#now = next.dueAt;
      if (next.everyMs === undefined) this.#timers.delete(next);
      else next.dueAt += next.everyMs;
      next.action();
    }
    this.#now = end;
  }

  #add(timer: Timer): CancelTimer {
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  #nextUntil(end: number): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.dueAt > end) continue;
      if (!first || timer.dueAt < first.dueAt || (timer.dueAt === first.dueAt && timer.order < first.order))
        first = timer;
    }
    return first;
  }
}
