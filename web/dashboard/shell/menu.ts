import type { Child } from '../../shared/dom.ts';
import { h, setAttribute } from '../../shared/dom.ts';

export interface MenuEntry {
  readonly label: string;
  readonly hint?: string;
  perform(): void;
}

/** A button that opens a list of actions; arrows move, Escape and a click outside close. */
export class Menu {
  readonly element: HTMLElement;
  readonly #button: HTMLButtonElement;
  readonly #list: HTMLElement;

  constructor(label: readonly Child[], entries: readonly MenuEntry[]) {
    this.#list = h('div', { class: 'menu', role: 'menu', hidden: true });
    this.#list.append(...entries.map((entry) => this.#item(entry)));
    this.#button = h(
      'button',
      { type: 'button', class: 'with-icon', 'aria-haspopup': 'menu', 'aria-expanded': 'false' },
      label,
    );
    this.#button.addEventListener('click', () => this.#toggle(this.#list.hidden !== false));
    this.#button.addEventListener('keydown', (event) => {
      if (event.key !== 'ArrowDown') return;
      event.preventDefault();
      this.#toggle(true);
    });
    this.#list.addEventListener('keydown', (event) => this.#onKey(event));
    this.element = h('div', { class: 'menu-anchor' }, this.#button, this.#list);
    this.element.addEventListener('focusout', (event) => {
      if (!(event.relatedTarget instanceof Node) || !this.element.contains(event.relatedTarget)) this.#toggle(false);
    });
  }

  #item(entry: MenuEntry): HTMLButtonElement {
    const onclick = () => {
      this.#toggle(false);
      this.#button.focus();
      entry.perform();
    };
    const hint = entry.hint ? h('small', {}, entry.hint) : undefined;
    return h('button', { type: 'button', role: 'menuitem', tabindex: -1, onclick }, entry.label, hint);
  }

  #toggle(open: boolean): void {
    this.#list.hidden = !open;
    setAttribute(this.#button, 'aria-expanded', String(open));
    if (open) this.#items[0]?.focus();
  }

  get #items(): readonly HTMLButtonElement[] {
    return [...this.#list.querySelectorAll('button')];
  }

  #onKey(event: KeyboardEvent): void {
    const items = this.#items;
    const at = items.indexOf(document.activeElement as HTMLButtonElement);
    const target = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    if (target !== undefined) items[(target + items.length) % items.length]?.focus();
    else if (event.key === 'Escape') {
      this.#toggle(false);
      this.#button.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
