import { h } from '../shared/dom.ts';
import { KEYS, keyName } from './keys.ts';
import { t } from './text.ts';

const kbd = (text: string) => h('kbd', {}, text);

/** The keys of the page and what they do. */
export function keyTable(): HTMLElement {
  const more = [
    ['Enter', t('settings.key.enter')],
    ['⌫', t('settings.key.backspace')],
    [t('settings.key.shift-click.name'), t('settings.key.shift-click')],
  ] as const;
  const rows = [
    ...KEYS.map(({ keys, text }) => [keys.map(keyName), t(text)] as const),
    ...more.map(([key, text]) => [[key], text] as const),
  ];
  return h(
    'dl',
    { class: 'keys' },
    rows.flatMap(([keys, text]) => [h('dt', {}, keys.map(kbd)), h('dd', {}, text)]),
  );
}

/** Shows the keys until it is closed. */
export function showKeys(): void {
  const close = h('button', { type: 'button', onclick: () => dialog.close() }, t('dialog.close'));
  const dialog = h(
    'dialog',
    { class: 'key-dialog', 'aria-labelledby': 'keys-title' },
    h('div', { class: 'dialog-head' }, h('h2', { id: 'keys-title' }, t('key.title')), close),
    keyTable(),
  );
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
