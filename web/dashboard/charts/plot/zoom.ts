import type { Buckets, TimeSpan } from '../../../../src/dashboard/domain/view.ts';
import type { CancelTimer, Clock } from '../../../shared/clock.ts';
import { isWhole, spanOfWindow, timeLimits, type Window, type WindowLimits, windowOfSpan } from './zoom-window.ts';

/** What is in sight of a chart, and how that is changed. */
export interface Zoom {
  readonly window: Window;
  readonly limits: WindowLimits;
  readonly isZoomed: boolean;
  /** The same for as long as the numbers of columns mean the same columns. */
  readonly columns: unknown;
  move(window: Window): void;
  reset(): void;
}

/** Of a chart with few categories: the chart alone knows of it. */
export class LocalZoom implements Zoom {
  readonly #changed: () => void;
  #length = 0;
  #window: Window | undefined;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  get limits(): WindowLimits {
    return { min: 0, max: Math.max(0, this.#length - 1), least: 2 };
  }

  get window(): Window {
    return this.#window ?? this.limits;
  }

  get isZoomed(): boolean {
    return this.#window !== undefined;
  }

  get columns(): unknown {
    return this.#length;
  }

  /** Other categories than before: what was in sight means nothing any more. */
  update(length: number): void {
    if (length !== this.#length) this.#window = undefined;
    this.#length = length;
  }

  move(window: Window): void {
    this.#window = isWhole(window, this.limits) ? undefined : window;
    this.#changed();
  }

  reset(): void {
    if (this.#window) this.move(this.limits);
  }
}

const ASK_AFTER_MS = 120;

/**
 * Of the charts over time: they share what is in sight. A move shows at once what is loaded of it, and soon asks for the
 * stretch at the resolution that it allows.
 */
export class TimeZoom implements Zoom {
  readonly #clock: Clock;
  readonly #changed: () => void;
  readonly #ask: (span: TimeSpan | undefined) => void;
  #buckets: Buckets | undefined;
  #limits: WindowLimits = { min: 0, max: 0, least: 2 };
  #window: Window = { min: 0, max: 0 };
  #span: TimeSpan | undefined;
  #cancel: CancelTimer | undefined;

  constructor(clock: Clock, changed: () => void, ask: (span: TimeSpan | undefined) => void) {
    this.#clock = clock;
    this.#changed = changed;
    this.#ask = ask;
  }

  get window(): Window {
    return this.#window;
  }

  get limits(): WindowLimits {
    return this.#limits;
  }

  get isZoomed(): boolean {
    return this.#span !== undefined;
  }

  get columns(): unknown {
    return this.#buckets;
  }

  get span(): TimeSpan | undefined {
    return this.#span;
  }

  /** Takes over a view's buckets and the stretch that it was asked for. */
  update(buckets: Buckets, zoom: TimeSpan | undefined): void {
    this.#buckets = buckets;
    this.#limits = timeLimits(buckets);
    // What somebody is just moving to is newer than what the view was asked for.
    if (!this.#cancel) this.#span = zoom && { from: zoom.from, to: zoom.to + 1 };
    const whole = { min: 0, max: Math.max(0, buckets.length - 1) };
    const found = this.#span && windowOfSpan(buckets, this.#span);
    this.#window = found ?? whole;
    if (this.#span && !found && !this.#cancel) this.#askSoon(undefined);
  }

  move(window: Window): void {
    if (!this.#buckets || this.#buckets.length === 0) return;
    this.#window = window;
    this.#askSoon(isWhole(window, this.#limits) ? undefined : spanOfWindow(this.#buckets, window));
    this.#changed();
  }

  reset(): void {
    if (this.isZoomed) this.move(this.#limits);
  }

  close(): void {
    this.#cancel?.();
  }

  #askSoon(span: TimeSpan | undefined): void {
    this.#span = span;
    this.#cancel?.();
    this.#cancel = this.#clock.after(ASK_AFTER_MS, () => {
      this.#cancel = undefined;
      // A view's visible stretch includes its end: else the column behind it would be answered too.
      this.#ask(span && { from: span.from, to: span.to - 1 });
    });
  }
}
