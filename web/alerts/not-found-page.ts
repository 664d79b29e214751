import { h } from '../shared/dom.ts';
import type { Page } from './page.ts';
import { stateBox } from './states.ts';
import { t } from './text.ts';

/** For unknown links. */
export class NotFoundPage implements Page {
  readonly element = h(
    'div',
    { class: 'page' },
    h('h1', { tabindex: -1 }, t('missing.title')),
    stateBox(
      t('missing.what'),
      t('missing.why'),
      h('a', { class: 'button', href: '#/alerts' }, t('missing.to-alerts')),
    ),
  );

  constructor() {
    document.title = `${t('missing.title')} · opsdeck`;
  }

  follow(): boolean {
    return false;
  }

  close(): void {}
}
