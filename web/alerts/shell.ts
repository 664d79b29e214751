import { browserClock } from '../shared/clock.ts';
import { h, setText } from '../shared/dom.ts';
import { icon } from '../shared/icons.ts';
import { Header } from '../shared/shell/header.ts';
import { Sections } from '../shared/shell/sections.ts';
import { Banner, Toasts } from '../shared/shell/states.ts';
import type { Route } from './route.ts';
import { language, t } from './text.ts';

const SECTIONS = [
  { name: 'alerts', title: t('alert.page'), href: '#/alerts' },
  { name: 'silences', title: t('silence.title'), href: '#/silences' },
  { name: 'history', title: t('history.title'), href: '#/history' },
  { name: 'routing', title: t('routing.title'), href: '#/routing' },
  { name: 'status', title: t('status.title'), href: '#/status' },
  { name: 'settings', title: t('settings.title'), href: '#/settings' },
];

/** The frame around the pages: header, banners, toasts, live region. */
export class Shell {
  readonly main = h('main', { id: 'main', tabindex: -1 });
  readonly #sections = new Sections(t('shell.sections'), SECTIONS);
  readonly #header = new Header({
    own: 'alerts',
    home: '#/alerts',
    language,
    clock: browserClock,
    main: this.main,
  });
  readonly #newSilence = h(
    'a',
    { class: 'button primary', href: '#/silences/new', 'aria-keyshortcuts': 'n', title: t('silence.new') },
    icon('plus'),
    h('span', {}, t('silence.new')),
  );
  readonly toasts = new Toasts(browserClock, () => t('dialog.close'));
  readonly #banner = new Banner('alert');
  readonly #conditions = new Banner('status', t('shell.conditions'));
  readonly #live = h('p', { class: 'off-screen', role: 'status' });

  mount(body: HTMLElement): void {
    document.documentElement.lang = language;
    this.#header.own.replaceChildren(this.#sections.element, this.#newSilence);
    body.append(
      this.#header.element,
      this.#conditions.element,
      this.#banner.element,
      this.main,
      this.toasts.element,
      this.#live,
    );
  }

  /** Marks the section of a route. */
  showRoute(route: Route): void {
    const section = route.page.endsWith('silence') ? 'silences' : route.page;
    this.#sections.show(section);
    this.#newSilence.hidden = route.page === 'new-silence' || route.page === 'edit-silence';
  }

  /** Sets the link of the button for a new silence, which includes the current filter. */
  get newSilenceHash(): string {
    return this.#newSilence.hash;
  }

  set newSilenceHash(hash: string) {
    this.#newSilence.href = hash;
  }

  /** Announces a text to screen readers. */
  announce(text: string): void {
    setText(this.#live, text);
  }

  /** Shows what the server cannot do at present; nothing when there is nothing. */
  showConditions(texts: readonly string[]): void {
    this.#conditions.show(texts.map((text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`));
  }

  /** Shows that the data are outdated, with a button to retry. */
  showBanner(text: string, retry: () => void): void {
    this.#banner.show([text], h('button', { type: 'button', onclick: retry }, t('shell.retry')));
  }

  hideBanner(): void {
    this.#banner.show([]);
  }
}
