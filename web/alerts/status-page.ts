import { copyButton } from '../shared/copy-button.ts';
import type { Child } from '../shared/dom.ts';
import { h } from '../shared/dom.ts';
import type { ServerStatus } from './api.ts';
import type { Page, PageContext } from './page.ts';
import type { Route } from './route.ts';
import { errorBox, expectApiError, loadingBox } from './states.ts';

/** The server about itself: since when, which version, its cluster, its configuration. */
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
    const started = this.#context.times.element(uptime, 'distance');
    const peers = cluster.peers ?? [];
    const clusterRows: [string, Child][] = [
      ['State', h('span', { class: 'badge', 'data-state': cluster.status }, cluster.status)],
    ];
    if (cluster.name) clusterRows.push(['Name', h('code', {}, cluster.name)]);
    if (peers.length > 0) {
      clusterRows.push([
        'Peers',
        h(
          'ul',
          { class: 'plain' },
          peers.map(({ name, address }) =>
            h('li', {}, h('code', {}, address), ' ', h('span', { class: 'soft' }, name)),
          ),
        ),
      ]);
    }
    const { version = '', ...build } = versionInfo;
    const versionRows = Object.entries({ version, ...build })
      .filter(([, value]) => value !== '')
      .map(([name, value]): [string, Child] => [spacedName(name), name === 'revision' ? h('code', {}, value) : value]);
    return [
      h(
        'div',
        { class: 'facts' },
        facts('Server', [['Started', started], ...versionRows]),
        facts('Cluster', clusterRows),
      ),
      h(
        'div',
        { class: 'section-head' },
        h('h2', {}, 'Configuration'),
        copyButton(this.#context.clock, 'the configuration', () => config.original),
      ),
      h('pre', { class: 'config', tabindex: 0, role: 'region', 'aria-label': 'Configuration' }, config.original),
    ];
  }
}

function facts(title: string, rows: readonly (readonly [string, Child])[]): HTMLElement {
  return h(
    'section',
    { class: 'panel', 'aria-label': title },
    h('h2', {}, title),
    h(
      'dl',
      {},
      rows.flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]),
    ),
  );
}

/** `buildDate` reads `Build date`. */
function spacedName(name: string): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
