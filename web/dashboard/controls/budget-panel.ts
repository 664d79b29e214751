import { judgeBudget } from '../../../src/dashboard/domain/budget.ts';
import type { BudgetInput } from '../../../src/dashboard/domain/view.ts';
import { h, setAttribute, setText } from '../../shared/dom.ts';
import { parseDollars } from '../data/state.ts';
import type { Ui } from '../shell/ui.ts';
import { Field } from './controls.ts';

/** The month's cost beside the monthly budget. */
export class BudgetPanel {
  readonly element: HTMLElement;
  readonly #ui: Ui;
  readonly #field: Field<HTMLInputElement>;
  readonly #spent = h('p', { class: 'budget-spent' });
  readonly #note = h('p', { class: 'kpi-caption' });
  readonly #badge = h('span', { class: 'badge' });
  readonly #fill = h('div', { class: 'budget-fill' });
  readonly #today = h('div', { class: 'budget-today' });
  readonly #bar = h('div', { class: 'budget-bar', role: 'meter', 'aria-valuemin': 0 }, this.#fill, this.#today);
  #budget: number;
  #input: BudgetInput | undefined;

  /** `budget` in US dollars. */
  constructor(ui: Ui, budget: number, onBudget: (dollars: number) => void) {
    this.#ui = ui;
    this.#budget = budget;
    const { t } = ui;
    const input = h('input', { type: 'text', inputmode: 'decimal', id: 'budget', autocomplete: 'off' });
    this.#field = new Field(t('budget.monthly'), input, { class: 'inline' });
    input.addEventListener('change', () => {
      const dollars = input.value.trim() === '' ? 0 : parseDollars(input.value);
      this.#field.showError(dollars === undefined ? t('error.budget') : undefined);
      if (dollars === undefined) return;
      this.set(dollars);
      onBudget(dollars);
    });
    this.element = h(
      'section',
      { class: 'card budget', 'aria-label': t('budget') },
      h('div', { class: 'budget-head' }, h('h2', {}, t('budget')), this.#badge),
      this.#spent,
      this.#bar,
      this.#note,
      this.#field.element,
    );
    this.set(budget);
  }

  /** Shows a budget in US dollars. */
  set(budget: number): void {
    this.#budget = budget;
    this.#field.control.value = this.#typed(budget);
    this.show(this.#input);
  }

  show(input: BudgetInput | undefined): void {
    this.#input = input;
    this.element.classList.toggle('skeleton', !input);
    if (!input) return;
    const { t, format } = this.#ui;
    const cents = this.#budget * 100;
    const { share, level } = judgeBudget(input.spentCents, cents);
    const spent = format.money(input.spentCents);
    const text =
      share === undefined
        ? t('budget.spent', { spent })
        : t('budget.of', { spent, budget: format.money(cents), percent: format.percent(share) });
    setText(this.#spent, text);
    setText(this.#note, this.#notes(input).join(' · '));
    const state = level !== 'none' && input.requests === 0 ? 'empty' : level;
    this.element.dataset.state = state;
    setText(this.#badge, t(`budget.state.${state}`));
    this.#fill.style.inlineSize = `${Math.min(100, (share ?? 0) * 100)}%`;
    this.#today.style.insetInlineStart = `${Math.min(100, input.elapsed * 100)}%`;
    this.#today.title = t('budget.today');
    setAttribute(this.#bar, 'aria-label', t('budget'));
    setAttribute(this.#bar, 'aria-valuenow', (input.spentCents / 100).toFixed(2));
    setAttribute(this.#bar, 'aria-valuemax', Math.max(this.#budget, input.spentCents / 100, 0.01).toFixed(2));
    setAttribute(this.#bar, 'aria-valuetext', text);
  }

  #notes(input: BudgetInput): readonly string[] {
    const { t, format } = this.#ui;
    const pace = t('budget.pace', { cost: format.money(input.paceCents) });
    const day = t('budget.day', { day: input.dayOfMonth, days: input.daysInMonth });
    if (input.requests === 0) return [day, t('budget.no-data')];
    const since = input.partialSince;
    return [day, since === undefined ? pace : t('budget.partial', { date: format.shortDateTime(since) })];
  }

  #typed(dollars: number): string {
    if (dollars === 0) return '';
    const text = Number.isInteger(dollars) ? String(dollars) : dollars.toFixed(2);
    return this.#ui.language === 'de' ? text.replace('.', ',') : text;
  }
}
