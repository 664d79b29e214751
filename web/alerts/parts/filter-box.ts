import type { Matcher } from '../../../src/alerts/contract/wire.ts';
import { h, setAttribute, setText } from '../../shared/dom.ts';
import { formatMatcher, formatMatchers, parseFilterInput, parseMatchers } from './matcher-text.ts';

export interface FilterBoxParts {
  readonly id: string;
  readonly label: string;
  readonly placeholder: string;
  /** Proposed matchers as text, the likeliest first. */
  propose(): readonly string[];
  /** The whole filter, such as `{a="b"}`; empty without matchers. */
  onChange(filter: string): void;
  /** Called for text that is typed but not yet a matcher. */
  onType?(text: string): void;
}

const PROPOSALS = 12;

/** A filter editor: a removable chip per matcher, and a field that adds one at Enter. */
export class FilterBox {
  readonly element: HTMLElement;
  readonly #parts: FilterBoxParts;
  readonly #chips = h('ul', { class: 'chips', 'aria-label': 'Matchers of the filter' });
  readonly #field: HTMLInputElement;
  readonly #proposals: HTMLDataListElement;
  readonly #error: HTMLParagraphElement;
  /** Undefined when a link's text cannot be parsed; the server reports its error. */
  #matchers: readonly Matcher[] | undefined = [];
  #filter = '';
  #isRefused = false;

  constructor(parts: FilterBoxParts) {
    this.#parts = parts;
    const { id, label, placeholder } = parts;
    this.#proposals = h('datalist', { id: `${id}-proposals` });
    this.#error = h('p', { class: 'field-error', id: `${id}-error`, role: 'alert', hidden: true });
    this.#field = h('input', {
      id,
      type: 'text',
      placeholder,
      list: `${id}-proposals`,
      autocomplete: 'off',
      autocapitalize: 'off',
      spellcheck: 'false',
      'aria-describedby': `${id}-error`,
      'aria-keyshortcuts': '/',
      onkeydown: (event: KeyboardEvent) => this.#onKey(event),
      oninput: (event: Event) => this.#onInput(event),
    });
    const box = h('div', { class: 'filter-field' }, this.#chips, this.#field, h('kbd', { 'aria-hidden': 'true' }, '/'));
    box.addEventListener('click', (event) => event.target === box && this.#field.focus());
    this.element = h(
      'div',
      { class: 'filter-box', role: 'search' },
      h('label', { for: id }, label),
      box,
      this.#proposals,
      this.#error,
    );
  }

  get typed(): string {
    return this.#field.value;
  }

  /** Shows the filter of a link. */
  show(filter: string): void {
    if (filter === this.#filter && this.#chips.childElementCount > 0) return;
    this.#filter = filter;
    const parsed = parseMatchers(filter);
    this.#matchers = 'matchers' in parsed ? parsed.matchers : undefined;
    const texts = this.#matchers?.map(formatMatcher) ?? [filter];
    this.#chips.replaceChildren(...texts.map((text, index) => this.#chip(text, index)));
    this.#chips.hidden = texts.length === 0;
    this.showError(undefined);
  }

  /** Adds a matcher, unless it is there already. */
  add(...added: readonly Matcher[]): void {
    const matchers = [...(this.#matchers ?? [])];
    for (const matcher of added) {
      if (!matchers.some((known) => formatMatcher(known) === formatMatcher(matcher))) matchers.push(matcher);
    }
    this.#change(matchers);
  }

  /** Shows the server's error about the filter; undefined: it accepts it, whatever is being typed. */
  showRefusal(text: string | undefined): void {
    if (text === undefined && !this.#isRefused) return;
    this.showError(text);
    this.#isRefused = text !== undefined;
  }

  showError(text: string | undefined): void {
    this.#isRefused = false;
    setText(this.#error, text ?? '');
    this.#error.hidden = text === undefined;
    setAttribute(this.#field, 'aria-invalid', text !== undefined && 'true');
  }

  focus(): void {
    this.#field.focus();
  }

  #chip(text: string, index: number): HTMLLIElement {
    const onclick = () => this.#remove(index);
    return h(
      'li',
      { class: 'chip' },
      h('code', {}, text),
      h('button', { type: 'button', 'aria-label': `Remove ${text}`, onclick }, '×'),
    );
  }

  #remove(index: number): void {
    this.#change((this.#matchers ?? []).filter((_, at) => at !== index));
    this.#field.focus();
  }

  #change(matchers: readonly Matcher[]): void {
    this.#parts.onChange(matchers.length === 0 ? '' : formatMatchers(matchers));
  }

  #onKey(event: KeyboardEvent): void {
    if (event.key === 'Enter') {
      event.preventDefault();
      this.#enter();
    } else if (event.key === 'Backspace' && this.#field.value === '') {
      const matchers = this.#matchers ?? [];
      const last = this.#matchers ? matchers.at(-1) : undefined;
      if (!last && this.#matchers) return;
      event.preventDefault();
      // The chip becomes text again, for editing.
      this.#field.value = last ? formatMatcher(last) : this.#filter;
      this.#change(matchers.slice(0, -1));
    } else if (event.key === 'Escape') {
      this.#field.value = '';
      this.showError(undefined);
      this.#parts.onType?.('');
    }
  }

  #enter(): void {
    const parsed = parseFilterInput(this.#field.value);
    if ('problem' in parsed) {
      this.showError(parsed.problem);
      return;
    }
    this.#field.value = '';
    this.#parts.onType?.('');
    if (parsed.matchers.length > 0) this.add(...parsed.matchers);
  }

  #onInput(event: Event): void {
    this.showError(undefined);
    const text = this.#field.value;
    const proposals = this.#parts.propose();
    // Browsers report a choice from the list with this input type, or with none.
    const chosen = !(event instanceof InputEvent) || event.inputType === 'insertReplacementText';
    if (chosen && proposals.includes(text)) {
      this.#enter();
      return;
    }
    const wanted = text.toLowerCase();
    const found = wanted === '' ? [] : proposals.filter((proposal) => proposal.toLowerCase().includes(wanted));
    this.#proposals.replaceChildren(...found.slice(0, PROPOSALS).map((value) => h('option', { value })));
    this.#parts.onType?.(text);
  }
}
