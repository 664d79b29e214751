import type { Boot } from '../../../src/rooms/contract/boot.ts';
import type { RoomDraftBody, WireRoom } from '../../../src/rooms/contract/room.ts';
import type { Child } from '../../shared/dom.ts';
import { h } from '../../shared/dom.ts';
import { chooseTheme, readTheme, THEMES, type Theme } from '../../shared/theme.ts';
import { reasonOf } from '../api-error.ts';
import { ROOT } from '../root.ts';
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
  const problem = h('p', { class: 'form-problem', role: 'alert' });
  const perform = h('button', { type: 'submit', class: isDanger ? 'danger' : 'primary' }, action);
  const cancel = h('button', { type: 'button', onclick: () => dialog.close() }, 'Cancel');
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
    placeholder: 'Payments on-call',
    autocomplete: 'off',
  });
  const topic = h('input', { type: 'text', maxlength: 250, autocomplete: 'off' });
  const isPrivate = h('input', { type: 'checkbox' });
  ask({
    title: 'New room',
    body: [
      h('label', {}, 'Name', name),
      h('label', {}, 'Topic (optional)', topic),
      h('label', { class: 'check' }, isPrivate, 'Private: only members see that it exists'),
    ],
    action: 'Create the room',
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
    title: 'Delete this message?',
    body: [h('p', { class: 'soft' }, what), h('p', {}, 'Its text is removed for everybody; its place stays.')],
    action: 'Delete',
    isDanger: true,
    act,
  });
}

export function askToJoin(room: string, inviter: string, act: () => Promise<void>): void {
  ask({ title: `Join ${room}?`, body: [h('p', {}, `${inviter} invites you.`)], action: 'Join', act });
}

const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ['/ or Ctrl K', 'search, go to a room'],
  ['i', 'inbox: unread mentions and threads'],
  ['Enter', 'send; Shift Enter for a new line'],
  ['\u2191 in an empty field', 'edit your last message'],
  ['Esc', 'from the field to the messages, and back'],
  ['\u2191 \u2193 Home End', 'from message to message'],
  ['r', 'reply to the message'],
  ['t', 'its thread'],
  ['e', 'react to it'],
  ['c', 'copy its link'],
  ['Alt \u2191 \u2193', 'the room before, the next room'],
];

/** Name, look, notifications and keys. */
export function showSettings({ auth }: Boot, { api, model, actions }: Ui): void {
  const { account } = model;
  const name = h('input', {
    type: 'text',
    value: account.id,
    maxlength: 64,
    autocapitalize: 'off',
    autocomplete: 'username',
    pattern: '[a-z0-9][a-z0-9._\\-]*',
    title: 'small letters, digits, ".", "_" and "-"',
  });
  const theme = h(
    'select',
    {},
    THEMES.map((value) =>
      h('option', { value, selected: value === readTheme() }, value === 'system' ? 'as the system' : value),
    ),
  );
  theme.addEventListener('change', () => chooseTheme(theme.value as Theme));
  const signOut = async () => {
    await api.send('DELETE', '/api/session').catch(() => {});
    location.assign(ROOT);
  };
  ask({
    title: 'Settings',
    body: [
      auth === 'none'
        ? h('label', {}, 'Your name here', name)
        : h('p', { class: 'soft' }, `Signed in as ${account.name} (@${account.id})`),
      h('label', {}, 'Colours', theme),
      notificationsButton(actions.say),
      auth === 'token' && h('button', { type: 'button', onclick: signOut }, 'Sign out'),
      h(
        'details',
        {},
        h('summary', {}, 'Keys'),
        h(
          'dl',
          { class: 'keys' },
          KEYS.flatMap(([keys, what]) => [h('dt', {}, keys), h('dd', {}, what)]),
        ),
      ),
    ],
    action: 'Done',
    act() {
      if (auth === 'none' && name.value !== account.id) rememberUser(name.value);
    },
  });
}

function notificationsButton(say: (text: string) => void): HTMLElement | false {
  if (!('Notification' in window) || Notification.permission === 'granted') return false;
  const button = h('button', { type: 'button' }, 'Notify me on this device');
  button.addEventListener('click', async () => {
    const answer = await Notification.requestPermission();
    say(answer === 'granted' ? 'You will be notified' : 'The browser does not allow it');
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
