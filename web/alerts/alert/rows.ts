import type { Alert, LabelSet } from '../../../src/alerts/contract/wire.ts';
import { h, setText, syncChildren } from '../../shared/dom.ts';
import type { AlertRowParts } from './row.ts';
import { alertRow } from './row.ts';

/** Alerts of a list drawn at first, and per press of the button. */
export const FIRST_ROWS = 20;
const MORE_ROWS = 100;

/** A list of alerts that draws only part of them, and on an update only changed ones. */
export class AlertRows {
  readonly element = h('div', { class: 'alert-rows' });
  readonly #parts: AlertRowParts;
  readonly #list: HTMLUListElement;
  readonly #more: HTMLButtonElement;
  #limit = FIRST_ROWS;
  #alerts: readonly Alert[] = [];
  #hidden: LabelSet = {};
  #drawn = new Map<string, { readonly signature: string; readonly row: HTMLLIElement }>();

  constructor(parts: AlertRowParts, caption: string) {
    this.#parts = parts;
    this.#list = h('ul', { class: 'alerts', 'aria-label': caption });
    this.#more = h('button', { type: 'button', class: 'more', onclick: () => this.#showMore() });
    this.element.append(this.#list, this.#more);
  }

  update(alerts: readonly Alert[], hidden: LabelSet): void {
    this.#alerts = alerts;
    this.#hidden = hidden;
    this.#draw();
  }

  #showMore(): void {
    const last = this.#list.lastElementChild;
    this.#limit += MORE_ROWS;
    this.#draw();
    // The button may be gone: keyboard focus moves to the first new alert.
    const next = last?.nextElementSibling;
    if (this.#more.hidden) next?.querySelector<HTMLElement>('button, a')?.focus();
  }

  #draw(): void {
    const before = this.#drawn;
    const hidden = Object.keys(this.#hidden).join();
    this.#drawn = new Map();
    const rows = this.#alerts.slice(0, this.#limit).map((alert) => {
      const { annotations, startsAt, status, generatorURL } = alert;
      const signature = JSON.stringify([annotations, startsAt, status, generatorURL, hidden]);
      const known = before.get(alert.fingerprint);
      const row = known?.signature === signature ? known.row : alertRow(alert, this.#hidden, this.#parts);
      this.#drawn.set(alert.fingerprint, { signature, row });
      return row;
    });
    syncChildren(this.#list, rows);
    const rest = this.#alerts.length - rows.length;
    this.#more.hidden = rest === 0;
    setText(this.#more, `Show ${Math.min(rest, MORE_ROWS)} more of ${rest}`);
  }
}
