import { h, setAttribute, setText, syncChildren } from '../../../shared/dom.ts';
import type { ChartModel } from '../model.ts';
import { legendOf, toggleHidden } from '../model.ts';
import type { ChartTranslate } from '../text/terms.ts';

/** A small mark in a series' colour: a square for areas, a line for lines. */
export function swatch(color: string, form: string | undefined, isDashed: boolean | undefined): HTMLElement {
  const mark = h('span', { class: 'chart-swatch', 'aria-hidden': 'true', 'data-form': form, 'data-dashed': isDashed });
  mark.style.setProperty('--swatch', `var(${color})`);
  return mark;
}

interface Entry {
  readonly button: HTMLButtonElement;
  readonly label: HTMLElement;
  color: string;
}

/** The series of a chart as buttons that hide and show them. */
export class Legend {
  readonly element: HTMLElement;
  readonly #entries = new Map<string, Entry>();
  readonly #showAll: HTMLButtonElement;
  readonly #note: HTMLElement;
  readonly #hint: string;
  readonly #change: (hidden: ReadonlySet<string>) => void;
  #hidden: ReadonlySet<string> = new Set();
  #keys: readonly string[] = [];

  constructor(chart: string, translate: ChartTranslate, change: (hidden: ReadonlySet<string>) => void) {
    this.#change = change;
    this.#hint = translate('chart.legendHint');
    const label = translate('chart.legend', { chart });
    this.#showAll = h('button', { type: 'button', class: 'chart-all', onclick: () => change(this.#withoutMine()) });
    setText(this.#showAll, translate('chart.showAll'));
    this.#note = h('span', { class: 'chart-open-note' }, translate('chart.openEnded'));
    this.element = h('div', { class: 'chart-legend', role: 'group', 'aria-label': label });
  }

  update(model: ChartModel, hidden: ReadonlySet<string>, hasOpenMarkers: boolean): void {
    const entries = legendOf(model);
    this.#hidden = hidden;
    this.#keys = entries.map(({ key }) => key);
    const buttons: HTMLElement[] = entries.map(({ key, label, color, form, dashed }) => {
      const entry = this.#entryOf(key, color, form, dashed);
      setText(entry.label, label);
      setAttribute(entry.button, 'aria-pressed', String(!hidden.has(key)));
      return entry.button;
    });
    if (this.#keys.length > 0 && this.#keys.every((key) => hidden.has(key))) buttons.push(this.#showAll);
    if (hasOpenMarkers) buttons.push(this.#note);
    syncChildren(this.element, buttons);
  }

  #entryOf(key: string, color: string, form: string | undefined, isDashed: boolean | undefined): Entry {
    const known = this.#entries.get(key);
    if (known && known.color === color) return known;
    const label = h('span');
    const button = h(
      'button',
      {
        type: 'button',
        title: this.#hint,
        'data-series': key,
        onclick: (event: MouseEvent) => this.#onClick(key, event),
      },
      swatch(color, form, isDashed),
      label,
    );
    const entry = { button, label, color };
    this.#entries.set(key, entry);
    return entry;
  }

  #onClick(key: string, event: MouseEvent): void {
    this.#change(toggleHidden(this.#hidden, key, this.#keys, event.ctrlKey || event.altKey || event.metaKey));
  }

  #withoutMine(): ReadonlySet<string> {
    return new Set([...this.#hidden].filter((key) => !this.#keys.includes(key)));
  }
}
