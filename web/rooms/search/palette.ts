import type { WireHit } from '../../../src/rooms/contract/search.ts';
import type { CancelTimer } from '../../shared/clock.ts';
import { h } from '../../shared/dom.ts';
import { icon } from '../../shared/icons.ts';
import { reasonOf } from '../api-error.ts';
import type { Ui } from '../shell/ui.ts';
import { t } from '../text/text.ts';
import { type Choice, hitChoice, personChoice, roomChoices } from './choices.ts';
import { FilterBar } from './filter-bar.ts';
import { withLocalDays } from './query.ts';

const SEARCH_AFTER_MS = 200;
const MAX_PEOPLE = 4;

interface Row extends Choice {
  readonly element: HTMLLIElement;
}

/** Finds rooms, people and messages by a text: rooms at once, the rest when the server answers. */
export class Palette {
  readonly #ui: Ui;
  readonly #field = h('input', {
    type: 'text',
    role: 'combobox',
    'aria-expanded': 'true',
    'aria-controls': 'palette-list',
    'aria-autocomplete': 'list',
    'aria-label': t('search.label'),
    placeholder: t('search.placeholder'),
    autocomplete: 'off',
    spellcheck: 'false',
  });
  readonly #list = h('ul', {
    class: 'palette-list',
    id: 'palette-list',
    role: 'listbox',
    'aria-label': t('search.found'),
  });
  readonly #status = h('p', { class: 'palette-status soft', role: 'status' });
  readonly #filters: FilterBar;
  readonly #dialog: HTMLDialogElement;
  #rows: readonly Row[] = [];
  #people: readonly Choice[] = [];
  #hits: readonly WireHit[] = [];
  #next: string | null = null;
  #selected = 0;
  #cancelTimer: CancelTimer = () => {};
  #asked = '';

  constructor(ui: Ui) {
    this.#ui = ui;
    this.#filters = new FilterBar(ui, (query) => {
      this.#field.value = query;
      this.#onInput();
    });
    const close = h(
      'button',
      { type: 'button', class: 'icon-button', 'aria-label': t('close'), onclick: () => this.#dialog.close() },
      icon('close'),
    );
    this.#dialog = h(
      'dialog',
      { class: 'palette', 'aria-label': t('search') },
      h('div', { class: 'palette-field' }, icon('search'), this.#field, close),
      this.#filters.element,
      this.#list,
      this.#status,
    );
    this.#field.addEventListener('input', () => this.#onInput());
    this.#field.addEventListener('keydown', (event) => this.#onKey(event));
    this.#dialog.addEventListener('click', ({ target }) => target === this.#dialog && this.#dialog.close());
    document.body.append(this.#dialog);
  }

  /** `query`: at first; with `@` people alone are found. */
  open(query = ''): void {
    if (this.#dialog.open) return;
    this.#field.value = query;
    this.#dialog.showModal();
    this.#onInput();
    this.#field.focus();
  }

  #onInput(): void {
    const query = this.#field.value.trim();
    this.#cancelTimer();
    this.#status.textContent = '';
    this.#asked = query;
    this.#people = [];
    this.#hits = [];
    this.#next = null;
    this.#show();
    if (query.length < 2 && query !== '@') return;
    this.#cancelTimer = this.#ui.clock.after(SEARCH_AFTER_MS, () => {
      void this.#findPeople(query);
      if (!query.startsWith('@')) void this.#search(query);
    });
  }

  async #findPeople(query: string): Promise<void> {
    const { api, model } = this.#ui;
    const { users } = await api.users(query.replace(/^@/, '')).catch(() => ({ users: [] }));
    if (this.#asked !== query) return;
    this.#people = users
      .filter(({ kind, disabled, id }) => kind === 'human' && !disabled && id !== model.account.id)
      .slice(0, query.startsWith('@') ? users.length : MAX_PEOPLE)
      .map((user) => personChoice(user, this.#ui));
    if (query.startsWith('@') && this.#people.length === 0) this.#status.textContent = t('search.nobody');
    this.#show();
  }

  async #search(query: string): Promise<void> {
    try {
      const { hits, next } = await this.#ui.api.search(withLocalDays(query), this.#next ?? undefined);
      if (this.#asked !== query) return;
      this.#hits = [...this.#hits, ...hits];
      this.#next = next;
      this.#show();
      const { length } = this.#hits;
      this.#status.textContent =
        length === 0 ? t('search.none') : t(next === null ? 'search.count' : 'search.so-far', { n: length });
    } catch (error) {
      if (this.#asked === query) this.#status.textContent = reasonOf(error).replace(/^q: /, '');
    }
  }

  #show(): void {
    const query = this.#asked;
    const ui = this.#ui;
    const choices = [
      ...(query.startsWith('@') ? [] : roomChoices(query, ui)),
      ...this.#people,
      ...this.#hits.map((hit) => hitChoice(hit, ui)),
      ...(this.#next === null ? [] : [this.#moreChoice()]),
    ];
    const { length } = this.#rows;
    this.#rows = choices.map((choice) => this.#row(choice));
    this.#list.replaceChildren(...this.#rows.map(({ element }) => element));
    for (const [index, { element }] of this.#rows.entries()) element.id = `palette-${index}`;
    // More results come behind the selected one.
    this.#select(length > 0 && this.#hits.length > 0 ? Math.min(this.#selected, this.#rows.length - 1) : 0);
    this.#filters.element.hidden = query.startsWith('@');
    this.#filters.show(this.#field.value, this.#hits);
  }

  #moreChoice(): Choice {
    return {
      staysOpen: true,
      content: [h('span', { class: 'palette-more' }, t('search.more'))],
      take: () => void this.#search(this.#asked),
    };
  }

  #row(choice: Choice): Row {
    const element = h('li', { role: 'option', class: 'palette-option' }, choice.content);
    const take = () => {
      if (!choice.staysOpen) this.#dialog.close();
      choice.take();
    };
    const row = { ...choice, element, take };
    element.addEventListener('click', take);
    element.addEventListener('pointermove', () => this.#select(this.#rows.indexOf(row), false));
    return row;
  }

  #select(index: number, scroll = true): void {
    this.#selected = index;
    for (const [at, { element }] of this.#rows.entries()) element.setAttribute('aria-selected', String(at === index));
    if (this.#rows[index]) this.#field.setAttribute('aria-activedescendant', `palette-${index}`);
    else this.#field.removeAttribute('aria-activedescendant');
    if (scroll) this.#rows[index]?.element.scrollIntoView({ block: 'nearest' });
  }

  #onKey(event: KeyboardEvent): void {
    const { length } = this.#rows;
    if (event.isComposing || length === 0) return;
    if (event.key === 'ArrowDown') this.#select((this.#selected + 1) % length);
    else if (event.key === 'ArrowUp') this.#select((this.#selected + length - 1) % length);
    else if (event.key === 'Enter') this.#rows[this.#selected]?.take();
    else return;
    event.preventDefault();
  }
}
