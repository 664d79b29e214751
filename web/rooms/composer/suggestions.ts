import { h } from '../../shared/dom.ts';
import { t } from '../text/text.ts';
import type { Completion, Option, Sources } from './completion.ts';
import { complete, completionAt, optionsFor } from './completion.ts';

let lists = 0;

/** The list of completions at a field. */
export class Suggestions {
  readonly element: HTMLUListElement;
  readonly #field: HTMLTextAreaElement;
  readonly #sources: (arrived: () => void) => Sources;
  readonly #taken: (text: string, caret: number) => void;
  #completion: Completion | undefined;
  #options: readonly Option[] = [];
  #selected = 0;

  /** `sources`: `arrived` is called when a source is known later; `taken`: the text after a choice. */
  constructor(
    field: HTMLTextAreaElement,
    sources: (arrived: () => void) => Sources,
    taken: (text: string, caret: number) => void,
  ) {
    this.#field = field;
    this.#sources = sources;
    this.#taken = taken;
    const id = `options-${++lists}`;
    this.element = h('ul', {
      class: 'options',
      id,
      role: 'listbox',
      'aria-label': t('composer.suggestions'),
      tabindex: 0,
      hidden: true,
      // A press beside an option, such as on the scroll bar, leaves the caret in the field.
      onmousedown: (event: MouseEvent) => event.preventDefault(),
    });
    field.setAttribute('aria-controls', id);
    field.addEventListener('blur', () => this.close());
  }

  /** Offers the completions of the word at the caret. */
  look(): void {
    const { value, selectionStart } = this.#field;
    this.#completion = completionAt(value, selectionStart);
    const sources = this.#sources(() => document.activeElement === this.#field && this.look());
    this.#options = this.#completion ? optionsFor(this.#completion, sources) : [];
    if (this.#options.length === 0) this.close();
    else this.#open();
  }

  close(): void {
    if (this.element.hidden) return;
    this.element.hidden = true;
    this.#completion = undefined;
    this.#field.removeAttribute('aria-activedescendant');
  }

  /** Whether the list has used the key. */
  takeKey({ key }: KeyboardEvent): boolean {
    if (this.element.hidden) return false;
    const { length } = this.#options;
    if (key === 'ArrowDown') this.#select((this.#selected + 1) % length);
    else if (key === 'ArrowUp') this.#select((this.#selected + length - 1) % length);
    else if (key === 'Enter' && this.#isWritten()) {
      this.close();
      return false;
    } else if (key === 'Enter' || key === 'Tab') this.#take(this.#selected);
    else if (key === 'Escape') this.close();
    else return false;
    return true;
  }

  /** Whether a suggestion is already typed in full: then Enter sends. */
  #isWritten(): boolean {
    const written = this.#completion?.query;
    return this.#options.some(({ label }) => label.slice(1) === written);
  }

  #open(): void {
    this.element.replaceChildren(
      ...this.#options.map(({ label, hint }, index) =>
        h(
          'li',
          {
            role: 'option',
            id: `${this.element.id}-${index}`,
            onpointerdown: (event: PointerEvent) => {
              event.preventDefault();
              this.#take(index);
            },
          },
          h('span', { class: 'option-label' }, label),
          hint !== '' && h('span', { class: 'option-hint' }, hint),
        ),
      ),
    );
    this.element.hidden = false;
    this.#select(0);
  }

  #select(index: number): void {
    this.#selected = index;
    for (const [at, option] of [...this.element.children].entries())
      option.setAttribute('aria-selected', String(at === index));
    this.#field.setAttribute('aria-activedescendant', `${this.element.id}-${index}`);
    this.element.children[index]?.scrollIntoView({ block: 'nearest' });
  }

  #take(index: number): void {
    const option = this.#options[index];
    if (!option || !this.#completion) return;
    const { text, caret } = complete(this.#field.value, this.#field.selectionStart, this.#completion, option);
    this.#taken(text, caret);
  }
}
