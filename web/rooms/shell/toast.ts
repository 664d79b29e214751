import type { CancelTimer, Clock } from '../../shared/clock.ts';
import { h } from '../../shared/dom.ts';

const SHOWN_MS = 5000;
const OFFERED_MS = 10_000;

/** An action that a notice offers. */
export interface Offer {
  readonly label: string;
  act(): void;
}

/** A short notice at the edge of the page. */
export class Toast {
  readonly element = h('div', { class: 'toast', role: 'status', hidden: true });
  readonly #clock: Clock;
  #cancelTimer: CancelTimer = () => {};

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  show(text: string, offer?: Offer): void {
    this.#cancelTimer();
    const take = () => {
      this.#hide();
      offer?.act();
    };
    this.element.replaceChildren(text, ...(offer ? [h('button', { type: 'button', onclick: take }, offer.label)] : []));
    this.element.hidden = false;
    this.#cancelTimer = this.#clock.after(offer ? OFFERED_MS : SHOWN_MS, () => this.#hide());
  }

  #hide(): void {
    this.element.hidden = true;
  }
}
