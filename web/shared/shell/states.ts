import type { Clock } from '../clock.ts';
import type { Child } from '../dom.ts';
import { h } from '../dom.ts';
import { icon } from '../icons.ts';

/** The box in the place of a list that is empty or cannot be loaded, with what to do about it. */
export const stateBox = (title: string, text = '', ...actions: readonly Child[]): HTMLElement =>
  h('div', { class: 'state', role: 'status' }, parts(h('p', { class: 'state-title' }, title), text, actions));

/** The same in the place of a whole page, which it gives its heading. */
export const statePage = (title: string, text = '', ...actions: readonly Child[]): HTMLElement =>
  h('div', { class: 'state' }, parts(h('h1', { class: 'state-title', tabindex: -1 }, title), text, actions));

/** A quiet state: a line of text. */
export const stateLine = (text: string): HTMLElement => h('div', { class: 'state' }, h('p', {}, text));

/** The box in the place of what is being loaded. */
export const loadingBox = (text: string): HTMLElement =>
  h('div', { class: 'state loading', 'aria-busy': 'true' }, h('p', {}, text));

const parts = (title: HTMLElement, text: string, actions: readonly Child[]): Child[] => [
  title,
  text !== '' && h('p', {}, text),
  actions.length > 0 && h('p', { class: 'actions' }, actions),
];

/** The error of a field, which refers to it by its id; hidden while empty. */
export const fieldError = (id?: string): HTMLElement => h('p', { class: 'field-error', id, role: 'alert' });

/** The same for a whole form. */
export const formError = (text = ''): HTMLElement => h('p', { class: 'form-error', role: 'alert' }, text);

/** A fault of the whole page, below the header. An alert stays in sight. */
export class Banner {
  /** In the document before its texts, so that screen readers announce them. */
  readonly element: HTMLElement;

  constructor(role: 'alert' | 'status', label?: string) {
    this.element = h('div', { class: 'banner-place', role, 'aria-label': label });
  }

  /** Without texts the banner disappears. */
  show(texts: readonly string[], ...actions: readonly Child[]): void {
    const lines = texts.map((text) => h('p', {}, text));
    const banner = texts.length > 0 ? h('div', { class: 'banner' }, h('div', {}, lines), actions) : null;
    const { firstChild } = this.element;
    if (banner === firstChild || banner?.isEqualNode(firstChild)) return;
    this.element.replaceChildren(...(banner ? [banner] : []));
  }
}

/** An action that a message offers. */
export interface Offer {
  readonly label: string;
  perform(): void;
}

export type Tone = 'good' | 'info' | 'warn' | 'error';

const TONE_ICONS = { good: 'check', info: 'info', warn: 'warning', error: 'warning' } as const;

export const offerButton = ({ label, perform }: Offer): HTMLElement =>
  h('button', { type: 'button', class: 'small', onclick: () => perform() }, label);

export const closeButton = (label: string, onclick: () => void): HTMLElement =>
  h('button', { type: 'button', class: 'icon-button', 'aria-label': label, title: label, onclick }, icon('close'));

/** A box within the page: a result or a fault, and its remedy. */
export const noticeBox = (tone: Tone, content: readonly Child[], actions: readonly Child[] = []): HTMLElement =>
  h(
    'div',
    { class: 'notice', 'data-tone': tone },
    icon(TONE_ICONS[tone]),
    h('div', { class: 'notice-text' }, content),
    actions.length > 0 && h('div', { class: 'notice-actions' }, actions),
  );

const TOAST_MS = 10_000;
const MAX_TOASTS = 3;

/** Short texts in the corner about what was done, each for a while. */
export class Toasts {
  /** In the document before its texts, so that screen readers announce them. */
  readonly element = h('div', { class: 'toasts', role: 'status' });
  readonly #clock: Clock;
  readonly #close: () => string;

  /** `close`: the word of the closing button in the language of the page. */
  constructor(clock: Clock, close: () => string) {
    this.#clock = clock;
    this.#close = close;
  }

  show(text: string, offer?: Offer): void {
    const hide = () => {
      cancelTimer();
      toast.remove();
    };
    const take = () => {
      hide();
      offer?.perform();
    };
    const toast = h(
      'div',
      { class: 'toast' },
      h('p', {}, text),
      offer && offerButton({ label: offer.label, perform: take }),
      closeButton(this.#close(), hide),
    );
    const cancelTimer = this.#clock.after(TOAST_MS, hide);
    this.element.append(toast);
    if (this.element.childElementCount > MAX_TOASTS) this.element.firstElementChild?.remove();
  }
}
