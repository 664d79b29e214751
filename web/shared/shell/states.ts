import type { Child } from '../dom.ts';
import { h } from '../dom.ts';

/** The box in the place of a list that is empty or cannot be loaded, with what to do about it. */
export const stateBox = (title: string, text = '', ...actions: readonly Child[]): HTMLElement =>
  h('div', { class: 'state', role: 'status' }, parts(h('p', { class: 'state-title' }, title), text, actions));

/** The same in the place of a whole page, which it gives its heading. */
export const statePage = (title: string, text = '', ...actions: readonly Child[]): HTMLElement =>
  h('div', { class: 'state' }, parts(h('h1', { class: 'state-title', tabindex: -1 }, title), text, actions));

/** The box in the place of what is being loaded. */
export const loadingBox = (text: string): HTMLElement =>
  h('div', { class: 'state loading', 'aria-busy': 'true' }, h('p', {}, text));

const parts = (title: HTMLElement, text: string, actions: readonly Child[]): Child[] => [
  title,
  text !== '' && h('p', {}, text),
  actions.length > 0 && h('p', { class: 'actions' }, actions),
];
