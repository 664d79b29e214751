import { h, setAttribute } from '../../shared/dom.ts';
import { closeButton, noticeBox, type Offer, offerButton, Toasts, type Tone } from '../../shared/shell/states.ts';
import type { Ui } from '../shell/ui.ts';

export interface Notice {
  readonly tone: Tone;
  readonly title: string;
  readonly text?: string | undefined;
  readonly details?: readonly string[];
  readonly detailsLabel?: string;
  readonly actions?: readonly Offer[];
  /** Whether it can be closed; otherwise it disappears with its cause. */
  readonly canClose?: boolean;
}

/** The text of a notice in the current language; undefined: no notice. */
export type NoticeWriter = (ui: Ui) => Notice | undefined;

/** Notices below the toolbar, replaced or removed by key, and toasts. They outlive a change of language or zone. */
export class Notices {
  readonly element = h('div', { class: 'notices' });
  readonly toasts: Toasts;
  readonly #shown = new Map<string, { readonly element: HTMLElement; readonly write: NoticeWriter }>();
  #ui: Ui;

  constructor(ui: Ui) {
    this.#ui = ui;
    this.toasts = new Toasts(ui.clock, () => this.#ui.t('close'));
  }

  show(key: string, write: NoticeWriter | undefined): void {
    this.#shown.get(key)?.element.remove();
    this.#shown.delete(key);
    const notice = write?.(this.#ui);
    if (!write || !notice) return;
    const element = this.#draw(key, notice);
    this.#shown.set(key, { element, write });
    this.element.append(element);
  }

  /** Redraws the notices in another language or zone. */
  speak(ui: Ui): void {
    this.#ui = ui;
    for (const [key, { write }] of [...this.#shown]) this.show(key, write);
  }

  #draw(key: string, { tone, title, text, details = [], detailsLabel, actions = [], canClose }: Notice): HTMLElement {
    const { t } = this.#ui;
    const lines = details.map((line) => h('li', {}, line));
    const element = noticeBox(
      tone,
      [
        h('p', {}, h('strong', {}, title), text ? ` ${text}` : ''),
        lines.length > 0 && h('details', {}, h('summary', {}, detailsLabel ?? t('details')), h('ul', {}, lines)),
      ],
      [...actions.map(offerButton), ...(canClose ? [closeButton(t('close'), () => this.show(key, undefined))] : [])],
    );
    setAttribute(element, 'data-notice', key);
    setAttribute(element, 'role', tone === 'error' ? 'alert' : 'status');
    return element;
  }
}
