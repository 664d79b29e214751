import { copyButton } from '../shared/copy-button.ts';
import { h } from '../shared/dom.ts';
import { ANY_VERSION, NEW_ONLY } from './api.ts';
import { avatar } from './avatar.ts';
import { icon } from './icons.ts';
import { summaryOf } from './message-body.ts';
import type { RoomEntry } from './room-entry.ts';
import { linkTo } from './root.ts';
import type { Ui } from './ui.ts';
import type { Me, Member, Room } from './wire.ts';

const INVOLVEMENTS = [
  ['everything', 'Every message'],
  ['mentions', 'Mentions and direct messages'],
  ['nothing', 'Nothing'],
  ['invisible', 'Nothing, and hide what is unread'],
] as const;
const ROLES = ['owner', 'admin', 'member', 'guest'] as const;

/** Who is in a room, what it is about, and how much of it the reader wants to hear. */
export function membersPanel(entry: RoomEntry, ui: Ui): HTMLElement {
  const { room, me, isModerator } = entry;
  const mayManage = isModerator || ui.model.account.admin;
  const people = [...entry.members.values()].sort(
    (a, b) =>
      Number(entry.online.has(b.userId)) - Number(entry.online.has(a.userId)) || a.user.name.localeCompare(b.user.name),
  );
  return h(
    'div',
    { class: 'panel' },
    mayManage ? topicForm(room, ui) : room.topic !== '' && h('p', {}, room.topic),
    me && notifyField(entry, me, ui),
    room.pinned.length > 0 && pinned(entry, ui),
    h(
      'section',
      { class: 'panel-part' },
      h('h2', {}, `${room.memberCount} ${room.memberCount === 1 ? 'member' : 'members'}`),
      h(
        'ul',
        { class: 'people' },
        people.map((member) => personRow(member, entry, ui)),
      ),
    ),
    mayManage && addForm(entry, ui),
    mayManage && inviteForm(room, ui),
    me &&
      h(
        'section',
        { class: 'panel-part' },
        h('button', { type: 'button', class: 'danger', onclick: () => leave(entry, ui) }, 'Leave the room'),
      ),
  );
}

function topicForm(room: Room, ui: Ui): HTMLElement {
  const name = h('input', { type: 'text', value: room.name, maxlength: 80, required: true });
  const topic = h('input', {
    type: 'text',
    value: room.topic,
    maxlength: 250,
    placeholder: 'What is this room about?',
  });
  const save = async (event: Event) => {
    event.preventDefault();
    try {
      const fresh = await ui.api.send<Room>('GET', `/api/room/${room.id}`);
      const body = { ...fresh, name: name.value, topic: topic.value };
      ui.model.put(
        await ui.api.send<Room>('PUT', `/api/room/${room.id}`, {
          body: { ...body, copilot: undefined },
          headers: { 'If-Match': `"r${fresh.version}"` },
        }),
      );
      ui.actions.say('Saved');
    } catch (error) {
      ui.actions.fail(error);
    }
  };
  return h(
    'form',
    { class: 'panel-part fields', onsubmit: save },
    h('label', {}, 'Name', name),
    h('label', {}, 'Topic', topic),
    h('button', { class: 'small' }, 'Save'),
  );
}

function notifyField({ room }: RoomEntry, me: Me, ui: Ui): HTMLElement {
  const choice = h(
    'select',
    {},
    INVOLVEMENTS.map(([value, label]) => h('option', { value, selected: value === me.involvement }, label)),
  );
  choice.addEventListener('change', async () => {
    try {
      const { involvement, mutedUntil, archived, copilot } = { ...me, involvement: choice.value as Me['involvement'] };
      const changed = await ui.api.putMe(room.id, { involvement, mutedUntil, archived, copilot });
      ui.model.entry(room.id)?.updateMe(changed);
      ui.topics.changed('rooms');
    } catch (error) {
      ui.actions.fail(error);
    }
  });
  return h('div', { class: 'panel-part fields' }, h('label', {}, 'Notify me of', choice));
}

function pinned(entry: RoomEntry, ui: Ui): HTMLElement {
  const rows = entry.room.pinned.map((id) => {
    const message = entry.list.get(id);
    const text = message ? `${message.author.name}: ${summaryOf(message, 70)}` : 'a pinned message';
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
  return h('section', { class: 'panel-part' }, h('h2', {}, 'Pinned'), h('ul', {}, rows));
}

function personRow({ user, userId, role }: Member, entry: RoomEntry, ui: Ui): HTMLElement {
  const { api, model, actions } = ui;
  const isOnline = entry.online.has(userId);
  const mayManage = (entry.isModerator || model.account.admin) && userId !== model.account.id && user.kind === 'human';
  const choice = h(
    'select',
    { class: 'role', 'aria-label': `Role of ${user.name}` },
    ROLES.map((value) => h('option', { value, selected: value === role }, value)),
    h('option', { value: 'remove' }, 'remove'),
  );
  choice.addEventListener('change', () => {
    const path = `/api/room/${entry.room.id}/member/${userId}`;
    const headers = ANY_VERSION;
    const done =
      choice.value === 'remove'
        ? api.send('DELETE', path, { headers })
        : api.send('PUT', path, { body: { role: choice.value }, headers });
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
    isOnline && h('span', { class: 'here' }, h('span', { class: 'dot', 'aria-hidden': 'true' }), 'here'),
    mayManage ? choice : role !== 'member' && h('span', { class: 'soft' }, role),
  );
}

function addForm({ room }: RoomEntry, { api, actions }: Ui): HTMLElement {
  const field = h('input', {
    type: 'text',
    placeholder: 'user id',
    required: true,
    'aria-label': 'Id of the user to add',
    autocapitalize: 'off',
  });
  const add = async (event: Event) => {
    event.preventDefault();
    try {
      await api.send('PUT', `/api/room/${room.id}/member/${encodeURIComponent(field.value.trim())}`, {
        body: { role: 'member' },
        headers: NEW_ONLY,
      });
      field.value = '';
    } catch (error) {
      actions.fail(error);
    }
  };
  return h('form', { class: 'panel-part inline-form', onsubmit: add }, field, h('button', {}, 'Add'));
}

function inviteForm({ id }: Room, { api, actions, clock }: Ui): HTMLElement {
  const place = h('div', { class: 'invite-link' });
  const make = async () => {
    try {
      const { code } = await api.send<{ readonly code: string }>('POST', `/api/room/${id}/invite`, {
        body: { role: 'member' },
      });
      const link = linkTo(`/i/${code}`);
      place.replaceChildren(
        h('code', { tabindex: 0 }, link),
        copyButton(clock, 'the invite link', () => link),
      );
    } catch (error) {
      actions.fail(error);
    }
  };
  return h(
    'section',
    { class: 'panel-part' },
    h('button', { type: 'button', onclick: make }, 'Make an invite link'),
    place,
  );
}

async function leave({ room }: RoomEntry, { api, actions }: Ui): Promise<void> {
  try {
    await api.send('DELETE', `/api/room/${room.id}/me`);
    actions.say(`You have left ${room.name}`);
  } catch (error) {
    actions.fail(error);
  }
}
