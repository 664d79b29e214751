import { h } from '../shared/dom.ts';
import type { Page } from './page.ts';
import { stateBox } from './states.ts';

/** For unknown links. */
export class NotFoundPage implements Page {
  readonly element = h(
    'div',
    { class: 'page' },
    h('h1', { tabindex: -1 }, 'No such page'),
    stateBox(
      'This link leads nowhere.',
      'It may be mistyped, or made for another program.',
      h('a', { class: 'button', href: '#/alerts' }, 'To the alerts'),
    ),
  );

  constructor() {
    document.title = 'No such page · opsdeck';
  }

  follow(): boolean {
    return false;
  }

  close(): void {}
}
