import type { Boot } from '../../../src/rooms/contract/boot.ts';
import type { RoomDraftBody, WireRoom } from '../../../src/rooms/contract/room.ts';
import type { Child } from '../../shared/dom.ts';
import { h } from '../../shared/dom.ts';
import { formError } from '../../shared/shell/states.ts';
import { reasonOf } from '../api-error.ts';
import { ROOT } from '../root.ts';
import type { TextKey } from '../text/en.ts';
import { t } from '../text/text.ts';
import type { Ui } from './ui.ts';

interface Asked {
  readonly title: string;
  readonly body: readonly Child[];
  readonly action: string;
  readonly isDanger?: boolean;
  /** Performs the action; an error is shown, and the dialog stays open. */
  readonly act: () => Promise<void> | void;
}

/** A dialog with one action. */
function ask({ title, body, action, isDanger, act }: Asked): void {
  const problem = formError();
  const perform = h('button', { type: 'submit', class: isDanger ? 'danger' : 'primary' }, action);
  const cancel = h('button', { type: 'button', onclick: () => dialog.close() }, t('cancel'));
  const form = h(
    'form',
    { class: 'fields' },
    h('h2', { id: 'dialog-title' }, title),
    body,
    problem,
    h('div', { class: 'dialog-actions' }, cancel, perform),
  );
  const dialog = h('dialog', { class: 'ask', 'aria-labelledby': 'dialog-title' }, form);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    perform.disabled = true;
    try {
      await act();
      dialog.close();
    } catch (error) {
      problem.textContent = reasonOf(error);
    }
    perform.disabled = false;
  });
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  (form.querySelector<HTMLElement>('input, select') ?? (isDanger ? cancel : perform)).focus();
}

export function askForRoom({ api, model, actions }: Ui): void {
  const name = h('input', {
    type: 'text',
    required: true,
    maxlength: 80,
    placeholder: t('new-room.example'),
    autocomplete: 'off',
  });
  const topic = h('input', { type: 'text', maxlength: 250, autocomplete: 'off' });
  const isPrivate = h('input', { type: 'checkbox' });
  ask({
    title: t('new-room'),
    body: [
      h('label', {}, t('new-room.name'), name),
      h('label', {}, t('new-room.topic'), topic),
      h('label', { class: 'check' }, isPrivate, t('new-room.private')),
    ],
    action: t('new-room.create'),
    async act() {
      const visibility = isPrivate.checked ? 'private' : 'public';
      const room = await api.send<WireRoom>('POST', '/api/room', {
        body: { name: name.value, topic: topic.value, visibility } satisfies RoomDraftBody,
      });
      model.put(room);
      actions.openRoom(room.id);
    },
  });
}

export function askToDelete(what: string, act: () => Promise<void>): void {
  ask({
    title: t('delete'),
    body: [h('p', { class: 'soft' }, what), h('p', {}, t('delete.effect'))],
    action: t('delete.do'),
    isDanger: true,
    act,
  });
}

export function askToJoin(room: string, inviter: string, act: () => Promise<void>): void {
  ask({
    title: t('join', { room }),
    body: [h('p', {}, t('join.invited', { name: inviter }))],
    action: t('join.do'),
    act,
  });
}

const KEYS = [
  'keys.search',
  'keys.inbox',
  'keys.send',
  'keys.edit',
  'keys.escape',
  'keys.move',
  'keys.reply',
  'keys.thread',
  'keys.react',
  'keys.copy',
  'keys.rooms',
] as const satisfies readonly TextKey[];

/** Name, notifications and keys. */
export function showSettings({ auth }: Boot, { api, model, actions }: Ui): void {
  const { account } = model;
  const name = h('input', {
    type: 'text',
    value: account.id,
    maxlength: 64,
    autocapitalize: 'off',
    autocomplete: 'username',
    pattern: '[a-z0-9][a-z0-9._\\-]*',
    title: t('me.name.rule'),
  });
  const signOut = async () => {
    await api.send('DELETE', '/api/session').catch(() => {});
    location.assign(ROOT);
  };
  ask({
    title: t('me'),
    body: [
      auth === 'none'
        ? h('label', {}, t('me.name'), name)
        : h('p', { class: 'soft' }, t('me.signed-in', { name: account.name, id: account.id })),
      notificationsButton(actions.say),
      auth === 'token' && h('button', { type: 'button', onclick: signOut }, t('me.sign-out')),
      h(
        'details',
        {},
        h('summary', {}, t('keys')),
        h(
          'dl',
          { class: 'keys' },
          KEYS.flatMap((key) => [h('dt', {}, t(key)), h('dd', {}, t(`${key}.what`))]),
        ),
      ),
    ],
    action: t('me.done'),
    act() {
      if (auth === 'none' && name.value !== account.id) rememberUser(name.value);
    },
  });
}

function notificationsButton(say: (text: string) => void): HTMLElement | false {
  if (!('Notification' in window) || Notification.permission === 'granted') return false;
  const button = h('button', { type: 'button' }, t('me.notify'));
  button.addEventListener('click', async () => {
    const answer = await Notification.requestPermission();
    say(t(answer === 'granted' ? 'me.notify.on' : 'me.notify.refused'));
    button.hidden = answer === 'granted';
  });
  return button;
}

const YEAR_S = 365 * 86_400;

/** On a server without sign-in a cookie names the user; the page is reloaded with it. */
export function rememberUser(id: string): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store exists on HTTPS alone
  document.cookie = `opsdeck_user=${encodeURIComponent(id.trim().toLowerCase())}; Path=${ROOT}; Max-Age=${YEAR_S}; SameSite=Lax`;
  location.reload();
}

/** The server opens the same room the next time. */
export function rememberRoom(slug: string): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store exists on HTTPS alone
  document.cookie = `opsdeck_room=${encodeURIComponent(slug)}; Path=${ROOT}; Max-Age=${YEAR_S}; SameSite=Lax`;
}
