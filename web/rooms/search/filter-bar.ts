import type { WireHit } from '../../../src/rooms/contract/search.ts';
import { h } from '../../shared/dom.ts';
import { roomName } from '../room/name.ts';
import type { Ui } from '../shell/ui.ts';
import { t } from '../text/text.ts';
import { filterValue, hasFilter, toggleFilter } from './query.ts';

/** Authors and rooms of the finds that are offered as filters. */
const MAX_OF_HITS = 3;

/** The filters of a search as buttons, which write them into the query. */
export class FilterBar {
  readonly element = h('div', { class: 'filter-bar', role: 'group', 'aria-label': t('search.filters') });
  readonly #ui: Ui;
  readonly #change: (query: string) => void;
  #query = '';
  #shown = '';

  constructor(ui: Ui, change: (query: string) => void) {
    this.#ui = ui;
    this.#change = change;
  }

  show(query: string, hits: readonly WireHit[]): void {
    this.#query = query;
    const filters = this.#filters(hits);
    const facts = JSON.stringify([filters, filters.map(([filter]) => hasFilter(query, filter)), days(query)]);
    if (facts === this.#shown) return;
    this.#shown = facts;
    const hadFocus = (document.activeElement as HTMLElement | null)?.dataset.filter;
    this.element.replaceChildren(
      ...filters.map(([filter, label]) => this.#button(filter, label)),
      this.#day('after:', t('search.after')),
      this.#day('before:', t('search.before')),
    );
    if (hadFocus) this.element.querySelector<HTMLElement>(`[data-filter="${CSS.escape(hadFocus)}"]`)?.focus();
  }

  #filters(hits: readonly WireHit[]): readonly (readonly [filter: string, label: string])[] {
    const { account, current } = this.#ui.model;
    const open = current?.room;
    const authors = hits.map(
      ({ message }) => [`from:${message.author.id}`, t('search.from', { name: message.author.name })] as const,
    );
    const rooms = hits.flatMap(({ message }) => {
      const room = this.#ui.model.entry(message.roomId)?.room;
      return room ? [[`in:${room.slug}`, t('search.in', { name: roomName(room, account) })] as const] : [];
    });
    return [
      ...new Map<string, string>([
        ...(open ? [[`in:${open.slug}`, t('search.in', { name: roomName(open, account) })] as const] : []),
        [`from:${account.id}`, t('search.from-me')],
        ['has:file', t('search.files')],
        ['has:link', t('search.links')],
        ['type:alert', t('search.alerts')],
        ...[...new Map(authors)].filter(([filter]) => filter !== `from:${account.id}`).slice(0, MAX_OF_HITS),
        ...[...new Map(rooms)].slice(0, MAX_OF_HITS),
      ]),
    ];
  }

  #button(filter: string, label: string): HTMLElement {
    const isOn = hasFilter(this.#query, filter);
    return h(
      'button',
      {
        type: 'button',
        class: 'filter',
        'data-filter': filter,
        'aria-pressed': String(isOn),
        title: filter,
        onclick: () => this.#change(toggleFilter(this.#query, filter)),
      },
      label,
    );
  }

  #day(name: string, label: string): HTMLElement {
    const value = filterValue(this.#query, name);
    const field = h('input', { type: 'date', 'data-filter': name, value: value.slice(0, 10) });
    field.addEventListener('change', () => {
      const without = value === '' ? this.#query : toggleFilter(this.#query, name + value);
      this.#change(field.value === '' ? without : toggleFilter(without, name + field.value));
    });
    return h('label', { class: 'filter' }, label, field);
  }
}

const days = (query: string): readonly string[] => [filterValue(query, 'after:'), filterValue(query, 'before:')];
