import { h, setAttribute, setText, syncChildren } from '../../../shared/dom.ts';
import type { ChartsDeps } from '../contract.ts';
import type { ChartModel } from '../model.ts';
import type { ChartTranslate } from '../text/terms.ts';

export interface HeadActions {
  resetZoom(): void;
  toggleTall(on: boolean): void;
  toggleTable(on: boolean): void;
  download(kind: 'png' | 'csv'): void;
  chooseMetric(key: string): void;
}

/** The line above a chart: caption, the page's controls, choice of measure, tools. */
export class FigureHead {
  readonly element: HTMLElement;
  readonly slot = h('div', { class: 'chart-slot' });
  readonly #note = h('span', { class: 'chart-note', hidden: true });
  readonly #metrics: HTMLElement;
  readonly #reset: HTMLButtonElement;
  readonly #tall: HTMLButtonElement;
  readonly #table: HTMLButtonElement;
  readonly #download: HTMLButtonElement;
  readonly #menu: HTMLElement;
  readonly #actions: HeadActions;
  readonly #translate: ChartTranslate;
  readonly #chart: string;

  constructor(chart: string, { translate, icon }: Pick<ChartsDeps, 'translate' | 'icon'>, actions: HeadActions) {
    this.#actions = actions;
    this.#translate = translate;
    this.#chart = chart;
    this.#metrics = h('div', {
      class: 'chart-metrics',
      role: 'group',
      'aria-label': translate('chart.metric', { chart: this.#chart }),
      hidden: true,
    });
    this.#reset = this.#tool('resetZoom', icon('reset'), () => actions.resetZoom());
    this.#tall = this.#tool('taller', icon('taller'), () => actions.toggleTall(flip(this.#tall)));
    this.#table = this.#tool('table', icon('table'), () => actions.toggleTable(flip(this.#table)));
    this.#download = this.#tool('download', icon('download'), () => this.#openMenu(this.#menu.hidden !== false));
    this.#menu = this.#menuOf(translate);
    for (const button of [this.#tall, this.#table]) setAttribute(button, 'aria-pressed', 'false');
    setAttribute(this.#download, 'aria-expanded', 'false');
    this.#reset.disabled = true;
    const tools = h('div', { class: 'chart-tools' }, this.#reset, this.#tall, this.#table, this.#download, this.#menu);
    tools.addEventListener('keydown', (event) => this.#onKey(event));
    tools.addEventListener('focusout', ({ relatedTarget }) => {
      if (!(relatedTarget instanceof Node && tools.contains(relatedTarget))) this.#openMenu(false);
    });
    const caption = h('figcaption', { class: 'chart-title' }, this.#chart, this.#note);
    this.element = h('div', { class: 'chart-head' }, caption, this.slot, this.#metrics, tools);
  }

  update(model: ChartModel, isZoomed: boolean): void {
    this.#note.hidden = model.time?.note === undefined;
    setText(this.#note, model.time?.note ?? '');
    this.#reset.hidden = model.shape === 'ring';
    this.#reset.disabled = !isZoomed;
    this.#metrics.hidden = !model.metrics;
    const held = new Map([...this.#metrics.children].map((button) => [button.getAttribute('data-metric'), button]));
    const buttons = (model.metrics ?? []).map(({ key, label }) => {
      const button = held.get(key) ?? this.#metricButton(key);
      setText(button, label);
      setAttribute(button, 'aria-pressed', String(key === model.metric));
      return button;
    });
    syncChildren(this.#metrics, buttons);
  }

  #metricButton(key: string): HTMLButtonElement {
    return h('button', { type: 'button', 'data-metric': key, onclick: () => this.#actions.chooseMetric(key) });
  }

  #tool(text: 'resetZoom' | 'taller' | 'table' | 'download', icon: SVGElement, act: () => void): HTMLButtonElement {
    const label = this.#translate(`chart.${text}Label`, { chart: this.#chart });
    const title = this.#translate(`chart.${text}`);
    return h('button', { type: 'button', class: 'chart-tool', 'aria-label': label, title, onclick: act }, icon);
  }

  #menuOf(translate: ChartTranslate): HTMLElement {
    const entry = (kind: 'png' | 'csv') =>
      h('button', { type: 'button', onclick: () => this.#choose(kind) }, translate(`chart.${kind}`));
    const label = translate('chart.downloadLabel', { chart: this.#chart });
    return h(
      'div',
      { class: 'chart-menu', role: 'group', 'aria-label': label, hidden: true },
      entry('png'),
      entry('csv'),
    );
  }

  #choose(kind: 'png' | 'csv'): void {
    this.#openMenu(false);
    this.#download.focus();
    this.#actions.download(kind);
  }

  #openMenu(open: boolean): void {
    if (this.#menu.hidden === !open) return;
    this.#menu.hidden = !open;
    setAttribute(this.#download, 'aria-expanded', String(open));
    if (open) this.#menu.querySelector('button')?.focus();
  }

  #onKey(event: KeyboardEvent): void {
    if (this.#menu.hidden) return;
    const entries = [...this.#menu.querySelectorAll('button')];
    const at = entries.indexOf(document.activeElement as HTMLButtonElement);
    if (event.key === 'Escape') {
      this.#openMenu(false);
      this.#download.focus();
    } else if (event.key === 'ArrowDown') entries[(at + 1) % entries.length]?.focus();
    else if (event.key === 'ArrowUp') entries[(at - 1 + entries.length) % entries.length]?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

/** Toggles a button; true: now pressed. */
function flip(button: HTMLButtonElement): boolean {
  const on = button.getAttribute('aria-pressed') !== 'true';
  setAttribute(button, 'aria-pressed', String(on));
  return on;
}
