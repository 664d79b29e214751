import { h, syncChildren } from '../../shared/dom.ts';
import type { RoomEntry } from '../room/entry.ts';
import { addressOf, ROOT } from '../root.ts';
import { pathOfRoom } from '../route.ts';
import { icon } from '../shell/icons.ts';
import type { Ui } from '../shell/ui.ts';

export interface RailHooks {
  newRoom(): void;
  search(): void;
  settings(near: HTMLElement): void;
}

/** The list of rooms: the user's with their unread counts, and the others that the user may read. */
export class Rail {
  readonly element: HTMLElement;
  readonly #joined = h('ul', { class: 'rail-list' });
  readonly #others = h('ul', { class: 'rail-list' });
  readonly #othersTitle = h('h2', { class: 'rail-title' }, 'More rooms');
  readonly #pill: HTMLElement;
  readonly #ui: Ui;
  readonly #links = new Map<string, { readonly stamp: string; readonly element: HTMLLIElement }>();

  constructor(ui: Ui, pill: HTMLElement, hooks: RailHooks) {
    this.#ui = ui;
    this.#pill = pill;
    const { account } = ui.model;
    const me = h(
      'button',
      {
        type: 'button',
        class: 'me-button',
        'aria-haspopup': 'dialog',
        'aria-label': `${account.name}: settings`,
        onclick: () => hooks.settings(me),
      },
      icon('person'),
      h('span', {}, account.name),
    );
    this.element = h(
      'nav',
      { class: 'rail', 'aria-label': 'Rooms' },
      h(
        'header',
        { class: 'rail-head' },
        h(
          'a',
          { class: 'brand', href: ROOT },
          h('img', { src: addressOf('/favicon.svg'), alt: '', width: 24, height: 24 }),
          h('span', {}, 'Rooms'),
        ),
        this.#pill,
      ),
      h(
        'button',
        { type: 'button', class: 'search-button', onclick: () => hooks.search() },
        icon('search'),
        h('span', {}, 'Search'),
        h('kbd', {}, '/'),
      ),
      h(
        'div',
        { class: 'rail-scroll' },
        h(
          'div',
          { class: 'rail-row' },
          h('h2', { class: 'rail-title' }, 'Your rooms'),
          h(
            'button',
            {
              type: 'button',
              class: 'icon-button',
              'aria-label': 'New room',
              title: 'New room',
              onclick: () => hooks.newRoom(),
            },
            icon('plus'),
          ),
        ),
        this.#joined,
        this.#othersTitle,
        this.#others,
      ),
      h('footer', { class: 'rail-foot' }, me),
    );
    ui.topics.on('rooms', () => this.show());
  }

  show(): void {
    const { model } = this.#ui;
    const entries = model.entries.filter(({ me, room }) => me?.archived !== true && !room.archived).sort(byActivity);
    const joined = entries.filter(({ me }) => me !== undefined);
    const others = entries.filter(({ me }) => me === undefined);
    syncChildren(
      this.#joined,
      joined.map((entry) => this.#link(entry)),
    );
    syncChildren(
      this.#others,
      others.map((entry) => this.#link(entry)),
    );
    this.#othersTitle.hidden = others.length === 0;
  }

  #link(entry: RoomEntry): HTMLLIElement {
    const { model, actions } = this.#ui;
    const { room, unread, mentions } = entry;
    const isCurrent = model.current === entry;
    const stamp = `${room.name}|${room.slug}|${room.visibility}|${unread}|${mentions}|${isCurrent}|${entry.me?.involvement}`;
    const known = this.#links.get(room.id);
    if (known?.stamp === stamp) return known.element;
    const isQuiet = entry.me?.involvement === 'nothing' || entry.me?.involvement === 'invisible';
    const counted = mentions > 0 ? `, ${unread} unread, ${mentions} for you` : unread > 0 ? `, ${unread} unread` : '';
    const open = (event: MouseEvent) => {
      if (event.metaKey || event.ctrlKey || event.shiftKey) return;
      event.preventDefault();
      actions.openRoom(room.id);
    };
    const link = h(
      'a',
      {
        class: `rail-link${unread > 0 && !isQuiet ? ' unread' : ''}`,
        href: pathOfRoom(room.slug),
        'aria-current': isCurrent && 'page',
        onclick: open,
      },
      icon(room.visibility === 'public' ? 'hash' : room.visibility === 'private' ? 'lock' : 'person'),
      h('span', { class: 'rail-name' }, room.name),
      counted !== '' && h('span', { class: 'off-screen' }, counted),
      mentions > 0
        ? h('span', { class: 'count-badge', 'aria-hidden': 'true' }, mentions > 99 ? '99+' : mentions)
        : unread > 0 && !isQuiet
          ? h('span', { class: 'unread-dot' })
          : false,
    );
    const element = known?.element ?? h('li', {});
    const hadFocus = element.contains(document.activeElement);
    element.replaceChildren(link);
    if (hadFocus) link.focus();
    this.#links.set(room.id, { stamp, element });
    return element;
  }
}

const byActivity = (a: RoomEntry, b: RoomEntry): number =>
  (b.room.lastMessageAt ?? '').localeCompare(a.room.lastMessageAt ?? '') || a.room.name.localeCompare(b.room.name);
