import type { EnvironmentSummary } from '../../src/relay/contract/page.ts';
import { h, setAttribute } from '../shared/dom.ts';
import { chooseTheme, readTheme, THEMES, type Theme } from '../shared/theme.ts';
import { formatHash, type Route, SECTIONS } from './route.ts';
import { LANGUAGES, type Language } from './text/translate.ts';
import type { Ui } from './ui.ts';

const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' };

const CONDITIONS = {
  INTERRUPTED: 'condition.INTERRUPTED',
  INITIALIZING: 'condition.INITIALIZING',
  OFF: 'condition.OFF',
} as const;

export interface ShellParts {
  onEnvironment(name: string): void;
  onLanguage(language: Language): void;
  onRetry(): void;
}

/** The frame around the sections: bar with environment, sections, language and theme; banner. */
export class Shell {
  readonly main = h('main', { id: 'main', tabindex: -1 });
  readonly #ui: Ui;
  readonly #links = new Map<string, HTMLAnchorElement>();
  readonly #environment: HTMLSelectElement;
  readonly #banner = h('div', { class: 'banner', role: 'alert', hidden: true });
  /** In the document before its text, so that screen readers announce it. */
  readonly #condition = h('div', { role: 'status' });
  readonly #parts: ShellParts;
  #environments = '';

  constructor(ui: Ui, parts: ShellParts) {
    this.#ui = ui;
    this.#parts = parts;
    this.#environment = h('select', { class: 'environment', 'aria-label': ui.t('environment'), hidden: true });
    this.#environment.addEventListener('change', () => parts.onEnvironment(this.#environment.value));
  }

  mount(body: HTMLElement): void {
    const { t, language } = this.#ui;
    document.documentElement.lang = language;
    const skip = (event: Event) => {
      event.preventDefault();
      this.main.focus();
    };
    const entries = SECTIONS.map((section) => {
      const link = h('a', { href: `#/${section}` }, t(section));
      this.#links.set(section, link);
      return h('li', {}, link);
    });
    const brand = h(
      'a',
      { class: 'brand', href: '#/flags', 'aria-label': t('home') },
      h('img', { src: './favicon.svg', alt: '', width: 22, height: 22 }),
      h('span', {}, 'opsdeck'),
    );
    const nav = h('nav', { 'aria-label': t('pages') }, h('ul', {}, entries));
    const bar = h('div', { class: 'bar-inner' }, brand, this.#environment, nav, this.#tools());
    body.replaceChildren(
      h('a', { class: 'skip', href: '#main', onclick: skip }, t('skip')),
      h('header', { class: 'bar' }, bar),
      this.#banner,
      this.#condition,
      this.main,
    );
  }

  #tools(): HTMLElement {
    const { t, language } = this.#ui;
    const languages = h(
      'select',
      { 'aria-label': t('language') },
      LANGUAGES.map((value) =>
        h('option', { value, lang: value, selected: value === language }, LANGUAGE_NAMES[value]),
      ),
    );
    languages.addEventListener('change', () => this.#parts.onLanguage(languages.value as Language));
    const theme = readTheme();
    const themes = h(
      'select',
      { 'aria-label': t('theme') },
      THEMES.map((value) => h('option', { value, selected: value === theme }, t(`theme.${value}`))),
    );
    themes.addEventListener('change', () => chooseTheme(themes.value as Theme));
    return h('div', { class: 'bar-tools' }, languages, themes);
  }

  /** Marks the section, and leads the links to this environment. */
  showRoute(route: Route): void {
    for (const section of SECTIONS) {
      const link = this.#links.get(section);
      if (!link) continue;
      link.href = formatHash({ section, flag: undefined, environment: route.environment });
      setAttribute(link, 'aria-current', section === route.section && 'page');
    }
    const title = route.section === 'unknown' ? this.#ui.t('not-found') : this.#ui.t(route.section);
    document.title = `${route.flag ?? title} · opsdeck`;
  }

  showEnvironments(environments: readonly EnvironmentSummary[], current: string | undefined): void {
    const signature = JSON.stringify(environments.map(({ name, title, isConnected }) => [name, title, isConnected]));
    if (signature !== this.#environments) {
      this.#environments = signature;
      const options = environments.map(({ name, title, isConnected }) =>
        h('option', { value: name }, isConnected ? title : `${title} (!)`),
      );
      this.#environment.replaceChildren(...options);
      this.#environment.hidden = environments.length === 0;
    }
    if (current !== undefined) this.#environment.value = current;
  }

  /** Shows what is wrong with the source of the environment, with a link to its status; nothing if it works. */
  showCondition(state: keyof typeof CONDITIONS | 'VALID', href: string): void {
    const text = state === 'VALID' ? '' : this.#ui.t(CONDITIONS[state]);
    if (this.#condition.dataset.text === text) return;
    this.#condition.dataset.text = text;
    const link = h('a', { href }, this.#ui.t('status'));
    this.#condition.replaceChildren(...(text === '' ? [] : [h('div', { class: 'banner' }, h('p', {}, text), link)]));
  }

  /** Undefined: nothing is wrong. */
  showBanner(text: string | undefined): void {
    this.#banner.hidden = text === undefined;
    if (text === undefined) this.#banner.replaceChildren();
    else if (this.#banner.firstChild?.textContent !== text) {
      const retry = h('button', { type: 'button', onclick: () => this.#parts.onRetry() }, this.#ui.t('retry'));
      this.#banner.replaceChildren(h('p', {}, text), retry);
    }
  }
}
