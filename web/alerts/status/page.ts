import type { IntegrationHealth } from '../../../src/alerts/contract/integration-health.ts';
import type { ServerInfo } from '../../../src/alerts/contract/server-info.ts';
import { copyButton } from '../../shared/copy-button.ts';
import { type Child, h } from '../../shared/dom.ts';
import type { Fact } from '../alert/fact-list.ts';
import { factList } from '../alert/fact-list.ts';
import { placeOf, plainError } from '../history/list.ts';
import type { Page, PageContext } from '../page.ts';
import { formatAge } from '../parts/time-text.ts';
import type { Times } from '../parts/times.ts';
import { historyHash, type Route } from '../route.ts';
import { errorBox, expectApiError, loadingBox } from '../states.ts';
import { language, t } from '../text.ts';

/** What runs, on which configuration and storage, and what became of its notifications. */
export class StatusPage implements Page {
  readonly element = h('div', { class: 'page' }, h('h1', { tabindex: -1 }, t('status.title')));
  readonly #context: PageContext;
  readonly #results = h('div', { class: 'status' }, loadingBox(t('status.what')));
  readonly #abort = new AbortController();

  constructor(context: PageContext) {
    this.#context = context;
    document.title = `${t('status.title')} · opsdeck`;
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
    const { api } = this.#context;
    const { signal } = this.#abort;
    try {
      const [server, integrations, status] = await Promise.all([
        api.report('server', {}, signal),
        api.report('integrations', {}, signal),
        api.status(signal),
      ]);
      this.#results.replaceChildren(...this.#draw(server, integrations, status.config.original));
    } catch (error) {
      if (signal.aborted) return;
      this.#results.replaceChildren(errorBox(t('status.what'), expectApiError(error), () => void this.#load()));
    }
  }

  #draw(server: ServerInfo, integrations: readonly IntegrationHealth[], yaml: string): HTMLElement[] {
    const { clock, times } = this.#context;
    const copy = copyButton(clock, t('status.configuration.copy'), () => yaml, language);
    const title = t('status.yaml');
    return [
      h(
        'div',
        {},
        h(
          'div',
          { class: 'facts' },
          panel(t('status.server'), serverFacts(server, times)),
          panel(t('status.configuration'), configurationFacts(server, times)),
          panel(t('status.storage'), storageFacts(server)),
        ),
        h('h2', { class: 'status-head' }, t('status.notifications')),
        integrationTable(integrations, times),
      ),
      h(
        'div',
        {},
        h('div', { class: 'section-head' }, h('h2', {}, title), copy),
        h('pre', { class: 'config', tabindex: 0, role: 'region', 'aria-label': title }, yaml),
      ),
    ];
  }
}

function serverFacts(
  { version, alertmanager, node, startedAt, alerts, groups, silences }: ServerInfo,
  times: Times,
): Fact[] {
  const holds = [
    t('status.holds.alerts', { n: alerts }),
    t('status.holds.groups', { n: groups }),
    t('status.holds.silences', { n: silences }),
  ];
  return [
    [t('status.version'), t('status.version.text', { version, alertmanager })],
    ...(node === '' ? [] : [[t('status.node'), h('code', {}, node)] as const]),
    [t('status.started'), times.element(startedAt, 'relative')],
    [t('status.holds'), holds.join(', ')],
  ];
}

function configurationFacts({ configuration: { file, loadedAt, refusal } }: ServerInfo, times: Times): Fact[] {
  const reload =
    refusal === undefined
      ? h('span', { class: 'badge', 'data-state': 'active' }, t('status.reload.good'))
      : [
          h('span', { class: 'badge', 'data-state': 'failed' }, t('status.reload.refused')),
          h('p', { class: 'notification-error' }, refusal),
        ];
  return [
    [t('status.file'), file === null ? t('status.file.none') : h('code', {}, file)],
    [t('status.loaded'), times.element(loadedAt, 'relative')],
    [t('status.reload'), reload],
  ];
}

function storageFacts({ storage, nodes }: ServerInfo): Fact[] {
  if (storage.kind === 'directory') {
    return [
      [t('status.storage.kind'), t('status.storage.sqlite')],
      [t('status.storage.path'), h('code', {}, storage.path)],
      [t('status.storage.size'), sizeText(storage.bytes)],
      [t('status.nodes'), t('status.nodes.one')],
    ];
  }
  const { isUp, skewMs } = storage;
  const state = isUp ? t('status.storage.up') : t('status.storage.away');
  return [
    [t('status.storage.kind'), t('status.storage.postgres')],
    [t('status.storage.state'), h('span', { class: 'badge', 'data-state': isUp ? 'active' : 'failed' }, state)],
    [t('status.storage.skew'), Math.abs(skewMs) < 1000 ? `${skewMs} ms` : formatAge(Math.abs(skewMs))],
    [t('status.nodes'), h('ul', { class: 'status-nodes' }, nodes.map(nodeRow))],
  ];
}

function nodeRow({ name, address, isAlive, isOwn, hasSameConfiguration }: ServerInfo['nodes'][number]): HTMLElement {
  const state = isOwn ? t('status.node.own') : isAlive ? t('status.node.alive') : t('status.node.gone');
  return h(
    'li',
    {},
    h('code', {}, name),
    name !== address && h('span', { class: 'soft' }, address),
    h('span', { class: 'badge', 'data-state': isAlive ? 'active' : 'failed' }, state),
    isAlive &&
      !hasSameConfiguration &&
      h('span', { class: 'badge', 'data-state': 'pending' }, t('status.node.differs')),
  );
}

const COLUMNS = ['receiver', 'integration', 'sent', 'failed', 'last', 'state'] as const;

function integrationTable(integrations: readonly IntegrationHealth[], times: Times): HTMLElement {
  if (integrations.length === 0) return h('p', { class: 'soft' }, t('status.notifications.none'));
  const head = COLUMNS.map((column) => h('th', { scope: 'col' }, t(`status.notifications.${column}`)));
  const table = h(
    'table',
    { class: 'integrations' },
    h('thead', {}, h('tr', {}, head)),
    h(
      'tbody',
      {},
      integrations.map((one) => integrationRow(one, times)),
    ),
  );
  const title = t('status.notifications');
  return h('div', { class: 'integrations-box', role: 'region', tabindex: 0, 'aria-label': title }, table);
}

function integrationRow(one: IntegrationHealth, times: Times): HTMLElement {
  const { receiver, integration, index, sent, failed, lastSentAt, failing } = one;
  const number = new Intl.NumberFormat(language);
  const cell = (...children: Child[]) => h('td', {}, children);
  return h(
    'tr',
    {},
    cell(h('a', { href: historyHash({ receiver }) }, receiver)),
    cell(placeOf(integration, index)),
    cell(number.format(sent)),
    cell(failed === 0 ? '0' : h('a', { href: historyHash({ receiver, outcome: 'failed' }) }, number.format(failed))),
    cell(lastSentAt === undefined ? t('status.never') : times.element(lastSentAt, 'relative')),
    cell(
      failing
        ? h(
            'span',
            { class: 'badge', 'data-state': 'failed' },
            t('status.notifications.failing', { n: failing.groups }),
          )
        : h('span', { class: 'badge', 'data-state': 'active' }, t('status.notifications.good')),
      failing && h('p', { class: 'notification-error' }, plainError(failing.error)),
    ),
  );
}

function panel(title: string, facts: readonly Fact[]): HTMLElement {
  return h('section', { class: 'panel', 'aria-label': title }, h('h2', {}, title), factList(facts));
}

function sizeText(bytes: number): string {
  const [size, unit] = bytes < 1_000_000 ? [bytes / 1000, 'kB'] : [bytes / 1_000_000, 'MB'];
  return `${new Intl.NumberFormat(language, { maximumFractionDigits: 1 }).format(size)} ${unit}`;
}
