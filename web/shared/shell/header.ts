import type { Clock } from '../clock.ts';
import { h, setAttribute, syncChildren } from '../dom.ts';
import { type IconName, icon } from '../icons.ts';
import { keepLanguage, LANGUAGE_NAMES, LANGUAGES, type Language } from '../language.ts';
import { Poller } from '../poller.ts';
import { tabVisibility } from '../tab-visibility.ts';
import { chooseTheme, shownTheme, THEMES, type Theme } from '../theme.ts';
import { type DeckReport, type DeckServer, PRODUCTS, type Product, parseDeck } from './deck.ts';
import { shellTexts } from './text.ts';

const REFRESH_MS = 15_000;
/** The deck last seen, so that the next page draws it at once. */
const SEEN_KEY = 'opsdeck.deck';

const ICONS = { alerts: 'bell', relay: 'flag', dashboard: 'chart', rooms: 'thread' } as const satisfies Record<
  Product,
  IconName
>;
const THEME_ICONS = { system: 'screen', light: 'sun', dark: 'moon' } as const satisfies Record<Theme, IconName>;

export interface HeaderParts {
  /** The product of the page. */
  readonly own: Product | 'hub';
  /** The link to this product's first page. */
  readonly home: string;
  readonly language: Language;
  readonly clock: Clock;
  /** The skip link leads here; it must be focusable. */
  readonly main: HTMLElement;
  /** The relative path from the page's address to that of `deck.json`; `./` unless given. */
  readonly root?: string;
  /** Shows the page in another language, which is kept already; unless given, the page is loaded again. */
  readonly onLanguage?: (language: Language) => void;
  /** Called after the page has been coloured. */
  readonly onTheme?: (theme: Theme) => void;
}

/**
 * The header of every page. The first row is the same everywhere: the logo, the products with their states, language and theme.
 * The second has the page's own sections and tools, and is absent while it is empty.
 */
export class Header {
  readonly element: HTMLElement;
  /** The slot for the page's sections and tools. */
  readonly own = h('div', { class: 'own-row' });
  readonly #parts: HeaderParts;
  readonly #t: ReturnType<typeof shellTexts>;
  readonly #brand: HTMLAnchorElement;
  readonly #products = h('ul');
  readonly #links = new Map<Product, { item: HTMLElement; link: HTMLAnchorElement; state: HTMLElement }>();
  readonly #theme: HTMLElement;
  readonly #poller: Poller;

  constructor(parts: HeaderParts) {
    this.#parts = parts;
    this.#t = shellTexts(parts.language);
    const t = this.#t;
    this.#brand = h('a', { class: 'brand', href: parts.home }, logo(), h('span', {}, 'opsdeck'));
    this.#theme = this.#themePicker();
    const nav = h('nav', { class: 'products', 'aria-label': t('products') }, this.#products);
    const skip = (event: Event) => {
      event.preventDefault();
      parts.main.focus();
    };
    this.element = h(
      'header',
      { class: 'bar' },
      h('a', { class: 'skip', href: '#main', onclick: skip }, t('skip')),
      h('div', { class: 'deck-row' }, this.#brand, nav, this.#languagePicker(), this.#theme),
      this.own,
    );
    this.#show(readSeen() ?? { hub: null, servers: [] });
    this.#poller = new Poller({
      clock: parts.clock,
      visibility: tabVisibility,
      intervalMs: () => REFRESH_MS,
      run: (signal) => this.#load(signal),
    });
    void this.#poller.refresh();
  }

  /** Shows a theme that was chosen elsewhere on the page. */
  showTheme(theme: Theme): void {
    const select = this.#theme.querySelector('select');
    if (select) select.value = theme;
    this.#theme.firstElementChild?.replaceWith(icon(THEME_ICONS[theme]));
  }

  /** Sets the focus on the choice of the language, for a page that draws its header again. */
  focusLanguage(): void {
    this.element.querySelector<HTMLElement>('.language select')?.focus();
  }

  close(): void {
    this.#poller.stop();
  }

  async #load(signal: AbortSignal): Promise<void> {
    const { root = './' } = this.#parts;
    const url = new URL(`${root}deck.json`, location.href);
    try {
      const answer = await fetch(url, { signal });
      const text = answer.ok ? await answer.text() : '';
      const deck = parseDeck(text, url.href);
      if (!deck || signal.aborted) return;
      keepSeen(deck);
      this.#show(deck);
    } catch {
      // The page itself shows that its server does not answer.
    }
  }

  #show({ hub, servers }: DeckReport): void {
    const { own, home } = this.#parts;
    this.#brand.href = hub ?? home;
    setAttribute(this.#brand, 'aria-label', this.#t(hub === null ? 'home' : 'hub'));
    const known = new Map(servers.map((server) => [server.name, server]));
    const shown = PRODUCTS.filter((product) => product === own || known.has(product));
    syncChildren(
      this.#products,
      shown.map((product) => this.#item(product, known.get(product))),
    );
  }

  #item(product: Product, server: DeckServer | undefined): HTMLElement {
    const { own, home } = this.#parts;
    const { item, link, state } = this.#links.get(product) ?? this.#createLink(product);
    link.href = product === own ? home : (server?.url ?? home);
    const text = server && server.state !== 'ready' ? this.#t(server.state) : '';
    setAttribute(item, 'data-state', server?.state);
    setAttribute(link, 'title', text === '' ? undefined : text);
    state.textContent = text && `(${text})`;
    return item;
  }

  #createLink(product: Product) {
    const state = h('span', { class: 'off-screen' });
    const isOwn = product === this.#parts.own;
    const link = h(
      'a',
      { 'aria-current': isOwn ? 'true' : undefined },
      icon(ICONS[product]),
      h('span', {}, this.#t(product)),
      state,
    );
    const created = { item: h('li', {}, link), link, state };
    this.#links.set(product, created);
    return created;
  }

  #languagePicker(): HTMLElement {
    const { language, onLanguage = () => location.reload() } = this.#parts;
    const options = LANGUAGES.map((value) =>
      h('option', { value, lang: value, selected: value === language }, LANGUAGE_NAMES[value]),
    );
    const select = h('select', { 'aria-label': this.#t('language'), title: this.#t('language') }, options);
    select.addEventListener('change', () => {
      const chosen = select.value as Language;
      keepLanguage(chosen);
      onLanguage(chosen);
    });
    const code = h('span', { 'aria-hidden': 'true' }, language.toUpperCase());
    return h('div', { class: 'picker language' }, code, select);
  }

  #themePicker(): HTMLElement {
    const theme = shownTheme();
    const options = THEMES.map((value) => h('option', { value, selected: value === theme }, this.#t(`theme.${value}`)));
    const select = h('select', { 'aria-label': this.#t('theme'), title: this.#t('theme') }, options);
    select.addEventListener('change', () => {
      const chosen = select.value as Theme;
      chooseTheme(chosen);
      this.showTheme(chosen);
      this.#parts.onTheme?.(chosen);
    });
    return h('div', { class: 'picker' }, icon(THEME_ICONS[theme]), select);
  }
}

function logo(): HTMLElement {
  return h('span', { class: 'logo', 'aria-hidden': 'true' }, h('i'), h('i'), h('i'));
}

function readSeen(): DeckReport | undefined {
  try {
    return parseDeck(sessionStorage.getItem(SEEN_KEY) ?? '', location.href);
  } catch {
    return undefined;
  }
}

function keepSeen(deck: DeckReport): void {
  try {
    sessionStorage.setItem(SEEN_KEY, JSON.stringify(deck));
  } catch {
    // Forbidden storage.
  }
}
