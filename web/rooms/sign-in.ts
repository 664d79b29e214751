import type { Boot } from '../../src/rooms/contract/boot.ts';
import type { SessionBody } from '../../src/rooms/contract/session.ts';
import { h } from '../shared/dom.ts';
import { formError } from '../shared/shell/states.ts';
import type { Api } from './api.ts';
import { reasonOf } from './api-error.ts';
import { readInvitation } from './room/invitation.ts';
import { ROOT } from './root.ts';
import { parsePath } from './route.ts';
import { rememberUser } from './shell/dialogs.ts';
import { t } from './text/text.ts';

/** The sign-in form: a token, an invite for a new user, or, on a server without sign-in, a name. */
export function signInPage(auth: Boot['auth'], invite: string | undefined, api: Api): HTMLElement {
  const problem = formError();
  const form =
    auth === 'none' ? nameForm() : invite === undefined ? tokenForm(api, problem) : inviteForm(api, invite, problem);
  return h('main', { class: 'sign-in', id: 'main', tabindex: -1 }, form, problem);
}

function nameForm(): HTMLElement {
  const name = h('input', { type: 'text', required: true, autocapitalize: 'off' });
  const submit = (event: Event) => {
    event.preventDefault();
    rememberUser(name.value);
  };
  return h(
    'form',
    { class: 'fields', onsubmit: submit },
    h('h1', {}, t('sign-in.who')),
    h('label', {}, t('sign-in.rule'), name),
    h('button', { class: 'primary' }, t('sign-in.go')),
  );
}

function tokenForm(api: Api, problem: HTMLElement): HTMLElement {
  const token = h('input', {
    type: 'password',
    required: true,
    autocomplete: 'current-password',
    placeholder: 'odr_\u2026',
  });
  return h(
    'form',
    { class: 'fields', onsubmit: (event: Event) => signIn(event, api, { token: token.value.trim() }, problem) },
    h('h1', {}, t('sign-in')),
    h('p', { class: 'soft' }, t('sign-in.how')),
    h('label', {}, t('sign-in.token'), token),
    h('button', { class: 'primary' }, t('sign-in')),
  );
}

function inviteForm(api: Api, invite: string, problem: HTMLElement): HTMLElement {
  const name = h('input', { type: 'text', required: true, maxlength: 60, autocomplete: 'name' });
  const title = h('h1', {}, t('sign-in.invited'));
  const words = h('p', { class: 'soft' });
  readInvitation(invite, api).then(
    ({ room, inviter }) => {
      title.textContent = t('sign-in.join', { room: room.name });
      words.textContent = t('join.invited', { name: inviter.name });
    },
    (error: unknown) => {
      problem.textContent = reasonOf(error);
    },
  );
  const haveToken = h('a', { href: ROOT }, t('sign-in.have-token'));
  return h(
    'form',
    { class: 'fields', onsubmit: (event: Event) => signIn(event, api, { invite, name: name.value.trim() }, problem) },
    title,
    words,
    h('label', {}, t('sign-in.name'), name),
    h('button', { class: 'primary' }, t('join.do')),
    haveToken,
  );
}

async function signIn(event: Event, api: Api, body: SessionBody, problem: HTMLElement): Promise<void> {
  event.preventDefault();
  problem.textContent = '';
  try {
    await api.send('POST', '/api/session', { body });
    if (parsePath(location.pathname).invite !== undefined) location.assign(ROOT);
    else location.reload();
  } catch (error) {
    problem.textContent = reasonOf(error);
  }
}
