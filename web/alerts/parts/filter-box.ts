import type { Matcher } from '../../../src/alerts/contract/wire.ts';
import { h, setAttribute, setText } from '../../shared/dom.ts';
import { fieldError } from '../../shared/shell/states.ts';
import { t } from '../text.ts';
import { formatMatcher, formatMatchers, parseFilterInput, parseMatchers } from './matcher-text.ts';
import { Suggestions } from './suggestions.ts';

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
  /** Words search and are never turned into a matcher; otherwise Enter makes a matcher of the name of one. */
  readonly keepsWords?: boolean;
}

const PROPOSALS = 8;

/** A filter editor: a removable chip per matcher, and a field that adds one at Enter. */
export class FilterBox {
  readonly element: HTMLElement;
  readonly #parts: FilterBoxParts;
  readonly #chips = h('ul', { class: 'chips', 'aria-label': t('filter.matchers'), hidden: true });
  readonly #field: HTMLInputElement;
  readonly #suggestions: Suggestions;
  readonly #error: HTMLElement;
  /** Undefined when a link's text cannot be parsed; the server reports its error. */
  #matchers: readonly Matcher[] | undefined = [];
  #filter = '';
  #isRefused = false;

  constructor(parts: FilterBoxParts) {
    this.#parts = parts;
    const { id, label, placeholder } = parts;
    this.#error = fieldError(`${id}-error`);
    this.#field = h('input', {
      id,
      type: 'text',
      placeholder,
      autocomplete: 'off',
      autocapitalize: 'off',
      spellcheck: 'false',
      'aria-describedby': `${id}-error`,
      'aria-keyshortcuts': '/',
      onkeydown: (event: KeyboardEvent) => this.#onKey(event),
      oninput: () => this.#onInput(),
    });
    this.#suggestions = new Suggestions(this.#field, (text) => this.#pick(text));
    const box = h('div', { class: 'filter-field' }, this.#chips, this.#field, h('kbd', { 'aria-hidden': 'true' }, '/'));
    box.addEventListener('click', (event) => event.target === box && this.#field.focus());
    this.element = h(
      'div',
      { class: 'filter-box', role: 'search' },
      h('label', { for: id }, label),
      box,
      this.#suggestions.element,
      this.#error,
    );
  }

  get typed(): string {
    return this.#field.value;
  }

  /** Shows the typed words of a link. */
  set typed(text: string) {
    if (this.#field.value === text) return;
    this.#field.value = text;
    this.showError(undefined);
  }

  /** Shows the filter of a link. */
  show(filter: string): void {
    // The pause of the typed words changes the address as well: an error about them stays.
    if (filter === this.#filter && this.#chips.childElementCount === (this.#matchers?.length ?? 1)) return;
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
      h('button', { type: 'button', 'aria-label': t('filter.remove', { matcher: text }), onclick }, '×'),
    );
  }

  #remove(index: number): void {
    this.#change((this.#matchers ?? []).filter((_, at) => at !== index));
    this.#field.focus();
  }

  #change(matchers: readonly Matcher[]): void {
    const filter = matchers.length === 0 ? '' : formatMatchers(matchers);
    // The address, which the page follows, changes later.
    this.show(filter);
    this.#parts.onChange(filter);
  }

  #onKey(event: KeyboardEvent): void {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      if (!this.#suggestions.isOpen) return;
      event.preventDefault();
      this.#suggestions.move(event.key === 'ArrowDown' ? 1 : -1);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      const { marked } = this.#suggestions;
      if (marked === undefined) this.#enter();
      else this.#pick(marked);
    } else if (event.key === 'Backspace' && this.#field.value === '') {
      const matchers = this.#matchers ?? [];
      const last = this.#matchers ? matchers.at(-1) : undefined;
      if (!last && this.#matchers) return;
      event.preventDefault();
      // The chip becomes text again, for editing.
      this.#field.value = last ? formatMatcher(last) : this.#filter;
      this.#change(matchers.slice(0, -1));
    } else if (event.key === 'Escape') {
      if (this.#suggestions.isOpen) this.#suggestions.show([]);
      else if (this.#field.value === '') this.#field.blur();
      else this.#clear();
    }
  }

  #enter(): void {
    const text = this.#field.value;
    this.#suggestions.show([]);
    if (this.#parts.keepsWords && !/[=~]/.test(text)) return;
    const parsed = parseFilterInput(text);
    if ('problem' in parsed) {
      this.showError(parsed.problem);
      return;
    }
    this.#clear();
    if (parsed.matchers.length > 0) this.add(...parsed.matchers);
  }

  #pick(text: string): void {
    this.#field.value = text;
    this.#enter();
  }

  #clear(): void {
    this.#field.value = '';
    this.showError(undefined);
    this.#parts.onType?.('');
  }

  #onInput(): void {
    this.showError(undefined);
    const text = this.#field.value;
    const wanted = plain(text);
    const found = wanted === '' ? [] : this.#parts.propose().filter((proposal) => plain(proposal).includes(wanted));
    this.#suggestions.show(found.slice(0, PROPOSALS));
    this.#parts.onType?.(text);
  }
}

/** Without quotes, which need not be typed. */
function plain(text: string): string {
  return text.replaceAll('"', '').trim().toLowerCase();
}
