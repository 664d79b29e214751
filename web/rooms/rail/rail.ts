import { h, setAttribute, setText, syncChildren } from '../../shared/dom.ts';
import { icon } from '../../shared/icons.ts';
import type { RoomEntry } from '../room/entry.ts';
import { roomName } from '../room/name.ts';
import { pathOfRoom } from '../route.ts';
import type { Ui } from '../shell/ui.ts';
import { t } from '../text/text.ts';

export interface RailHooks {
  newRoom(): void;
  search(): void;
  inbox(): void;
  newDirect(): void;
  settings(near: HTMLElement): void;
}

/** The list of rooms: the user's with their unread counts, and the others that the user may read. */
export class Rail {
  readonly element: HTMLElement;
  readonly #joined = h('ul', { class: 'rail-list' });
  readonly #direct = h('ul', { class: 'rail-list' });
  readonly #others = h('ul', { class: 'rail-list' });
  readonly #othersTitle = h('h2', { class: 'rail-title' }, t('rail.more'));
  readonly #inboxCount = h('span', { class: 'count-badge', 'aria-hidden': 'true', hidden: true });
  readonly #inboxWords = h('span', { class: 'off-screen' });
  /** There the list covers the page. */
  readonly #phone = matchMedia('(max-width: 700px)');
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
        'aria-label': t('rail.settings', { name: account.name }),
        onclick: () => hooks.settings(me),
      },
      icon('person'),
      h('span', {}, account.name),
    );
    const inbox = h(
      'button',
      { type: 'button', class: 'search-button', onclick: () => hooks.inbox() },
      icon('bell'),
      h('span', {}, t('inbox'), this.#inboxWords),
      this.#inboxCount,
      h('kbd', { 'aria-hidden': 'true' }, 'i'),
    );
    this.element = h(
      'div',
      { class: 'rail', 'aria-label': t('rail') },
      h('h1', { class: 'off-screen rail-heading' }, t('rail')),
      h(
        'button',
        { type: 'button', class: 'search-button', onclick: () => hooks.search() },
        icon('search'),
        h('span', {}, t('rail.search')),
        h('kbd', {}, '/'),
      ),
      inbox,
      h(
        'div',
        { class: 'rail-scroll' },
        titleRow(t('rail.yours'), t('rail.new-room'), hooks.newRoom),
        this.#joined,
        titleRow(t('rail.direct'), t('rail.new-direct'), hooks.newDirect),
        this.#direct,
        this.#othersTitle,
        this.#others,
      ),
      h('div', { class: 'rail-foot' }, me, this.#pill),
    );
    this.#setRole();
    this.#phone.addEventListener('change', () => this.#setRole());
    ui.topics.on('rooms', () => this.show());
    ui.topics.on('inbox', () => this.#showInbox());
  }

  #setRole(): void {
    setAttribute(this.element, 'role', this.#phone.matches ? 'main' : 'navigation');
  }

  #showInbox(): void {
    const { size } = this.#ui.model.inbox;
    this.#inboxCount.hidden = size === 0;
    setText(this.#inboxCount, size > 99 ? '99+' : String(size));
    setText(this.#inboxWords, size === 0 ? '' : `, ${t('rail.unread', { n: size })}`);
  }

  show(): void {
    const { model } = this.#ui;
    const entries = model.entries.filter(({ me, room }) => me?.archived !== true && !room.archived).sort(byActivity);
    const joined = entries.filter(({ me }) => me !== undefined);
    const others = entries.filter(({ me }) => me === undefined);
    const isDirect = ({ room }: RoomEntry) => room.visibility === 'direct';
    const fill = (list: HTMLElement, shown: readonly RoomEntry[]) =>
      syncChildren(
        list,
        shown.map((entry) => this.#link(entry)),
      );
    fill(
      this.#joined,
      joined.filter((entry) => !isDirect(entry)),
    );
    fill(this.#direct, joined.filter(isDirect));
    fill(this.#others, others);
    this.#othersTitle.hidden = others.length === 0;
  }

  #link(entry: RoomEntry): HTMLLIElement {
    const { model, actions } = this.#ui;
    const { room, unread, mentions } = entry;
    const { firingAlerts = 0 } = room;
    const isCurrent = model.current === entry;
    const stamp = `${room.name}|${room.slug}|${room.visibility}|${unread}|${mentions}|${isCurrent}|${entry.me?.involvement}|${firingAlerts}`;
    const known = this.#links.get(room.id);
    if (known?.stamp === stamp) return known.element;
    const isQuiet = entry.me?.involvement === 'nothing' || entry.me?.involvement === 'invisible';
    const counted =
      (unread > 0 ? `, ${t('rail.unread', { n: unread })}` : '') +
      (mentions > 0 ? `, ${t('rail.for-you', { n: mentions })}` : '');
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
      h('span', { class: 'rail-name' }, roomName(room, model.account)),
      counted !== '' && h('span', { class: 'off-screen' }, counted),
      firingAlerts > 0 && alertBadge(firingAlerts),
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

const titleRow = (title: string, action: string, act: () => void): HTMLElement =>
  h(
    'div',
    { class: 'rail-row' },
    h('h2', { class: 'rail-title' }, title),
    h(
      'button',
      { type: 'button', class: 'icon-button', 'aria-label': action, title: action, onclick: act },
      icon('plus'),
    ),
  );

function alertBadge(count: number): HTMLElement {
  const words = t('rail.alerts', { n: count });
  return h(
    'span',
    { class: 'alert-badge', title: words },
    icon('warning'),
    h('span', { 'aria-hidden': 'true' }, count > 99 ? '99+' : count),
    h('span', { class: 'off-screen' }, `, ${words}`),
  );
}

const byActivity = (a: RoomEntry, b: RoomEntry): number =>
  (b.room.lastMessageAt ?? '').localeCompare(a.room.lastMessageAt ?? '') || a.room.name.localeCompare(b.room.name);
