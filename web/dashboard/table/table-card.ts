import type { Child } from '../../shared/dom.ts';
import { h, setText } from '../../shared/dom.ts';

/** A section of the page with title, tools, and a text for when it is empty. */
export class TableCard {
  readonly element: HTMLElement;
  readonly tools = h('div', { class: 'card-tools' });
  readonly body = h('div', { class: 'card-body' });
  readonly #emptyText = h('p');
  readonly #empty = h('div', { class: 'card-empty', hidden: true }, this.#emptyText);

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

  /** Shows a text instead of the table; undefined: the table. */
  showEmpty(text: string | undefined, ...actions: readonly Child[]): void {
    this.#empty.hidden = text === undefined;
    this.body.hidden = text !== undefined;
    if (text === undefined) return;
    setText(this.#emptyText, text);
    this.#empty.replaceChildren(this.#emptyText);
    for (const action of actions) if (action instanceof Node) this.#empty.append(action);
  }
}
