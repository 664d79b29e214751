import type { CancelTimer, Clock } from '../../shared/clock.ts';
import { h } from '../../shared/dom.ts';

const SHOWN_MS = 5000;

/** A short notice at the edge of the page. */
export class Toast {
  readonly element = h('div', { class: 'toast', role: 'status', hidden: true });
  readonly #clock: Clock;
  #cancelTimer: CancelTimer = () => {};

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  show(text: string): void {
    this.#cancelTimer();
    this.element.textContent = text;
    this.element.hidden = false;
    this.#cancelTimer = this.#clock.after(SHOWN_MS, () => {
      this.element.hidden = true;
    });
  }
}
