import { h } from '../../../shared/dom.ts';
import { icon } from '../../../shared/icons.ts';
import { t } from '../../text.ts';

/** From this width on there is room for the pane; the style sheet has it too. */
const WIDE = '(min-width: 1900px)';

/** An alert whose details are open. */
export interface OpenAlert {
  readonly row: HTMLElement;
  readonly title: string;
  readonly details: HTMLElement;
  /** Closes the details. */
  close(): void;
}

/** The details of one alert beside the list, in a window wide enough for both; in others they stand below the alert's line. */
export class DetailPane {
  readonly element = h('aside', { class: 'detail-pane', 'aria-label': t('alert.details') });
  readonly #wide = matchMedia(WIDE);
  #open: OpenAlert | undefined;

  constructor() {
    this.#wide.addEventListener('change', () => this.#yield());
  }

  /** The line of the alert while the focus is in the pane. */
  get focusedLine(): HTMLElement | undefined {
    if (!this.element.contains(document.activeElement)) return undefined;
    return this.#open?.row.querySelector<HTMLElement>('[data-stop]') ?? undefined;
  }

  /** Shows the details in place of those of another alert, with the reasons; false: the window is too narrow. */
  show(alert: OpenAlert): boolean {
    if (!this.#wide.matches) return false;
    const before = this.#open;
    this.#open = alert;
    if (before && before.row.dataset.fingerprint !== alert.row.dataset.fingerprint) before.close();
    const close = () => {
      alert.close();
      alert.row.querySelector<HTMLElement>('[data-stop]')?.focus();
    };
    const button = h('button', {
      type: 'button',
      class: 'icon-button',
      'aria-label': t('dialog.close'),
      onclick: close,
    });
    button.append(icon('close'));
    this.element.replaceChildren(h('div', { class: 'pane-head' }, h('h3', {}, alert.title), button), alert.details);
    alert.details.querySelector<HTMLElement>('.why-button')?.click();
    return true;
  }

  /** Takes the details of a line away. */
  hide(row: HTMLElement): void {
    if (this.#open?.row === row) this.#clear();
  }

  /** After lines were removed: the details go with theirs. */
  check(): void {
    if (this.#open?.row.isConnected === false) this.#clear();
  }

  #clear(): void {
    this.#open = undefined;
    this.element.replaceChildren();
  }

  /** A window that became narrow shows the details below the line. */
  #yield(): void {
    if (this.#wide.matches || !this.#open) return;
    this.#open.row.append(this.#open.details);
    this.#clear();
  }
}
