import { h, setText } from '../../shared/dom.ts';
import type { Language } from '../../shared/language.ts';
import { Header } from '../../shared/shell/header.ts';
import type { Theme } from '../../shared/theme.ts';
import { iconButton } from '../controls/controls.ts';
import type { Ui } from './ui.ts';

export interface PageHeaderParts {
  onLanguage(language: Language): void;
  onHelp(): void;
}

/** The header of all products, with the page's title, status and help. */
export class PageHeader {
  readonly #header: Header;
  readonly #status = h('p', { class: 'status-line', id: 'status-line' });

  constructor({ t, language, clock }: Ui, main: HTMLElement, { onLanguage, onHelp }: PageHeaderParts) {
    this.#header = new Header({ own: 'dashboard', home: './', language, clock, main, onLanguage });
    this.#header.own.append(
      h('h1', { tabindex: -1 }, t('title')),
      this.#status,
      iconButton('help', t('help'), onHelp, { key: '?' }),
    );
  }

  get element(): HTMLElement {
    return this.#header.element;
  }

  /** The current selection in one line. */
  get status(): string {
    return this.#status.textContent ?? '';
  }

  showStatus(text: string): void {
    setText(this.#status, text);
    this.#status.title = text;
  }

  showTheme(theme: Theme): void {
    this.#header.showTheme(theme);
  }

  focusLanguage(): void {
    this.#header.focusLanguage();
  }

  close(): void {
    this.#header.close();
  }
}
