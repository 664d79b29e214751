import type { Child } from '../../shared/dom.ts';
import { h, setAttribute, setText } from '../../shared/dom.ts';
import type { IconName } from '../../shared/icons.ts';
import { icon } from '../../shared/icons.ts';
import { fieldError } from '../../shared/shell/states.ts';

export interface Choice<Value extends string> {
  readonly value: Value;
  readonly label: string;
  /** The full name of an abbreviated label. */
  readonly name?: string;
  readonly color?: string;
}

/** A row of radio buttons that looks like one control. */
export class Segments<Value extends string> {
  readonly element: HTMLFieldSetElement;
  readonly #name: string;
  readonly #boxes = h('div', { class: 'segments' });
  readonly #onChange: (value: Value) => void;
  #choices = '';

  constructor(name: string, legend: string, onChange: (value: Value) => void) {
    this.#name = name;
    this.#onChange = onChange;
    this.element = h('fieldset', { class: 'segmented' }, h('legend', {}, legend), this.#boxes);
  }

  /** Rebuilds the buttons only if the choices differ, so that the focus stays. */
  show(choices: readonly Choice<Value>[], chosen: Value | undefined): void {
    const key = JSON.stringify(choices);
    if (key !== this.#choices) {
      this.#choices = key;
      this.#boxes.replaceChildren(...choices.map((choice) => this.#button(choice)));
    }
    for (const box of this.#boxes.querySelectorAll('input')) box.checked = box.value === chosen;
  }

  #button({ value, label, name, color }: Choice<Value>): HTMLElement {
    const box = h('input', { type: 'radio', name: this.#name, value, 'aria-label': name ?? label });
    box.addEventListener('change', () => box.checked && this.#onChange(value));
    const dot = color ? h('span', { class: 'dot', 'aria-hidden': 'true' }) : undefined;
    if (dot && color) dot.style.background = color;
    return h('label', { title: name }, box, h('span', {}, dot, label));
  }
}

export function iconButton(
  name: IconName,
  label: string,
  onclick: () => void,
  options: { readonly text?: boolean | undefined; readonly class?: string; readonly key?: string } = {},
): HTMLButtonElement {
  const classes = `${options.text ? 'with-icon' : 'icon-button'} ${options.class ?? ''}`.trim();
  return h(
    'button',
    {
      type: 'button',
      class: classes,
      onclick,
      title: options.text ? undefined : label,
      'aria-label': options.text ? undefined : label,
      'aria-keyshortcuts': options.key,
    },
    icon(name),
    options.text ? h('span', {}, label) : undefined,
  );
}

export function checkbox(label: string, checked: boolean, onChange: (checked: boolean) => void): HTMLLabelElement {
  const box = h('input', { type: 'checkbox', checked });
  box.addEventListener('change', () => onChange(box.checked));
  return h('label', { class: 'check' }, box, h('span', {}, label));
}

/** A button that unfolds an element in narrow windows; in others the style sheet hides it and shows the element. */
export function foldButton(name: IconName, label: string, folded: HTMLElement): HTMLButtonElement {
  const button = iconButton(
    name,
    label,
    () => {
      const isOpen = folded.toggleAttribute('data-open');
      setAttribute(button, 'aria-expanded', String(isOpen));
    },
    { text: true, class: 'fold-button' },
  );
  button.setAttribute('aria-expanded', 'false');
  folded.classList.add('foldable');
  return button;
}

let fields = 0;

/** A labelled control with its error below. */
export class Field<Control extends HTMLElement> {
  readonly element: HTMLElement;
  readonly control: Control;
  readonly #error: HTMLElement;

  constructor(label: string, control: Control, options: { readonly hint?: Child; readonly class?: string } = {}) {
    fields += 1;
    const id = control.id || `field-${fields}`;
    this.control = control;
    control.id = id;
    this.#error = fieldError(`${id}-error`);
    control.setAttribute('aria-describedby', `${id}-error`);
    this.element = h(
      'div',
      { class: `field ${options.class ?? ''}`.trim() },
      h('label', { for: id }, label),
      control,
      options.hint,
      this.#error,
    );
  }

  showError(text: string | undefined): void {
    setText(this.#error, text ?? '');
    setAttribute(this.control, 'aria-invalid', text !== undefined && 'true');
  }
}

/** Fills a select and keeps the chosen value, even if it is no longer offered. */
export function fillSelect(
  select: HTMLSelectElement,
  options: readonly { readonly value: string; readonly label: string }[],
  chosen: string,
): void {
  const known = options.some(({ value }) => value === chosen);
  const all = known ? options : [...options, { value: chosen, label: chosen }];
  const key = JSON.stringify(all);
  if (select.dataset.options !== key) {
    select.dataset.options = key;
    select.replaceChildren(...all.map(({ value, label }) => h('option', { value }, label)));
  }
  select.value = chosen;
}
