import { h, setText } from '../../shared/dom.ts';
import { LANGUAGE_NAMES, LANGUAGES, type Language } from '../../shared/language.ts';
import type { Theme } from '../../shared/theme.ts';
import { THEMES } from '../../shared/theme.ts';
import { iconButton } from '../controls/controls.ts';
import type { Ui } from './ui.ts';

export interface HeaderParts {
  onTheme(theme: Theme): void;
  onLanguage(language: Language): void;
  onHelp(): void;
}

/** The bar at the top: title, status, language and theme. */
export class Header {
  readonly element: HTMLElement;
  readonly language: HTMLSelectElement;
  readonly #theme: HTMLSelectElement;
  readonly #status = h('p', { class: 'status-line', id: 'status-line' });

  constructor({ t, language }: Ui, theme: Theme, parts: HeaderParts) {
    const themes = THEMES.map((value) => h('option', { value, selected: value === theme }, t(`theme.${value}`)));
    this.#theme = h('select', { 'aria-label': t('theme'), 'aria-keyshortcuts': 'd' }, themes);
    this.#theme.addEventListener('change', () => parts.onTheme(this.#theme.value as Theme));
    const languages = LANGUAGES.map((value) =>
      h('option', { value, lang: value, selected: value === language }, LANGUAGE_NAMES[value]),
    );
    this.language = h('select', { id: 'language', 'aria-label': t('language') }, languages);
    this.language.addEventListener('change', () => parts.onLanguage(this.language.value as Language));
    this.element = h(
      'header',
      { class: 'bar' },
      h(
        'div',
        { class: 'bar-inner' },
        h(
          'a',
          { class: 'brand', href: './', 'aria-label': t('home') },
          h('img', { src: './favicon.svg', alt: '', width: 22, height: 22 }),
          h('span', {}, 'opsdeck'),
        ),
        h('div', { class: 'bar-title' }, h('h1', { tabindex: -1 }, t('title')), this.#status),
        h(
          'div',
          { class: 'bar-tools' },
          this.language,
          this.#theme,
          iconButton('help', t('help'), () => parts.onHelp(), { key: '?' }),
        ),
      ),
    );
  }

  showStatus(text: string): void {
    setText(this.#status, text);
    this.#status.title = text;
  }

  /** The current selection in one line. */
  get status(): string {
    return this.#status.textContent ?? '';
  }

  showTheme(theme: Theme): void {
    this.#theme.value = theme;
  }
}
