import type { ServerStatus } from '../../src/alerts/contract/wire.ts';
import { copyButton } from '../shared/copy-button.ts';
import { h } from '../shared/dom.ts';
import type { Fact } from './alert/fact-list.ts';
import { factList } from './alert/fact-list.ts';
import type { Page, PageContext } from './page.ts';
import type { Route } from './route.ts';
import { errorBox, expectApiError, loadingBox } from './states.ts';

/** The server's uptime, version, cluster and configuration. */
export class StatusPage implements Page {
  readonly element = h('div', { class: 'page' }, h('h1', { tabindex: -1 }, 'Status'));
  readonly #context: PageContext;
  readonly #results = h('div', {}, loadingBox('the status'));
  readonly #abort = new AbortController();

  constructor(context: PageContext) {
    this.#context = context;
    document.title = 'Status · opsdeck';
    this.element.append(this.#results);
    void this.#load();
  }

  follow(route: Route): boolean {
    return route.page === 'status';
  }

  close(): void {
    this.#abort.abort();
  }

  async #load(): Promise<void> {
    try {
      const status = await this.#context.api.status(this.#abort.signal);
      this.#results.replaceChildren(...this.#draw(status));
    } catch (error) {
      if (this.#abort.signal.aborted) return;
      this.#results.replaceChildren(errorBox('status', expectApiError(error), () => void this.#load()));
    }
  }

  #draw({ uptime, versionInfo, cluster, config }: ServerStatus): HTMLElement[] {
    const { version, ...build } = versionInfo;
    const started: Fact = ['Started', this.#context.times.element(uptime, 'distance')];
    const versions = Object.entries({ version, ...build })
      .filter(([, value]) => value !== '')
      .map(([name, value]): Fact => [spacedName(name), name === 'revision' ? h('code', {}, value) : value]);
    const copy = copyButton(this.#context.clock, 'the configuration', () => config.original);
    return [
      h('div', { class: 'facts' }, panel('Server', [started, ...versions]), panel('Cluster', clusterFacts(cluster))),
      h('div', { class: 'section-head' }, h('h2', {}, 'Configuration'), copy),
      h('pre', { class: 'config', tabindex: 0, role: 'region', 'aria-label': 'Configuration' }, config.original),
    ];
  }
}

function clusterFacts({ name, status, peers }: ServerStatus['cluster']): Fact[] {
  const facts: Fact[] = [['State', h('span', { class: 'badge', 'data-state': status }, status)]];
  if (name) facts.push(['Name', h('code', {}, name)]);
  const items = peers.map((peer) =>
    h('li', {}, h('code', {}, peer.address), ' ', h('span', { class: 'soft' }, peer.name)),
  );
  if (items.length > 0) facts.push(['Peers', h('ul', {}, items)]);
  return facts;
}

function panel(title: string, facts: readonly Fact[]): HTMLElement {
  return h('section', { class: 'panel', 'aria-label': title }, h('h2', {}, title), factList(facts));
}

/** `buildDate` reads `Build date`. */
function spacedName(name: string): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
