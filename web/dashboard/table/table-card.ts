import type { Child } from '../../shared/dom.ts';
import { h } from '../../shared/dom.ts';
import { stateBox } from '../../shared/shell/states.ts';

/** A section of the page with title, tools, and a text for when it is empty. */
export class TableCard {
  readonly element: HTMLElement;
  readonly tools = h('div', { class: 'card-tools' });
  readonly body = h('div', { class: 'card-body' });
  readonly #empty = h('div', { hidden: true });

  constructor(id: string, title: string, hint: string) {
    this.element = h(
      'section',
      { class: 'card', id, 'aria-labelledby': `${id}-title` },
      h(
        'div',
        { class: 'card-head' },
        h('div', {}, h('h2', { id: `${id}-title`, tabindex: -1 }, title), h('p', { class: 'card-hint' }, hint)),
        this.tools,
      ),
      this.body,
      this.#empty,
    );
  }

  /** Shows a title and what to do instead of the table; undefined: the table. */
  showEmpty(title: string | undefined, text = '', ...actions: readonly Child[]): void {
    this.#empty.hidden = title === undefined;
    this.body.hidden = title !== undefined;
    if (title !== undefined && this.#empty.dataset.title !== title)
      this.#empty.replaceChildren(stateBox(title, text, ...actions));
    this.#empty.dataset.title = title ?? '';
  }
}
