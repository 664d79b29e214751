import type { CancelTimer, Clock } from '../kernel/clock.ts';

interface Timer {
  dueAt: number;
  readonly order: number;
  readonly everyMs?: number;
  readonly action: () => void;
}

/** A clock that stands still until a test moves it; timers fire in the order of their due instants. */
export class FakeClock implements Clock {
  #now: number;
  #order = 0;
  /** How far it was put forward. */
  #jumps = 0;
  readonly #timers = new Set<Timer>();

  constructor(now: number | string = '2026-01-01T00:00:00Z') {
    this.#now = typeof now === 'number' ? now : Date.parse(now);
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now - this.#jumps;
  }

  /** Puts the clock forward, or back where `ms` is negative; timers still wait as long as they were to. */
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

  /** Moves time forward, firing what falls due on the way, each timer at its own instant. */
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
