import { h, setText } from '../../shared/dom.ts';
import { escapeRegExp } from '../parts/matcher-text.ts';
import type { AlertsRoute } from '../route.ts';
import type { AlertList, GroupOrder } from './list.ts';

export interface AlertsToolbarParts {
  onRoute(change: Partial<AlertsRoute>): void;
  onOrder(order: GroupOrder): void;
  onFold(open: boolean): void;
}

const STATES = ['active', 'silenced', 'inhibited', 'muted'] as const;
const ORDER_TITLES: Readonly<Record<GroupOrder, string>> = {
  severity: 'Worst first',
  newest: 'Newest first',
  labels: 'By label',
};

/** The filters for states and receiver, and the order of the list. */
export class AlertsToolbar {
  readonly element: HTMLElement;
  readonly #receiver: HTMLSelectElement;
  readonly #boxes = new Map<string, HTMLInputElement>();
  readonly #counts = new Map<string, HTMLElement>();

  constructor(order: GroupOrder, parts: AlertsToolbarParts) {
    this.#receiver = h('select', { id: 'receiver', onchange: () => parts.onRoute({ receiver: this.#receiver.value }) });
    const orders = Object.entries(ORDER_TITLES).map(([value, title]) =>
      h('option', { value, selected: value === order }, title),
    );
    const select = h('select', { id: 'order', onchange: () => parts.onOrder(select.value as GroupOrder) }, orders);
    const toggles = STATES.map((state) => this.#toggle(state, parts));
    const fold = (open: boolean, text: string) =>
      h('button', { type: 'button', class: 'quiet', onclick: () => parts.onFold(open) }, text);
    this.element = h(
      'div',
      { class: 'toolbar' },
      h('fieldset', { class: 'toggles' }, h('legend', {}, 'Show'), toggles),
      h('div', { class: 'field-inline' }, h('label', { for: 'receiver' }, 'Receiver'), this.#receiver),
      h('div', { class: 'field-inline' }, h('label', { for: 'order' }, 'Order'), select),
      h('div', { class: 'folds' }, fold(true, 'Open all'), fold(false, 'Close all')),
    );
  }

  show(route: AlertsRoute, receivers: readonly string[]): void {
    for (const state of STATES) {
      const box = this.#boxes.get(state);
      if (box) box.checked = route[state];
    }
    const chosen =
      receivers.find((name) => route.receiver === name || route.receiver === escapeRegExp(name)) ?? route.receiver;
    const names = receivers.includes(chosen) || chosen === '' ? receivers : [...receivers, chosen];
    const options = names.map((name) =>
      h('option', { value: name }, receivers.includes(name) ? name : `matching ${name}`),
    );
    this.#receiver.replaceChildren(h('option', { value: '' }, 'All'), ...options);
    this.#receiver.value = chosen;
  }

  showCounts(states: AlertList['states']): void {
    for (const state of STATES) {
      const count = this.#counts.get(state);
      if (count) setText(count, String(states[state]));
    }
  }

  #toggle(state: (typeof STATES)[number], parts: AlertsToolbarParts): HTMLElement {
    const box = h('input', { type: 'checkbox', onchange: () => parts.onRoute({ [state]: box.checked }) });
    const count = h('span', { class: 'count' });
    this.#boxes.set(state, box);
    this.#counts.set(state, count);
    return h('label', { class: 'toggle' }, box, h('span', {}, state.charAt(0).toUpperCase() + state.slice(1)), count);
  }
}
