import { h, setAttribute, setText } from '../../shared/dom.ts';
import { icon } from '../../shared/icons.ts';
import { t } from '../text/text.ts';

/** Beside the room: one panel at a time. */
export class Drawer {
  readonly element: HTMLElement;
  readonly #title = h('h2', { tabindex: -1 });
  readonly #body = h('div', { class: 'drawer-body' });
  readonly #phone = matchMedia('(max-width: 700px)');
  #close: () => void = () => {};
  #back: HTMLElement | null = null;
  #name = '';

  /** `dismissed`: the user has closed the panel of this name. */
  constructor(onChange: (isOpen: boolean) => void, dismissed: (name: string) => void) {
    const dismiss = () => {
      dismissed(this.#name);
      this.close();
    };
    const close = h(
      'button',
      {
        type: 'button',
        class: 'icon-button',
        'aria-label': t('close'),
        title: t('close.key'),
        onclick: dismiss,
      },
      icon('close'),
    );
    this.element = h(
      'div',
      { class: 'drawer', role: 'complementary', hidden: true, 'aria-label': t('details') },
      h('div', { class: 'drawer-head' }, this.#title, close),
      this.#body,
    );
    this.element.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || event.defaultPrevented) return;
      event.preventDefault();
      dismiss();
    });
    this.#phone.addEventListener('change', () => this.#setRole());
    this.#close = () => onChange(false);
    this.#open = () => onChange(true);
  }

  readonly #open: () => void;

  /** Which panel is open; `''`: none. */
  get name(): string {
    return this.#name;
  }

  show(name: string, title: string, content: HTMLElement, { isFocused = true } = {}): void {
    if (this.#name === '') this.#back = document.activeElement instanceof HTMLElement ? document.activeElement : null;
    this.#name = name;
    setText(this.#title, title);
    this.element.setAttribute('aria-label', title);
    this.#setRole();
    this.#body.replaceChildren(content);
    this.element.hidden = false;
    this.#open();
    if (isFocused) this.#title.focus();
  }

  /** On a phone the drawer covers the page. */
  #setRole(): void {
    const isAlone = this.#phone.matches;
    setAttribute(this.element, 'role', isAlone ? 'main' : 'complementary');
    setAttribute(this.#title, 'aria-level', isAlone && '1');
  }

  close(): void {
    if (this.#name === '') return;
    this.#name = '';
    const hadFocus = this.element.contains(document.activeElement);
    this.element.hidden = true;
    this.#body.replaceChildren();
    this.#close();
    if (hadFocus && this.#back?.isConnected) this.#back.focus();
  }
}
