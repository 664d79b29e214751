import type { InviteBody, WireInvite } from '../../../src/rooms/contract/invite.ts';
import type { MemberBody, WireMe } from '../../../src/rooms/contract/member.ts';
import type { WireRoom } from '../../../src/rooms/contract/room.ts';
import { copyButton } from '../../shared/copy-button.ts';
import { h, syncChildren } from '../../shared/dom.ts';
import { icon } from '../../shared/icons.ts';
import { NEW_ONLY } from '../api.ts';
import { summaryOf } from '../message/body.ts';
import { linkTo } from '../root.ts';
import type { Ui } from '../shell/ui.ts';
import { language, t } from '../text/text.ts';
import type { RoomEntry } from './entry.ts';
import type { Panel } from './panels.ts';
import { PeopleList } from './people-list.ts';
import { labelList, RoomSettings } from './settings.ts';

const INVOLVEMENTS = ['everything', 'mentions', 'nothing', 'invisible'] as const;

/** The members of a room, its topic, and the user's notifications. */
export function membersPanel(entry: RoomEntry, ui: Ui): Panel {
  const mayManage = entry.isModerator || ui.model.account.admin;
  const settings = mayManage ? new RoomSettings(entry, ui) : undefined;
  const about = settings?.element ?? h('div', { class: 'panel-part about' });
  const pins = h('section', { class: 'panel-part' });
  const people = new PeopleList(entry, ui);
  const refresh = () => {
    settings?.refresh();
    if (!settings) syncChildren(about, aboutRoom(entry.room));
    about.hidden = about.childElementCount === 0;
    pins.hidden = entry.room.pinned.length === 0;
    if (!pins.contains(document.activeElement))
      pins.replaceChildren(h('h2', {}, t('members.pinned')), pinnedList(entry, ui));
    people.refresh();
  };
  refresh();
  const element = h(
    'div',
    { class: 'panel' },
    !settings && about,
    pins,
    people.element,
    mayManage && addForm(entry, ui),
    mayManage && inviteForm(entry.room, ui),
    entry.me && notifyField(entry, entry.me, ui),
    settings && about,
    entry.me &&
      h(
        'section',
        { class: 'panel-part' },
        h('button', { type: 'button', class: 'danger', onclick: () => leave(entry, ui) }, t('members.leave')),
      ),
  );
  return { element, refresh };
}

const aboutRoom = (room: WireRoom): readonly Node[] =>
  [room.topic !== '' && h('p', {}, room.topic), labelList(room)].filter((part) => part !== false);

function notifyField(entry: RoomEntry, { involvement: chosen }: WireMe, ui: Ui): HTMLElement {
  const choice = h(
    'select',
    {},
    INVOLVEMENTS.map((value) => h('option', { value, selected: value === chosen }, t(`members.${value}`))),
  );
  choice.addEventListener('change', async () => {
    if (!entry.me) return;
    try {
      const { mutedUntil, archived, copilot } = entry.me;
      const involvement = choice.value as WireMe['involvement'];
      entry.updateMe(await ui.api.putMe(entry.room.id, { involvement, mutedUntil, archived, copilot }));
      ui.topics.changed('rooms');
    } catch (error) {
      ui.actions.fail(error);
    }
  });
  return h('div', { class: 'panel-part fields' }, h('label', {}, t('members.notify'), choice));
}

function pinnedList(entry: RoomEntry, ui: Ui): HTMLElement {
  const rows = entry.room.pinned.map((id) => {
    const message = entry.list.get(id);
    const text = message ? `${message.author.name}: ${summaryOf(message, 70)}` : t('members.pinned-message');
    return h(
      'li',
      {},
      h(
        'button',
        { type: 'button', class: 'quiet pinned-link', onclick: () => ui.actions.showMessage(id, entry.room.id) },
        icon('pin'),
        text,
      ),
    );
  });
  return h('ul', {}, rows);
}

function addForm({ room }: RoomEntry, { api, actions }: Ui): HTMLElement {
  const field = h('input', {
    type: 'text',
    placeholder: t('members.id'),
    required: true,
    'aria-label': t('members.id.label'),
    autocapitalize: 'off',
  });
  const add = async (event: Event) => {
    event.preventDefault();
    try {
      await api.send('PUT', `/api/room/${room.id}/member/${encodeURIComponent(field.value.trim())}`, {
        body: { role: 'member' } satisfies MemberBody,
        headers: NEW_ONLY,
      });
      field.value = '';
    } catch (error) {
      actions.fail(error);
    }
  };
  return h('form', { class: 'panel-part inline-form', onsubmit: add }, field, h('button', {}, t('members.add')));
}

function inviteForm({ id }: WireRoom, { api, actions, clock }: Ui): HTMLElement {
  const place = h('div', { class: 'invite-link' });
  const make = async () => {
    try {
      const { code } = await api.send<WireInvite>('POST', `/api/room/${id}/invite`, {
        body: { role: 'member' } satisfies InviteBody,
      });
      const link = linkTo(`/i/${code}`);
      place.replaceChildren(
        h('code', { tabindex: 0 }, link),
        copyButton(clock, t('members.invite.copy'), () => link, language),
      );
    } catch (error) {
      actions.fail(error);
    }
  };
  return h(
    'section',
    { class: 'panel-part' },
    h('button', { type: 'button', onclick: make }, t('members.invite')),
    place,
  );
}

async function leave({ room }: RoomEntry, { api, actions }: Ui): Promise<void> {
  try {
    await api.send('DELETE', `/api/room/${room.id}/me`);
    actions.say(t('room.left', { room: room.name }));
  } catch (error) {
    actions.fail(error);
  }
}
