import type { MemberBody, WireMember } from '../../../src/rooms/contract/member.ts';
import { h, setText, syncChildren } from '../../shared/dom.ts';
import { icon } from '../../shared/icons.ts';
import { ANY_VERSION } from '../api.ts';
import { avatar } from '../shell/avatar.ts';
import type { Ui } from '../shell/ui.ts';
import { t } from '../text/text.ts';
import type { RoomEntry } from './entry.ts';

const ROLES = ['owner', 'admin', 'member', 'guest'] as const;

interface Row {
  readonly element: HTMLElement;
  /** The shown state of the row, as JSON. */
  readonly facts: string;
}

/** The members of a room, those online first. An unchanged row stays, and with it the focus. */
export class PeopleList {
  readonly element: HTMLElement;
  readonly #entry: RoomEntry;
  readonly #ui: Ui;
  readonly #title = h('h2', { tabindex: -1 });
  readonly #list = h('ul', { class: 'people' });
  #rows = new Map<string, Row>();

  constructor(entry: RoomEntry, ui: Ui) {
    this.#entry = entry;
    this.#ui = ui;
    this.element = h('section', { class: 'panel-part' }, this.#title, this.#list);
    this.refresh();
  }

  refresh(): void {
    const { members, online, room } = this.#entry;
    setText(this.#title, t('room.members', { n: room.memberCount }));
    const people = [...members.values()].sort(
      (a, b) => Number(online.has(b.userId)) - Number(online.has(a.userId)) || a.user.name.localeCompare(b.user.name),
    );
    const focused = [...this.#rows].find(([, { element }]) => element.contains(document.activeElement))?.[0];
    this.#rows = new Map(people.map((member) => [member.userId, this.#rowOf(member)]));
    syncChildren(
      this.#list,
      [...this.#rows.values()].map(({ element }) => element),
    );
    if (focused === undefined || this.#list.contains(document.activeElement)) return;
    (this.#rows.get(focused)?.element.querySelector('select') ?? this.#title).focus();
  }

  #rowOf(member: WireMember): Row {
    const isOnline = this.#entry.online.has(member.userId);
    const facts = JSON.stringify([member.user, member.role, isOnline]);
    const known = this.#rows.get(member.userId);
    if (known?.facts === facts) return known;
    return { facts, element: personRow(member, isOnline, this.#entry, this.#ui) };
  }
}

function personRow({ user, userId, role }: WireMember, isOnline: boolean, entry: RoomEntry, ui: Ui): HTMLElement {
  const { api, model, actions } = ui;
  const { room } = entry;
  const mayManage = (entry.isModerator || model.account.admin) && userId !== model.account.id && user.kind === 'human';
  const choice = h(
    'select',
    { class: 'role', 'aria-label': t('members.role', { name: user.name }) },
    ROLES.map((value) => h('option', { value, selected: value === role }, t(`role.${value}`))),
    h('option', { value: 'remove' }, t('members.remove')),
  );
  choice.addEventListener('change', () => {
    const path = `/api/room/${entry.room.id}/member/${userId}`;
    const headers = ANY_VERSION;
    const done =
      choice.value === 'remove'
        ? api.send('DELETE', path, { headers })
        : api.send('PUT', path, {
            body: { role: choice.value as (typeof ROLES)[number] } satisfies MemberBody,
            headers,
          });
    done.catch((error: unknown) => {
      choice.value = role;
      actions.fail(error);
    });
  });
  return h(
    'li',
    { class: 'person' },
    avatar(user, 'small'),
    h(
      'span',
      { class: 'person-name' },
      user.name,
      user.id !== user.name && h('span', { class: 'soft' }, ` @${user.id}`),
    ),
    user.kind === 'human' &&
      userId !== model.account.id &&
      room.visibility !== 'direct' &&
      h(
        'button',
        {
          type: 'button',
          class: 'icon-button',
          'aria-label': t('members.message', { name: user.name }),
          title: t('members.message', { name: user.name }),
          onclick: () => actions.messageUser(userId),
        },
        icon('thread'),
      ),
    isOnline && h('span', { class: 'here' }, h('span', { class: 'dot', 'aria-hidden': 'true' }), t('members.here')),
    mayManage ? choice : role !== 'member' && h('span', { class: 'soft' }, t(`role.${role}`)),
  );
}
