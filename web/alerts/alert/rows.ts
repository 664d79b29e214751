import type { Alert, LabelSet } from '../../../src/alerts/contract/wire.ts';
import { h, setText, syncChildren } from '../../shared/dom.ts';
import { t } from '../text.ts';
import { growNear } from './grow.ts';
import type { AlertRowParts } from './row.ts';
import { alertRow } from './row.ts';

/** Alerts of a group that are drawn at first. */
export const FIRST_ROWS = 5;
/** Rows that are drawn in each frame while the end of the list is near. */
const STEP = 30;

interface DrawnRow {
  readonly alert: Alert;
  /** The names of the labels that it leaves out. */
  readonly hidden: string;
  /** What it shows. */
  readonly signature: string;
  readonly row: HTMLLIElement;
}

/** A list of alerts: the first few, and all of them on demand. An update draws only changed ones. */
export class AlertRows {
  readonly element = h('div', { class: 'alert-rows' });
  readonly #parts: AlertRowParts;
  readonly #list: HTMLUListElement;
  readonly #more: HTMLButtonElement;
  readonly #growth: ReturnType<typeof growNear>;
  #limit = FIRST_ROWS;
  #alerts: readonly Alert[] = [];
  #hidden: LabelSet = {};
  #drawn = new Map<string, DrawnRow>();

  constructor(parts: AlertRowParts, caption: string) {
    this.#parts = parts;
    this.#list = h('ul', { class: 'alerts', 'aria-label': caption });
    this.#growth = growNear(() => {
      this.#limit += STEP;
      this.#draw();
    });
    this.#more = h('button', {
      type: 'button',
      class: 'more',
      'data-stop': true,
      tabindex: -1,
      onclick: () => this.#toggleAll(),
    });
    this.element.append(this.#list, this.#growth.element, this.#more);
  }

  update(alerts: readonly Alert[], hidden: LabelSet): void {
    this.#alerts = alerts;
    this.#hidden = hidden;
    this.#draw();
  }

  #toggleAll(): void {
    const last = this.#list.lastElementChild;
    this.#limit = this.#limit === FIRST_ROWS ? STEP : FIRST_ROWS;
    this.#draw();
    // Keyboard focus moves to the first new alert.
    if (this.#limit > FIRST_ROWS) last?.nextElementSibling?.querySelector<HTMLElement>('[data-stop]')?.focus();
  }

  #draw(): void {
    const before = this.#drawn;
    const hidden = Object.keys(this.#hidden).join();
    this.#drawn = new Map();
    // A button for a single further alert would be as high as that alert.
    const limit = this.#alerts.length <= FIRST_ROWS + 1 ? FIRST_ROWS + 1 : this.#limit;
    const rows = this.#alerts.slice(0, limit).map((alert) => {
      const drawn = this.#drawRow(alert, hidden, before.get(alert.fingerprint));
      this.#drawn.set(alert.fingerprint, drawn);
      return drawn.row;
    });
    syncChildren(this.#list, rows);
    const all = this.#alerts.length;
    const isShort = this.#limit === FIRST_ROWS;
    this.#growth.element.hidden = isShort || rows.length === all;
    this.#growth.check();
    this.#more.hidden = all <= FIRST_ROWS + 1;
    setText(this.#more, isShort ? t('alert.show-all', { n: all }) : t('alert.show-first', { n: FIRST_ROWS }));
  }

  /** Keeps the row of an alert that looks the same. */
  #drawRow(alert: Alert, hidden: string, known?: DrawnRow): DrawnRow {
    if (known?.alert === alert && known.hidden === hidden) return known;
    const { annotations, startsAt, status, generatorURL, receivers } = alert;
    const memberships = 'memberships' in alert && alert.memberships;
    const signature = JSON.stringify([annotations, startsAt, status, generatorURL, receivers, memberships]);
    if (known?.signature === signature && known.hidden === hidden) return { ...known, alert };
    const row = alertRow(alert, this.#hidden, this.#parts);
    if (known?.row.contains(document.activeElement))
      queueMicrotask(() => row.querySelector<HTMLElement>('[data-stop]')?.focus({ preventScroll: true }));
    return { alert, hidden, signature, row };
  }
}
