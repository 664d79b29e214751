import { h, setAttribute } from '../../shared/dom.ts';
import { t } from '../text.ts';

/** The list of suggestions under a text field, which keeps the focus: the field is a combobox, its keys move the mark. */
export class Suggestions {
  readonly element: HTMLUListElement;
  readonly #field: HTMLInputElement;
  readonly #onPick: (text: string) => void;
  #texts: readonly string[] = [];
  #at = -1;

  constructor(field: HTMLInputElement, onPick: (text: string) => void) {
    this.#field = field;
    this.#onPick = onPick;
    const id = `${field.id}-suggestions`;
    this.element = h('ul', { id, class: 'suggestions', role: 'listbox', 'aria-label': t('filter.suggestions') });
    for (const [name, value] of Object.entries({ role: 'combobox', 'aria-autocomplete': 'list', 'aria-controls': id }))
      setAttribute(field, name, value);
    field.addEventListener('blur', () => this.show([]));
    this.show([]);
  }

  /** The marked suggestion; undefined while none is. */
  get marked(): string | undefined {
    return this.#texts[this.#at];
  }

  get isOpen(): boolean {
    return this.#texts.length > 0;
  }

  show(texts: readonly string[]): void {
    this.#texts = texts;
    this.#at = -1;
    this.element.replaceChildren(...texts.map((text, index) => this.#option(text, index)));
    this.element.hidden = texts.length === 0;
    setAttribute(this.#field, 'aria-expanded', String(texts.length > 0));
    setAttribute(this.#field, 'aria-activedescendant', undefined);
  }

  /** Marks the next or previous suggestion; beyond the ends none is marked. */
  move(by: 1 | -1): void {
    const count = this.#texts.length + 1;
    this.#at = ((this.#at + 1 + by + count) % count) - 1;
    for (const [index, option] of [...this.element.children].entries()) {
      setAttribute(option, 'aria-selected', String(index === this.#at));
      if (index === this.#at) option.scrollIntoView({ block: 'nearest' });
    }
    setAttribute(this.#field, 'aria-activedescendant', this.element.children[this.#at]?.id);
  }

  #option(text: string, index: number): HTMLLIElement {
    const onmousedown = (event: MouseEvent) => {
      // The field keeps the focus, whose loss would close the list before the click.
      event.preventDefault();
      this.#onPick(text);
    };
    const id = `${this.element.id}-${index}`;
    return h('li', { id, role: 'option', 'aria-selected': 'false', onmousedown }, h('code', {}, text));
  }
}
