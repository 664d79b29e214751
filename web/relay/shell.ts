import type { EnvironmentSummary } from '../../src/relay/contract/page.ts';
import { h } from '../shared/dom.ts';
import type { Language } from '../shared/language.ts';
import { Header } from '../shared/shell/header.ts';
import { Sections } from '../shared/shell/sections.ts';
import { Banner } from '../shared/shell/states.ts';
import { formatHash, type Route, SECTIONS } from './route.ts';
import type { Ui } from './ui.ts';

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

/** The frame around the sections: header with environment and sections, banners. */
export class Shell {
  readonly main = h('main', { id: 'main', tabindex: -1 });
  readonly #ui: Ui;
  readonly #header: Header;
  readonly #sections: Sections;
  readonly #environment: HTMLSelectElement;
  readonly #banner = new Banner('alert');
  readonly #condition = new Banner('status');
  readonly #parts: ShellParts;
  #environments = '';

  constructor(ui: Ui, parts: ShellParts) {
    this.#ui = ui;
    this.#parts = parts;
    this.#environment = h('select', { class: 'environment', 'aria-label': ui.t('environment'), hidden: true });
    this.#environment.addEventListener('change', () => parts.onEnvironment(this.#environment.value));
    const sections = SECTIONS.map((name) => ({ name, title: ui.t(name), href: `#/${name}` }));
    this.#sections = new Sections(ui.t('pages'), sections);
    const { language, clock } = ui;
    const { onLanguage } = parts;
    this.#header = new Header({ own: 'relay', home: '#/flags', language, clock, main: this.main, onLanguage });
  }

  mount(body: HTMLElement): void {
    document.documentElement.lang = this.#ui.language;
    this.#header.own.replaceChildren(this.#environment, this.#sections.element);
    body.replaceChildren(this.#header.element, this.#banner.element, this.#condition.element, this.main);
  }

  focusLanguage(): void {
    this.#header.focusLanguage();
  }

  close(): void {
    this.#header.close();
  }

  /** Marks the section, and leads the links to this environment. */
  showRoute(route: Route): void {
    this.#sections.show(route.section);
    for (const section of SECTIONS)
      this.#sections.setHref(section, formatHash({ section, flag: undefined, environment: route.environment }));
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
    const { t } = this.#ui;
    this.#condition.show(state === 'VALID' ? [] : [t(CONDITIONS[state])], h('a', { href }, t('status')));
  }

  /** Undefined: nothing is wrong. */
  showBanner(text: string | undefined): void {
    const retry = h('button', { type: 'button', onclick: () => this.#parts.onRetry() }, this.#ui.t('retry'));
    this.#banner.show(text === undefined ? [] : [text], retry);
  }
}
