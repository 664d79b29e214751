import type { Matcher } from '../../../../src/alerts/contract/wire.ts';
import { h } from '../../../shared/dom.ts';
import type { Operator } from '../../parts/matcher-text.ts';
import { createMatcher, OPERATORS, operatorOf, parseMatchers } from '../../parts/matcher-text.ts';
import { t } from '../../text.ts';

interface Row {
  readonly element: HTMLElement;
  readonly name: HTMLInputElement;
  readonly operator: HTMLSelectElement;
  readonly value: HTMLInputElement;
}

export interface MatcherRowsParts {
  onChange(): void;
  names(): readonly string[];
  values(name: string): readonly string[];
}

/** The matchers of a silence as editable rows, at least one. */
export class MatcherRows {
  readonly element: HTMLElement;
  readonly #parts: MatcherRowsParts;
  readonly #list = h('ul', { class: 'matcher-rows' });
  readonly #names = h('datalist', { id: 'label-names' });
  readonly #values = h('datalist', { id: 'label-values' });
  #rows: Row[] = [];

  constructor(matchers: readonly Matcher[], parts: MatcherRowsParts) {
    this.#parts = parts;
    const add = h('button', { type: 'button', class: 'quiet', onclick: () => this.#add() }, t('silence.matcher.add'));
    this.element = h('div', {}, this.#list, this.#names, this.#values, add);
    for (const matcher of matchers.length > 0 ? matchers : [createMatcher('', '=', '')]) this.#append(matcher);
  }

  get matchers(): Matcher[] {
    return this.#rows.map(({ name, operator, value }) =>
      createMatcher(name.value, operator.value as Operator, value.value),
    );
  }

  get sets(): readonly (readonly Matcher[])[] {
    return [this.matchers];
  }

  /** Replaces all rows. */
  replace(matchers: readonly Matcher[]): void {
    this.#rows = [];
    this.#list.replaceChildren();
    for (const matcher of matchers.length > 0 ? matchers : [createMatcher('', '=', '')]) this.#append(matcher);
    this.#parts.onChange();
  }

  /** Focuses the first incomplete row. */
  focus(): void {
    const row = this.#rows.find(({ name }) => name.value.trim() === '') ?? this.#rows[0];
    row?.name.focus();
  }

  #add(): void {
    this.#append(createMatcher('', '=', ''));
    this.#rows.at(-1)?.name.focus();
  }

  #append(matcher: Matcher): void {
    const onchange = () => this.#parts.onChange();
    const plain = { type: 'text', autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false', oninput: onchange };
    const name = h('input', {
      ...plain,
      class: 'code',
      list: this.#names.id,
      value: matcher.name,
      placeholder: t('silence.matcher.label'),
    });
    const value = h('input', {
      ...plain,
      class: 'code',
      list: this.#values.id,
      value: matcher.value,
      placeholder: t('silence.matcher.value'),
    });
    const chosen = operatorOf(matcher);
    const operator = h(
      'select',
      { class: 'code', title: t('silence.matcher.operators'), onchange },
      OPERATORS.map((text) => h('option', { value: text, selected: text === chosen }, text)),
    );
    const remove = h('button', { type: 'button', class: 'quiet remove' }, '×');
    const row: Row = {
      name,
      operator,
      value,
      element: h('li', { class: 'matcher-row' }, name, operator, value, remove),
    };
    remove.addEventListener('click', () => this.#remove(row));
    name.addEventListener('focus', () => fill(this.#names, this.#parts.names()));
    value.addEventListener('focus', () => fill(this.#values, this.#parts.values(name.value)));
    name.addEventListener('paste', (event) => this.#paste(event, row));
    this.#rows.push(row);
    this.#list.append(row.element);
    this.#number();
  }

  #remove(row: Row): void {
    const at = this.#rows.indexOf(row);
    this.#rows.splice(at, 1);
    row.element.remove();
    if (this.#rows.length === 0) this.#append(createMatcher('', '=', ''));
    this.#number();
    this.#rows[Math.min(at, this.#rows.length - 1)]?.name.focus();
    this.#parts.onChange();
  }

  /** A pasted list such as `{a="b",c="d"}` becomes rows. */
  #paste(event: ClipboardEvent, row: Row): void {
    const text = event.clipboardData?.getData('text/plain') ?? '';
    const parsed = parseMatchers(text);
    if (row.name.value !== '' || 'problem' in parsed || parsed.matchers.length === 0) return;
    event.preventDefault();
    const at = this.#rows.indexOf(row);
    const before = this.matchers;
    this.replace([...before.slice(0, at), ...parsed.matchers, ...before.slice(at + 1)]);
    this.#rows.at(-1)?.value.focus();
  }

  /** Labels each field with its row for screen readers. */
  #number(): void {
    for (const [index, { name, operator, value, element }] of this.#rows.entries()) {
      name.ariaLabel = t('silence.matcher.label-of', { n: index + 1 });
      operator.ariaLabel = t('silence.matcher.operator-of', { n: index + 1 });
      value.ariaLabel = t('silence.matcher.value-of', { n: index + 1 });
      const remove = element.querySelector('button');
      if (remove) remove.ariaLabel = t('silence.matcher.remove', { n: index + 1 });
    }
  }
}

function fill(list: HTMLDataListElement, values: readonly string[]): void {
  list.replaceChildren(...values.slice(0, 200).map((value) => h('option', { value })));
}
