import type { Child } from '../dom.ts';
import { h } from '../dom.ts';

/** The box in the place of a list that is empty or cannot be loaded, with what to do about it. */
export function stateBox(title: string, text: string, ...actions: readonly Child[]): HTMLElement {
  return h(
    'div',
    { class: 'state', role: 'status' },
    h('p', { class: 'state-title' }, title),
    text !== '' && h('p', {}, text),
    actions.length > 0 && h('p', { class: 'actions' }, actions),
  );
}
