import { h } from '../../shared/dom.ts';
import { parseSpan } from '../parts/time-text.ts';
import { t } from '../text.ts';

export const EXTENSIONS = ['1h', '4h', '1d', '1w'] as const;

/** Asks by how much silences are extended, in milliseconds; undefined when the user cancels. */
export function askForExtension(count: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    let chosen: number | undefined;
    const choose = (text: string) => () => {
      chosen = parseSpan(text);
      dialog.close();
    };
    const choices = EXTENSIONS.map((text) => h('button', { type: 'button', onclick: choose(text) }, `+${text}`));
    const cancel = h('button', { type: 'button', class: 'quiet', onclick: () => dialog.close() }, t('silence.cancel'));
    const dialog = h(
      'dialog',
      { 'aria-labelledby': 'extend-title' },
      h('h2', { id: 'extend-title' }, t('silence.extend.title', { n: count })),
      h('p', {}, t('silence.extend.what')),
      h('div', { class: 'actions' }, choices, cancel),
    );
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(chosen);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
