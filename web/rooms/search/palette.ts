import type { WireHit } from '../../../src/rooms/contract/search.ts';
import type { CancelTimer } from '../../shared/clock.ts';
import { h } from '../../shared/dom.ts';
import { icon } from '../../shared/icons.ts';
import { reasonOf } from '../api-error.ts';
import { summaryOf } from '../message/body.ts';
import { readSnippet } from './snippet.ts';
import { printAge } from '../shell/time-text.ts';
import type { Ui } from '../shell/ui.ts';

const SEARCH_AFTER_MS = 200;
const MAX_ROOMS = 6;

interface Choice {
  readonly element: HTMLLIElement;
  readonly take: () => void;
}

/** Finds rooms and messages by a text: rooms at once, messages when the server answers. */
export class Palette {
  readonly #ui: Ui;
  readonly #field = h('input', {
    type: 'text',
    role: 'combobox',
    'aria-expanded': 'true',
    'aria-controls': 'palette-list',
    'aria-autocomplete': 'list',
    'aria-label': 'Search rooms and messages',
    placeholder: 'Rooms and messages; from:ana, in:ops, has:file, "a phrase"',
    autocomplete: 'off',
    spellcheck: 'false',
  });
  readonly #list = h('ul', { class: 'palette-list', id: 'palette-list', role: 'listbox', 'aria-label': 'Found' });
  readonly #status = h('p', { class: 'palette-status soft', role: 'status' });
  readonly #dialog: HTMLDialogElement;
  #choices: readonly Choice[] = [];
  #selected = 0;
  #cancelTimer: CancelTimer = () => {};
  #asked = '';

  constructor(ui: Ui) {
    this.#ui = ui;
    this.#dialog = h(
      'dialog',
      { class: 'palette', 'aria-label': 'Search' },
      h('div', { class: 'palette-field' }, icon('search'), this.#field),
      this.#list,
      this.#status,
    );
    this.#field.addEventListener('input', () => this.#onInput());
    this.#field.addEventListener('keydown', (event) => this.#onKey(event));
    this.#dialog.addEventListener('click', ({ target }) => target === this.#dialog && this.#dialog.close());
    document.body.append(this.#dialog);
  }

  open(): void {
    if (this.#dialog.open) return;
    this.#field.value = '';
    this.#dialog.showModal();
    this.#onInput();
    this.#field.focus();
  }

  #onInput(): void {
    const query = this.#field.value.trim();
    this.#cancelTimer();
    this.#show(this.#rooms(query), []);
    this.#status.textContent = '';
    this.#asked = query;
    if (query.length < 2) return;
    this.#cancelTimer = this.#ui.clock.after(SEARCH_AFTER_MS, () => void this.#search(query));
  }

  async #search(query: string): Promise<void> {
    try {
      const { hits } = await this.#ui.api.search(query);
      if (this.#asked !== query) return;
      this.#show(
        this.#rooms(query),
        hits.map((hit) => this.#hit(hit)),
      );
      this.#status.textContent =
        hits.length === 0
          ? 'No messages found.'
          : hits.length === 1
            ? '1 message'
            : `${hits.length} messages, the newest first`;
    } catch (error) {
      if (this.#asked === query) this.#status.textContent = reasonOf(error);
    }
  }

  #show(rooms: readonly Choice[], hits: readonly Choice[]): void {
    this.#choices = [...rooms, ...hits];
    this.#list.replaceChildren(...this.#choices.map(({ element }) => element));
    for (const [index, { element }] of this.#choices.entries()) element.id = `palette-${index}`;
    this.#select(0);
  }

  #rooms(query: string): readonly Choice[] {
    const wanted = query.toLowerCase();
    const { model, actions } = this.#ui;
    return model.entries
      .filter(({ room }) => wanted === '' || room.name.toLowerCase().includes(wanted) || room.slug.includes(wanted))
      .sort((a, b) => b.unread - a.unread || (b.room.lastMessageAt ?? '').localeCompare(a.room.lastMessageAt ?? ''))
      .slice(0, MAX_ROOMS)
      .map(({ room, unread }) =>
        this.#choice(
          () => actions.openRoom(room.id),
          icon(room.visibility === 'public' ? 'hash' : 'lock'),
          h('span', { class: 'palette-name' }, room.name),
          h('span', { class: 'soft palette-hint' }, unread > 0 ? `${unread} unread` : room.topic),
        ),
      );
  }

  #hit(hit: WireHit): Choice {
    const { message, snippet } = hit;
    const { model, actions, clock } = this.#ui;
    const parts = readSnippet(hit).map(({ text, isHit }) => (isHit ? h('mark', {}, text) : text));
    const room = model.entry(message.roomId)?.room.name ?? '';
    return this.#choice(
      () => actions.showMessage(message.id, message.roomId),
      icon('thread'),
      h(
        'span',
        { class: 'palette-hit' },
        h(
          'span',
          { class: 'palette-meta' },
          h('strong', {}, message.author.name),
          h('span', { class: 'soft' }, `${room}, ${printAge(Date.parse(message.createdAt), clock.now())}`),
        ),
        h('span', {}, snippet === '' ? summaryOf(message) : parts),
      ),
    );
  }

  #choice(take: () => void, ...content: readonly Node[]): Choice {
    const element = h('li', { role: 'option', class: 'palette-option' }, content);
    const choice: Choice = {
      element,
      take: () => {
        this.#dialog.close();
        take();
      },
    };
    element.addEventListener('click', choice.take);
    element.addEventListener('pointermove', () => this.#select(this.#choices.indexOf(choice), false));
    return choice;
  }

  #select(index: number, scroll = true): void {
    this.#selected = index;
    for (const [at, { element }] of this.#choices.entries())
      element.setAttribute('aria-selected', String(at === index));
    if (this.#choices[index]) this.#field.setAttribute('aria-activedescendant', `palette-${index}`);
    else this.#field.removeAttribute('aria-activedescendant');
    if (scroll) this.#choices[index]?.element.scrollIntoView({ block: 'nearest' });
  }

  #onKey(event: KeyboardEvent): void {
    const { length } = this.#choices;
    if (event.isComposing || length === 0) return;
    if (event.key === 'ArrowDown') this.#select((this.#selected + 1) % length);
    else if (event.key === 'ArrowUp') this.#select((this.#selected + length - 1) % length);
    else if (event.key === 'Enter') this.#choices[this.#selected]?.take();
    else return;
    event.preventDefault();
  }
}
