import type { HubEntry } from '../../src/hub/contract.ts';
import { browserClock } from '../shared/clock.ts';
import { copyButton } from '../shared/copy-button.ts';
import { type Child, h, syncChildren } from '../shared/dom.ts';
import { readLanguage } from '../shared/language.ts';
import { Poller } from '../shared/poller.ts';
import { Header } from '../shared/shell/header.ts';
import { loadingBox, stateBox } from '../shared/shell/states.ts';
import { tabVisibility } from '../shared/tab-visibility.ts';
import { serverCard, titleOf, type Words } from './card.ts';
import { parseServers } from './server-list.ts';
import { hubTexts } from './text.ts';

const REFRESH_MS = 3_000;

function exampleOf(entry: HubEntry, words: Words): HTMLElement {
  const { t, language } = words;
  const title = titleOf(entry, words);
  return h(
    'div',
    { class: 'example' },
    h('h3', {}, title),
    h('pre', { tabindex: 0 }, unbrokenWords(entry.example)),
    copyButton(browserClock, t('copy.what', { title }), () => entry.example, language),
    entry.example.includes('odr_…') && h('p', { class: 'soft' }, t('token')),
  );
}

/** Lets a command break at spaces alone; a browser would also break it within a flag. */
const unbrokenWords = (command: string): Child[] =>
  command.split(/( )/).map((part) => (part === ' ' ? part : h('span', {}, part)));

/** Shows the servers, and replaces only what has changed, so that the focus and selections stay. */
class HubPage {
  readonly #words: Words;
  readonly #cards = h('div', { class: 'cards' });
  readonly #examples = h('div', { class: 'examples' });
  readonly #content: HTMLElement;
  readonly #title = h('h1', { class: 'off-screen', tabindex: -1 });
  readonly #main = h('main', { id: 'main', class: 'page', tabindex: -1, 'aria-busy': 'true' });
  readonly #drawn = new Map<string, { readonly json: string; readonly node: HTMLElement }>();
  readonly #poller: Poller;

  constructor() {
    const language = readLanguage();
    const t = hubTexts(language);
    this.#words = { t, language };
    document.documentElement.lang = language;
    this.#content = h(
      'div',
      {},
      this.#cards,
      h('h2', { class: 'commands' }, t('commands'), ' ', h('span', {}, t('commands.text'))),
      this.#examples,
    );
    this.#title.textContent = t('servers');
    this.#main.append(this.#title, loadingBox(t('loading')));
    const header = new Header({ own: 'hub', home: './', language, clock: browserClock, main: this.#main });
    document.body.replaceChildren(header.element, this.#main);
    this.#poller = new Poller({
      clock: browserClock,
      visibility: tabVisibility,
      intervalMs: () => REFRESH_MS,
      run: (signal) => this.#load(signal),
    });
    void this.#poller.refresh();
  }

  async #load(signal: AbortSignal): Promise<void> {
    let text = '';
    try {
      const response = await fetch('servers.json', { signal });
      if (response.ok) text = await response.text();
    } catch {
      // Shown below.
    }
    if (signal.aborted) return;
    this.#main.removeAttribute('aria-busy');
    this.#show(parseServers(text, location.href));
  }

  #show(servers: readonly HubEntry[] | undefined): void {
    const { t } = this.#words;
    if (!servers) {
      const retry = h('button', { type: 'button', onclick: () => void this.#poller.refresh() }, t('retry'));
      const lost = this.#once('lost', '', () => stateBox(t('lost'), t('lost.text'), retry));
      syncChildren(this.#main, [this.#title, lost]);
    } else if (servers.length === 0) {
      syncChildren(this.#main, [this.#title, this.#once('none', '', () => stateBox(t('none'), t('none.text')))]);
    } else {
      const draw = (kind: string, one: HubEntry, make: (one: HubEntry, words: Words) => HTMLElement, shown: unknown) =>
        this.#once(`${kind} ${one.name}`, JSON.stringify(shown), () => make(one, this.#words));
      syncChildren(
        this.#cards,
        servers.map((one) => draw('card', one, serverCard, one)),
      );
      const examples = servers.filter(({ example }) => example !== '');
      syncChildren(
        this.#examples,
        examples.map((one) => draw('example', one, exampleOf, one.example)),
      );
      syncChildren(this.#main, [this.#title, this.#content]);
    }
  }

  /** The node drawn before under the key, as long as it shows the same. */
  #once(key: string, json: string, make: () => HTMLElement): HTMLElement {
    const known = this.#drawn.get(key);
    if (known?.json === json) return known.node;
    const node = make();
    this.#drawn.set(key, { json, node });
    return node;
  }
}

new HubPage();
