import { h } from '../shared/dom.ts';
import type { Translate } from './text/translate.ts';

/** Asks for the token of the page; `isWrong`: after a wrong one. */
export function signInForm(t: Translate, isWrong: boolean, onToken: (token: string) => void): HTMLElement {
  const field = h('input', {
    type: 'password',
    id: 'page-token',
    autocomplete: 'current-password',
    required: true,
    'aria-invalid': isWrong && 'true',
    'aria-describedby': 'sign-in-note',
  });
  const form = h(
    'form',
    { class: 'sign-in' },
    h('h1', { tabindex: -1 }, t('sign-in')),
    h(
      'p',
      { id: 'sign-in-note', class: isWrong ? 'field-error' : 'soft' },
      t(isWrong ? 'sign-in.wrong' : 'sign-in.text'),
    ),
    h('label', { for: 'page-token' }, t('sign-in.token')),
    field,
    h('button', { type: 'submit', class: 'primary' }, t('sign-in')),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    onToken(field.value.trim());
  });
  queueMicrotask(() => field.focus());
  return form;
}
