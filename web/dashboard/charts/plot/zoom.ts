import type { Buckets, TimeSpan } from '../../../../src/dashboard/domain/view.ts';
import type { CancelTimer, Clock } from '../../../shared/clock.ts';
import { isWhole, spanOfWindow, timeLimits, type Window, type WindowLimits, windowOfSpan } from './zoom-window.ts';

/** The visible window of a chart, and its changes. */
export interface Zoom {
  readonly window: Window;
  readonly limits: WindowLimits;
  readonly isZoomed: boolean;
  /** Changes when the numbers of columns change their meaning. */
  readonly columns: unknown;
  move(window: Window): void;
  reset(): void;
}

/** The zoom of one chart of categories. */
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

  /** Other categories: the window is reset. */
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
 * The zoom shared by the charts over time. A move first shows the loaded columns, then requests the span at its best
 * resolution.
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

  /** Takes over a view's buckets and its requested span. */
  update(buckets: Buckets, zoom: TimeSpan | undefined): void {
    this.#buckets = buckets;
    this.#limits = timeLimits(buckets);
    // A move in progress is newer than the view's span.
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
      // A view's visible span includes its end: without this the next column would be included.
      this.#ask(span && { from: span.from, to: span.to - 1 });
    });
  }
}
