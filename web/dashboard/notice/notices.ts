import type { CancelTimer } from '../../shared/clock.ts';
import type { Child } from '../../shared/dom.ts';
import { h } from '../../shared/dom.ts';
import { icon } from '../../shared/icons.ts';
import { iconButton } from '../controls/controls.ts';
import type { Ui } from '../shell/ui.ts';

const TOAST_MS = 6000;
export const UNDO_MS = 10_000;

export interface Notice {
  readonly tone: 'info' | 'warn' | 'error';
  readonly title: string;
  readonly text?: string | undefined;
  readonly details?: readonly string[];
  readonly detailsLabel?: string;
  readonly actions?: readonly { readonly label: string; perform(): void }[];
  /** Whether it can be closed; otherwise it disappears with its cause. */
  readonly canClose?: boolean;
}

/** The text of a notice in the current language; undefined: no notice. */
export type NoticeWriter = (ui: Ui) => Notice | undefined;

/**
 * Banners below the toolbar, replaced or removed by key, and toasts in the corner. They outlive a change of language or
 * zone.
 */
export class Notices {
  readonly element = h('div', { class: 'notices' });
  readonly toasts = h('div', { class: 'toasts', role: 'status' });
  readonly #shown = new Map<string, { readonly element: HTMLElement; readonly write: NoticeWriter }>();
  #ui: Ui;

  constructor(ui: Ui) {
    this.#ui = ui;
  }

  show(key: string, write: NoticeWriter | undefined): void {
    this.#shown.get(key)?.element.remove();
    this.#shown.delete(key);
    const notice = write?.(this.#ui);
    if (!write || !notice) return;
    const element = this.#banner(key, notice);
    this.#shown.set(key, { element, write });
    this.element.append(element);
  }

  /** Redraws the banners in another language or zone. */
  speak(ui: Ui): void {
    this.#ui = ui;
    for (const [key, { write }] of [...this.#shown]) this.show(key, write);
  }

  /** Shows a toast; with an action it stays ten seconds. */
  toast(text: string, action?: { readonly label: string; perform(): void }): void {
    let cancel: CancelTimer = () => {};
    const close = () => {
      cancel();
      toast.remove();
    };
    const perform = () => {
      close();
      action?.perform();
    };
    const toast = h(
      'div',
      { class: 'toast' },
      h('p', {}, text),
      action && h('button', { type: 'button', class: 'small', onclick: perform }, action.label),
      iconButton('close', this.#ui.t('close'), close),
    );
    this.toasts.append(toast);
    cancel = this.#ui.clock.after(action ? UNDO_MS : TOAST_MS, close);
  }

  #banner(key: string, notice: Notice): HTMLElement {
    const { t } = this.#ui;
    const actions: Child[] = (notice.actions ?? []).map(({ label, perform }) =>
      h('button', { type: 'button', class: 'small', onclick: () => perform() }, label),
    );
    if (notice.canClose) actions.push(iconButton('close', t('close'), () => this.show(key, undefined)));
    const details = notice.details ?? [];
    return h(
      'div',
      {
        class: 'notice',
        'data-tone': notice.tone,
        'data-notice': key,
        role: notice.tone === 'error' ? 'alert' : 'status',
      },
      icon(notice.tone === 'info' ? 'info' : 'warning'),
      h(
        'div',
        { class: 'notice-text' },
        h('p', {}, h('strong', {}, notice.title), notice.text ? ` ${notice.text}` : ''),
        details.length > 0 &&
          h(
            'details',
            {},
            h('summary', {}, notice.detailsLabel ?? t('details')),
            h(
              'ul',
              {},
              details.map((line) => h('li', {}, line)),
            ),
          ),
      ),
      h('div', { class: 'notice-actions' }, actions),
    );
  }
}
