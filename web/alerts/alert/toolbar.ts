import { h, setAttribute, setText } from '../../shared/dom.ts';
import { escapeRegExp } from '../parts/matcher-text.ts';
import type { AlertsRoute } from '../route.ts';
import type { Density, Settings } from '../settings/settings.ts';
import { DENSITIES } from '../settings/settings.ts';
import { t } from '../text.ts';
import type { AlertList, GroupOrder } from './list.ts';
import { GROUP_ORDERS } from './list.ts';
import { SavedFilters } from './saved-filters.ts';

export interface AlertsToolbarParts {
  onRoute(change: Partial<AlertsRoute>): void;
  onOrder(order: GroupOrder): void;
  onDensity(density: Density): void;
  onFold(open: boolean): void;
}

const STATES = ['active', 'silenced', 'inhibited', 'muted'] as const;

/** The filters for states and receiver, the saved ones, and the look of the list; folded into one button on a phone. */
export class AlertsToolbar {
  readonly element: HTMLElement;
  readonly #receiver: HTMLSelectElement;
  readonly #density: HTMLSelectElement;
  readonly #saved: SavedFilters;
  readonly #boxes = new Map<string, HTMLInputElement>();
  readonly #counts = new Map<string, HTMLElement>();

  constructor(settings: Settings, parts: AlertsToolbarParts) {
    this.#receiver = h('select', { id: 'receiver', onchange: () => parts.onRoute({ receiver: this.#receiver.value }) });
    const order = selectOf('order', GROUP_ORDERS, settings.values.order, (value) => t(`alert.order.${value}`));
    order.addEventListener('change', () => parts.onOrder(order.value as GroupOrder));
    this.#density = selectOf('density', DENSITIES, settings.values.density, (value) => t(`alert.density.${value}`));
    this.#density.addEventListener('change', () => parts.onDensity(this.#density.value as Density));
    this.#saved = new SavedFilters(settings);
    const toggles = STATES.map((state) => this.#toggle(state, parts));
    const fold = (open: boolean, text: string) =>
      h('button', { type: 'button', class: 'quiet', onclick: () => parts.onFold(open) }, text);
    const tools = h(
      'div',
      { class: 'toolbar-body', id: 'toolbar-body' },
      h('fieldset', { class: 'toggles' }, h('legend', {}, t('alert.show')), toggles),
      field(this.#receiver, t('alert.receiver')),
      named(order, t('alert.order')),
      named(this.#density, t('alert.density')),
      this.#saved.element,
      h('div', { class: 'folds' }, fold(true, t('alert.open-all')), fold(false, t('alert.close-all'))),
    );
    this.element = h('div', { class: 'toolbar' }, optionsButton(tools), tools);
  }

  show(route: AlertsRoute, receivers: readonly string[]): void {
    for (const state of STATES) {
      const box = this.#boxes.get(state);
      if (box) box.checked = route[state];
    }
    this.#saved.show(route);
    const chosen =
      receivers.find((name) => route.receiver === name || route.receiver === escapeRegExp(name)) ?? route.receiver;
    const names = receivers.includes(chosen) || chosen === '' ? receivers : [...receivers, chosen];
    const options = names.map((name) =>
      h('option', { value: name }, receivers.includes(name) ? name : t('alert.receiver.matching', { name })),
    );
    this.#receiver.replaceChildren(h('option', { value: '' }, t('alert.receiver.all')), ...options);
    this.#receiver.value = chosen;
  }

  showCounts(states: AlertList['states']): void {
    for (const state of STATES) {
      const count = this.#counts.get(state);
      if (count) setText(count, String(states[state]));
    }
  }

  showDensity(density: Density): void {
    this.#density.value = density;
  }

  #toggle(state: (typeof STATES)[number], parts: AlertsToolbarParts): HTMLElement {
    const box = h('input', { type: 'checkbox', onchange: () => parts.onRoute({ [state]: box.checked }) });
    const count = h('span', { class: 'count' });
    this.#boxes.set(state, box);
    this.#counts.set(state, count);
    return h('label', { class: 'toggle' }, box, h('span', {}, t(`alert.show.${state}`)), count);
  }
}

function selectOf<Value extends string>(
  id: string,
  values: readonly Value[],
  chosen: Value,
  titleOf: (value: Value) => string,
): HTMLSelectElement {
  const options = values.map((value) => h('option', { value, selected: value === chosen }, titleOf(value)));
  return h('select', { id }, options);
}

function field(select: HTMLSelectElement, title: string): HTMLElement {
  return h('div', { class: 'field-inline' }, h('label', { for: select.id }, title), select);
}

/** A choice whose values say what it is about. */
function named(select: HTMLSelectElement, title: string): HTMLElement {
  select.setAttribute('aria-label', title);
  select.title = title;
  return h('div', { class: 'field-inline' }, select);
}

/** Shown on a phone only. */
function optionsButton(tools: HTMLElement): HTMLElement {
  const button = h(
    'button',
    { type: 'button', class: 'small toolbar-toggle', 'aria-expanded': 'false', 'aria-controls': tools.id },
    t('alert.options'),
  );
  button.addEventListener('click', () => {
    const isOpen = tools.classList.toggle('open');
    setAttribute(button, 'aria-expanded', String(isOpen));
  });
  return button;
}
