import { h, setText } from '../../shared/dom.ts';
import type { CostBasis, CountRange, Granularity, Mode, PageState, TimeRange } from '../data/state.ts';
import { COST_BASES, COUNTS, clampCount, GRANULARITIES, HOURS, MODES } from '../data/state.ts';
import type { Ui } from '../shell/ui.ts';
import type { Choice } from './controls.ts';
import { checkbox, Field, foldButton, iconButton, Segments } from './controls.ts';
import { zoneField } from './zone-field.ts';

export interface RangePanelParts {
  onChange(change: Partial<PageState>): void;
  onShift(direction: -1 | 1): void;
}

/** The choice of period or requests, granularity and cost basis. */
export class RangePanel {
  readonly element: HTMLElement;
  readonly #ui: Ui;
  readonly #parts: RangePanelParts;
  readonly #mode: Segments<Mode>;
  readonly #time: Segments<string>;
  readonly #count: Segments<string>;
  readonly #granularity: Segments<Granularity>;
  readonly #basis: Segments<CostBasis>;
  readonly #from: Field<HTMLInputElement>;
  readonly #to: Field<HTMLInputElement>;
  readonly #custom: HTMLElement;
  readonly #number: Field<HTMLInputElement>;
  readonly #rankFrom: Field<HTMLInputElement>;
  readonly #rankTo: Field<HTMLInputElement>;
  readonly #rank: HTMLElement;
  readonly #compare: HTMLLabelElement;
  readonly #shift: HTMLElement;
  readonly #resolved = h('p', { class: 'resolved' });
  readonly #suggestion = h('button', { type: 'button', class: 'chip-button', hidden: true });
  readonly #zone: Field<HTMLInputElement>;
  #state: PageState;
  #suggested: Granularity | undefined;

  constructor(ui: Ui, state: PageState, parts: RangePanelParts) {
    this.#ui = ui;
    this.#parts = parts;
    this.#state = state;
    const { t } = ui;
    this.#mode = new Segments('mode', t('mode'), (mode) => parts.onChange({ mode }));
    this.#time = new Segments('period', t('period'), (value) => this.#onTime(value));
    this.#count = new Segments('requests', t('requests'), (value) => this.#onCount(value));
    this.#granularity = new Segments('granularity', t('granularity'), (granularity) => parts.onChange({ granularity }));
    this.#basis = new Segments('basis', t('basis'), (basis) => parts.onChange({ basis }));
    const moment = () => h('input', { type: 'datetime-local', onchange: () => this.#onCustom() });
    this.#from = new Field(t('from'), moment());
    this.#to = new Field(t('to'), moment());
    this.#custom = h('div', { class: 'fields' }, this.#from.element, this.#to.element);
    const number = (onchange: () => void, max?: number) =>
      h('input', { type: 'number', inputmode: 'numeric', min: 1, max, step: 1, onchange });
    this.#number = new Field(
      t('latest'),
      number(() => this.#onNumber(), 1000),
      { class: 'narrow' },
    );
    this.#rankFrom = new Field(
      t('rank.from'),
      number(() => this.#onRank()),
      { class: 'narrow' },
    );
    this.#rankTo = new Field(
      t('rank.to'),
      number(() => this.#onRank()),
      { class: 'narrow' },
    );
    this.#rank = h('div', { class: 'fields' }, this.#rankFrom.element, this.#rankTo.element);
    this.#compare = checkbox(t('compare'), state.compare, (compare) => parts.onChange({ compare }));
    this.#zone = zoneField(ui, (zone) => parts.onChange({ zone }));
    this.#suggestion.addEventListener('click', () => {
      if (this.#suggested) parts.onChange({ granularity: this.#suggested });
    });
    this.#shift = h(
      'div',
      { class: 'shift' },
      iconButton('left', t('shift.back'), () => parts.onShift(-1), { key: '[' }),
      iconButton('right', t('shift.on'), () => parts.onShift(1), { key: ']' }),
    );
    this.element = this.#build();
    this.show(state);
  }

  #build(): HTMLElement {
    const { t } = this.#ui;
    const rows = this.#rows();
    return h(
      'section',
      { class: 'card range', 'aria-label': t('range') },
      rows,
      h(
        'div',
        { class: 'range-foot' },
        this.#resolved,
        this.#suggestion,
        foldButton('sliders', t('range.change'), rows),
      ),
    );
  }

  #rows(): HTMLElement {
    const { t } = this.#ui;
    return h(
      'div',
      { class: 'range-rows' },
      h(
        'div',
        { class: 'range-row' },
        this.#mode.element,
        this.#time.element,
        this.#count.element,
        this.#shift,
        this.#custom,
        this.#number.element,
        this.#rank,
        this.#compare,
      ),
      h(
        'div',
        { class: 'range-row' },
        this.#granularity.element,
        this.#basis.element,
        h('details', { class: 'tip' }, h('summary', {}, t('basis.what')), h('p', {}, t('basis.explained'))),
        this.#zone.element,
      ),
    );
  }

  show(state: PageState): void {
    this.#state = state;
    const { t, format } = this.#ui;
    const isTime = state.mode === 'time';
    this.#mode.show(
      MODES.map((value) => ({ value, label: t(`mode.${value}`) })),
      state.mode,
    );
    this.#time.element.hidden = !isTime;
    this.#shift.hidden = !isTime || state.time.mode === 'all';
    this.#granularity.element.hidden = !isTime;
    this.#compare.hidden = !isTime;
    this.#count.element.hidden = isTime;
    this.#custom.hidden = !isTime || state.time.mode !== 'custom';
    this.#number.element.hidden = isTime || state.count.mode !== 'latest';
    this.#rank.hidden = isTime || state.count.mode !== 'rank';
    this.#time.show(this.#periods(), state.time.mode === 'hours' ? String(state.time.hours) : state.time.mode);
    this.#count.show(
      [
        ...COUNTS.map((count) => ({
          value: String(count),
          label: format.count(count),
          name: t('latest.n', { n: count }),
        })),
        { value: 'all', label: t('all') },
        { value: 'rank', label: t('rank') },
      ],
      state.count.mode === 'latest' ? String(state.count.count) : state.count.mode,
    );
    this.#granularity.show(
      GRANULARITIES.map((value) => ({ value, label: t(`by.${value}`) })),
      state.granularity,
    );
    this.#basis.show(
      COST_BASES.map((value) => ({ value, label: t(`basis.${value}`) })),
      state.basis,
    );
    this.#fill();
  }

  /** Shows the resolved interval, and suggests a better granularity. */
  showResolved(text: string, suggested: Granularity | undefined): void {
    const { t } = this.#ui;
    setText(this.#resolved, text);
    this.#suggested = suggested;
    this.#suggestion.hidden = suggested === undefined || this.#state.mode !== 'time';
    if (suggested) setText(this.#suggestion, t('by.switch', { by: t(`by.${suggested}`) }));
  }

  #periods(): readonly Choice<string>[] {
    const { t } = this.#ui;
    const hours = HOURS.map((value) => {
      const days = value / 24;
      return value > 24
        ? { value: String(value), label: t('days.short', { n: days }), name: t('days', { n: days }) }
        : { value: String(value), label: t('hours.short', { n: value }), name: t('hours', { n: value }) };
    });
    return [
      ...hours,
      { value: 'all', label: t('all'), name: t('all-events') },
      { value: 'custom', label: t('custom') },
    ];
  }

  #fill(): void {
    const { time, count, compare, zone } = this.#state;
    const set = (input: HTMLInputElement, value: string) => {
      if (document.activeElement !== input && input.value !== value) input.value = value;
    };
    set(this.#from.control, time.customFrom.length === 10 ? `${time.customFrom}T00:00` : time.customFrom);
    set(this.#to.control, time.customTo.length === 10 ? `${time.customTo}T23:59` : time.customTo);
    set(this.#number.control, String(count.count));
    set(this.#rankFrom.control, String(count.from));
    set(this.#rankTo.control, String(count.to));
    set(this.#zone.control, zone);
    const box = this.#compare.querySelector('input');
    if (box) box.checked = compare;
  }

  #onTime(value: string): void {
    const { time } = this.#state;
    const mode = value === 'all' || value === 'custom' ? value : 'hours';
    this.#parts.onChange({
      time: { ...time, mode, hours: mode === 'hours' ? Number(value) : time.hours } satisfies TimeRange,
    });
  }

  #onCustom(): void {
    const [from, to] = [this.#from.control.value, this.#to.control.value];
    const { t } = this.#ui;
    this.#from.showError(from === '' ? t('error.time') : undefined);
    this.#to.showError(to === '' ? t('error.time') : undefined);
    if (from === '' || to === '') return;
    this.#parts.onChange({ time: { ...this.#state.time, mode: 'custom', customFrom: from, customTo: to } });
  }

  #onCount(value: string): void {
    const { count } = this.#state;
    const mode = value === 'all' || value === 'rank' ? value : 'latest';
    const next: CountRange = { ...count, mode, count: mode === 'latest' ? Number(value) : count.count };
    this.#parts.onChange({ count: next });
  }

  #onNumber(): void {
    const { t } = this.#ui;
    const typed = this.#number.control.value;
    const count = typed === '' ? undefined : clampCount(Number(typed));
    this.#number.showError(count === undefined ? t('error.count') : undefined);
    if (count === undefined) return;
    this.#number.control.value = String(count);
    this.#parts.onChange({ count: { ...this.#state.count, mode: 'latest', count } });
  }

  #onRank(): void {
    const { t } = this.#ui;
    const [from, to] = [this.#rankFrom, this.#rankTo].map((field) => {
      const rank = Number(field.control.value);
      const isRank = Number.isInteger(rank) && rank >= 1;
      field.showError(isRank ? undefined : t('error.rank'));
      return isRank ? rank : undefined;
    });
    if (from === undefined || to === undefined) return;
    const [first, last] = [Math.min(from, to), Math.max(from, to)];
    this.#rankFrom.control.value = String(first);
    this.#rankTo.control.value = String(last);
    this.#parts.onChange({ count: { ...this.#state.count, mode: 'rank', from: first, to: last } });
  }
}
