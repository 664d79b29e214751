import { h, setAttribute, setText } from '../shared/dom.ts';
import type { Route } from './route.ts';

const SECTIONS = [
  ['alerts', 'Alerts'],
  ['silences', 'Silences'],
  ['history', 'History'],
  ['routing', 'Routing'],
  ['status', 'Status'],
  ['settings', 'Settings'],
] as const;

/** The frame around the pages: top bar, banner, live region. */
export class Shell {
  readonly main = h('main', { id: 'main', tabindex: -1 });
  readonly #links = new Map<string, HTMLAnchorElement>();
  readonly #newSilence = h(
    'a',
    { class: 'button primary', href: '#/silences/new', 'aria-keyshortcuts': 'n' },
    'New silence',
  );
  readonly #banner = h('div', { class: 'banner', role: 'alert', hidden: true });
  /** In the document before its texts, so that screen readers announce them. */
  readonly #conditions = h('div', { role: 'status', 'aria-label': 'State of the server' });
  readonly #live = h('p', { class: 'off-screen', role: 'status' });

  mount(body: HTMLElement): void {
    const skip = (event: Event) => {
      event.preventDefault();
      this.main.focus();
    };
    const entries = SECTIONS.map(([section, title]) => {
      const link = h('a', { href: `#/${section}` }, title);
      this.#links.set(section, link);
      return h('li', {}, link);
    });
    const home = h('a', { class: 'brand', href: '#/alerts', 'aria-label': 'opsdeck, alerts' });
    home.append(h('img', { src: './favicon.svg', alt: '', width: 22, height: 22 }), h('span', {}, 'opsdeck'));
    body.append(
      h('a', { class: 'skip', href: '#main', onclick: skip }, 'Skip to the content'),
      h(
        'header',
        { class: 'bar' },
        h(
          'div',
          { class: 'bar-inner' },
          home,
          h('nav', { 'aria-label': 'Pages' }, h('ul', {}, entries)),
          this.#newSilence,
        ),
      ),
      this.#conditions,
      this.#banner,
      this.main,
      this.#live,
    );
  }

  /** Marks the section of a route. */
  showRoute(route: Route): void {
    const section = route.page.endsWith('silence') ? 'silences' : route.page;
    for (const [name, link] of this.#links) setAttribute(link, 'aria-current', name === section && 'page');
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
    const sentences = texts.map((text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`);
    if (sentences.join('') === this.#conditions.textContent) return;
    const lines = sentences.map((sentence) => h('p', {}, sentence));
    this.#conditions.replaceChildren(...(lines.length > 0 ? [h('div', { class: 'banner conditions' }, lines)] : []));
  }

  /** Shows that the data are outdated, with a button to retry. */
  showBanner(text: string, retry: () => void): void {
    this.#banner.replaceChildren(h('p', {}, text), h('button', { type: 'button', onclick: retry }, 'Try again now'));
    this.#banner.hidden = false;
  }

  hideBanner(): void {
    this.#banner.hidden = true;
    this.#banner.replaceChildren();
  }
}
