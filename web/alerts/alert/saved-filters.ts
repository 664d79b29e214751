import { h, setText } from '../../shared/dom.ts';
import { icon } from '../../shared/icons.ts';
import type { AlertsRoute } from '../route.ts';
import { formatHash } from '../route.ts';
import type { SavedFilter, Settings } from '../settings/settings.ts';
import { t } from '../text.ts';

/** A menu of the filters that the user has saved, one of which may be the first view of the page. */
export class SavedFilters {
  readonly element: HTMLDetailsElement;
  readonly #settings: Settings;
  readonly #list = h('ul');
  readonly #count = h('span', { class: 'count' });
  readonly #name = h('input', { id: 'filter-name', type: 'text', maxlength: 60, required: true });
  #route: AlertsRoute | undefined;

  constructor(settings: Settings) {
    this.#settings = settings;
    const onsubmit = (event: Event) => {
      event.preventDefault();
      this.#save();
    };
    const form = h(
      'form',
      { onsubmit },
      h('label', { for: 'filter-name' }, t('saved.name')),
      this.#name,
      h('button', { type: 'submit', class: 'small' }, t('saved.save')),
    );
    this.element = h(
      'details',
      { class: 'menu' },
      h('summary', {}, t('saved.title'), ' ', this.#count),
      h('div', { class: 'menu-body' }, this.#list, form),
    );
    this.element.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape') return;
      event.stopPropagation();
      this.#close();
    });
    this.element.addEventListener('focusout', ({ relatedTarget }) => {
      if (relatedTarget instanceof Node && !this.element.contains(relatedTarget)) this.element.open = false;
    });
    this.#draw();
  }

  /** The view that would be saved. */
  show(route: AlertsRoute): void {
    this.#route = route;
    this.#draw();
  }

  #close(): void {
    this.element.open = false;
    this.element.querySelector('summary')?.focus();
  }

  #save(): void {
    const name = this.#name.value.trim();
    if (!name || !this.#route) return;
    const others = this.#settings.values.filters.filter((filter) => filter.name !== name);
    this.#settings.change({ filters: [...others, { name, hash: formatHash(this.#route) }] });
    this.#name.value = '';
    this.#draw();
  }

  #draw(): void {
    const { filters } = this.#settings.values;
    setText(this.#count, filters.length === 0 ? '' : String(filters.length));
    const rows = filters.map((filter) => this.#row(filter));
    this.#list.replaceChildren(...(rows.length > 0 ? rows : [h('li', { class: 'hint' }, t('saved.none'))]));
  }

  #row({ name, hash }: SavedFilter): HTMLLIElement {
    const { startFilter, filters } = this.#settings.values;
    const isStart = startFilter === name;
    const start = () => {
      this.#settings.change({ startFilter: isStart ? '' : name });
      this.#draw();
    };
    const forget = () => {
      this.#settings.change({
        filters: filters.filter((filter) => filter.name !== name),
        ...(isStart && { startFilter: '' }),
      });
      this.#draw();
      this.#name.focus();
    };
    const current = this.#route && formatHash(this.#route) === hash;
    return h(
      'li',
      {},
      h('a', { href: hash, 'aria-current': current && 'true', onclick: () => this.#close() }, name),
      h(
        'button',
        {
          type: 'button',
          class: 'small',
          'aria-pressed': String(isStart),
          'aria-label': t('saved.default', { name }),
          onclick: start,
        },
        t('saved.is-default'),
      ),
      h(
        'button',
        { type: 'button', class: 'icon-button', 'aria-label': t('saved.forget', { name }), onclick: forget },
        icon('close'),
      ),
    );
  }
}
