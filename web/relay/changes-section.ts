import type { ChangeRow } from '../../src/relay/contract/page.ts';
import { h } from '../shared/dom.ts';
import { icon } from '../shared/icons.ts';
import { stateBox } from '../shared/shell/states.ts';
import type { PageContext, Section, Shown } from './page.ts';
import { changeList } from './parts/change-list.ts';

/** The history of an environment's flags and segments. */
export class ChangesSection implements Section {
  readonly element: HTMLElement;
  readonly #context: PageContext;
  readonly #search: HTMLInputElement;
  readonly #place = h('div', {});
  #shown: Shown | undefined;
  #drawn = '';

  constructor(context: PageContext) {
    const { t } = context.ui;
    this.#context = context;
    this.#search = h('input', { type: 'search', 'aria-label': t('changes.filter'), placeholder: t('changes.filter') });
    this.#search.addEventListener('input', () => this.#draw());
    this.element = h(
      'div',
      { class: 'page' },
      h(
        'div',
        { class: 'page-head' },
        h('h1', { tabindex: -1 }, t('changes')),
        h('div', { class: 'search' }, icon('search'), this.#search),
      ),
      this.#place,
    );
  }

  focusSearch(): void {
    this.#search.focus();
  }

  update(shown: Shown): void {
    this.#shown = shown;
    this.#draw();
  }

  #draw(): void {
    if (!this.#shown) return;
    const { changes, since, name } = this.#shown.environment;
    const search = this.#search.value.toLowerCase();
    const found = changes.filter((change) => textOf(change).includes(search));
    const signature = JSON.stringify([name, found.map(({ id }) => id), search]);
    if (signature === this.#drawn) return;
    this.#drawn = signature;
    const { ui, hashOf } = this.#context;
    const none = search
      ? stateBox(ui.t('changes.no-match'))
      : stateBox(ui.t('changes.none'), ui.t('changes.since', { time: ui.ago(since) }));
    this.#place.replaceChildren(found.length > 0 ? changeList(ui, found, hashOf) : none);
  }
}

function textOf({ key, comment, differences }: ChangeRow): string {
  return [key, comment, ...differences.map(({ path }) => path)].join(' ').toLowerCase();
}
