import { h, setText } from '../../../shared/dom.ts';
import type { ChartModel } from '../model.ts';
import { formatUnit } from '../model.ts';
import type { ChartFormat, ChartTranslate } from '../text/terms.ts';

/** Rows added at once: thousands of rows would cost more than the chart. */
const ROWS_AT_ONCE = 100;

/** The chart's values as a table: always present for assistive technology, visible on demand. */
export class TableTwin {
  readonly element: HTMLElement;
  readonly #format: ChartFormat;
  readonly #translate: ChartTranslate;
  readonly #table: HTMLTableElement;
  readonly #head = h('thead');
  readonly #body = h('tbody');
  readonly #more: HTMLButtonElement;
  #model: ChartModel | undefined;
  #drawn = 0;

  constructor(title: string, format: ChartFormat, translate: ChartTranslate) {
    this.#format = format;
    this.#translate = translate;
    this.#table = h('table', {}, h('caption', { class: 'off-screen' }, title), this.#head, this.#body);
    this.#more = h('button', { type: 'button', class: 'quiet', hidden: true, onclick: () => this.#appendRows() });
    this.element = h('div', { class: 'chart-twin' }, this.#table, this.#more);
  }

  get isShown(): boolean {
    return this.element.dataset.shown !== undefined;
  }

  show(on: boolean): void {
    this.element.toggleAttribute('data-shown', on);
    // Focusable, so that it scrolls by keyboard.
    if (on) this.element.tabIndex = 0;
    else this.element.removeAttribute('tabindex');
  }

  update(model: ChartModel): void {
    this.#model = model;
    const details = model.length > 0 ? model.details(0) : [];
    const heads = [model.head, ...model.series.map(({ label }) => label), ...details.map(({ label }) => label)];
    this.#head.replaceChildren(h('tr', {}, ...heads.map((text) => h('th', { scope: 'col' }, text))));
    this.#body.replaceChildren();
    this.#drawn = 0;
    this.#appendRows();
  }

  #appendRows(): void {
    const model = this.#model;
    if (!model) return;
    const until = Math.min(model.length, this.#drawn + ROWS_AT_ONCE);
    for (; this.#drawn < until; this.#drawn++) this.#body.append(this.#row(model, this.#drawn));
    const left = model.length - this.#drawn;
    this.#more.hidden = left === 0;
    setText(this.#more, this.#translate('chart.moreRows', { count: Math.min(left, ROWS_AT_ONCE) }));
  }

  #row(model: ChartModel, index: number): HTMLTableRowElement {
    const values = model.series.map(({ unit, values }) => formatUnit(this.#format, unit, values[index] ?? 0));
    const details = model.details(index).map(({ value }) => value);
    const cells = [...values, ...details].map((text) => h('td', {}, text));
    return h('tr', {}, h('th', { scope: 'row' }, model.name(index)), ...cells);
  }
}
