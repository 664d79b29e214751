import { copyButton } from '../shared/copy-button.ts';
import { h } from '../shared/dom.ts';
import type { PageContext, Section, Shown } from './page.ts';

/** Code that connects SDKs to the environment. */
export class ConnectSection implements Section {
  readonly element: HTMLElement;
  readonly #context: PageContext;
  readonly #place = h('div', { class: 'examples' });
  #drawn = '';

  constructor(context: PageContext) {
    this.#context = context;
    this.element = h(
      'div',
      { class: 'page' },
      h('div', { class: 'page-head' }, h('h1', { tabindex: -1 }, context.ui.t('connect'))),
      this.#place,
    );
  }

  update({ environment }: Shown): void {
    const { examples, status } = environment;
    const signature = JSON.stringify([examples, status.sdkKey]);
    if (signature === this.#drawn) return;
    this.#drawn = signature;
    const { ui } = this.#context;
    const { t, clock, language } = ui;
    const url = new URL('.', location.href).href.replace(/\/$/, '');
    this.#place.replaceChildren(
      h('p', {}, t('connect.text', { end: (status.sdkKey ?? '').slice(-5) }), ' ', t('connect.key')),
      ...examples.map(({ title: english, code }) => {
        const title = ui.words(english);
        const text = code.replaceAll('RELAY_URL', url);
        return h(
          'section',
          { class: 'part', 'aria-label': title },
          h('h2', {}, title),
          h(
            'div',
            { class: 'example' },
            h('pre', { tabindex: 0 }, text),
            copyButton(clock, t('copy.what', { what: title }), () => text, language),
          ),
        );
      }),
    );
  }
}
