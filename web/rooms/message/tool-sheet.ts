import type { WireMessage } from '../../../src/rooms/contract/message.ts';
import { h } from '../../shared/dom.ts';
import { icon } from '../../shared/icons.ts';
import { t } from '../text/text.ts';
import { summaryOf } from './body.ts';
import type { Tool } from './tools.ts';

/** Shows the actions of a message as a list at the bottom of the window, large enough for fingers. */
export function openToolSheet(
  message: WireMessage,
  quick: readonly HTMLElement[],
  tools: readonly Tool[],
  near: HTMLElement,
): void {
  const rows = tools.map(({ icon: name, label, act }) => {
    const press = () => {
      dialog.close();
      act(near);
    };
    return h('li', {}, h('button', { type: 'button', class: 'sheet-row', onclick: press }, icon(name), label));
  });
  const dialog = h(
    'dialog',
    { class: 'sheet', 'aria-label': t('tools.of', { name: message.author.name }) },
    h('p', { class: 'sheet-title soft' }, h('strong', {}, message.author.name), ` ${summaryOf(message, 90)}`),
    h('div', { class: 'sheet-quick' }, quick),
    h('ul', {}, rows),
  );
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog || quick.some((button) => button === target)) dialog.close();
  });
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
