import type { EnvironmentActivity } from '../../src/relay/contract/page.ts';
import type { Child } from '../shared/dom.ts';
import { h } from '../shared/dom.ts';
import type { PageContext, Section, Shown } from './page.ts';
import type { Ui } from './ui.ts';

/** Source, data, streams, SDKs, events and problems of an environment. */
export class StatusSection implements Section {
  readonly element: HTMLElement;
  readonly #context: PageContext;
  readonly #place = h('div', { class: 'cards' });
  #drawn = '';

  constructor(context: PageContext) {
    this.#context = context;
    this.element = h(
      'div',
      { class: 'page' },
      h('div', { class: 'page-head' }, h('h1', { tabindex: -1 }, context.ui.t('status'))),
      this.#place,
    );
  }

  update({ environment }: Shown): void {
    const signature = JSON.stringify({ ...environment, changes: [] });
    if (signature === this.#drawn) return;
    this.#drawn = signature;
    const { ui } = this.#context;
    this.#place.replaceChildren(
      card(ui.t('source'), sourceFacts(ui, environment)),
      card(ui.t('events.title'), eventFacts(ui, environment)),
      card(ui.t('unknown'), unknownFlags(ui, environment)),
      card(ui.t('sdks'), sdkTable(ui, environment), 'wide'),
      card(ui.t('problems'), problemList(ui, environment), 'wide'),
    );
  }
}

function card(title: string, content: Child | readonly Child[], className = ''): HTMLElement {
  return h('section', { class: `card ${className}`, 'aria-label': title }, h('h2', {}, title), content);
}

type Fact = readonly [name: string, ...value: readonly Child[]];

function factList(facts: readonly Fact[]): HTMLElement {
  return h(
    'dl',
    { class: 'fact-list' },
    facts.flatMap(([name, ...value]) => [h('dt', {}, name), h('dd', {}, value)]),
  );
}

function sourceFacts(ui: Ui, environment: EnvironmentActivity): HTMLElement {
  const { t } = ui;
  const { source, place, status, changedAt, flags, segments } = environment;
  const { state, stateSince, lastError } = status.connectionStatus;
  const { sdkKey, mobileKey, envId } = status;
  const facts: Fact[] = [
    [t('source.source'), t(`source.${source}`, { place })],
    [
      t('connection'),
      stateMark(t(`connection.${state}`), state),
      ' ',
      h('span', { class: 'soft' }, '(', ui.time(stateSince), ')'),
    ],
    [t('data-age'), ui.time(changedAt)],
    [t('data-size'), `${t('flags.count', { n: flags })}, ${t('segments.count', { n: segments })}`],
    ...(lastError ? [[t('last-error'), errorText(lastError), ' (', ui.time(lastError.time), ')'] as const] : []),
    ...storeFacts(ui, environment),
    ...keyFacts([
      [t('sdk-key'), sdkKey],
      [t('mobile-key'), mobileKey],
      [t('client-id'), envId],
    ]),
  ];
  return factList(facts);
}

/** `sdk-…22e83` of a masked key. */
const shortKey = (key: string): string => key.replace(/[*-]*\*[*-]*/, '…').replace(/^(\w{3})…/, '$1-…');

const keyFacts = (keys: readonly (readonly [string, string | undefined])[]): readonly Fact[] =>
  keys.flatMap(([name, key]) => (key === undefined ? [] : [[name, h('code', {}, shortKey(key))] as const]));

function stateMark(text: string, state: string): HTMLElement {
  return h('span', { class: 'mark', 'data-state': state }, text);
}

function errorText({
  kind,
  statusCode,
}: {
  readonly kind: string;
  readonly statusCode?: number | undefined;
}): HTMLElement {
  return h('code', {}, statusCode === undefined ? kind : `${kind} ${statusCode}`);
}

function storeFacts(ui: Ui, { status: { dataStoreStatus, bigSegmentStatus } }: EnvironmentActivity): readonly Fact[] {
  const { t } = ui;
  const { state, database, dbServer, dbTable, dbPrefix } = dataStoreStatus;
  const place = [database, dbServer, dbTable, dbPrefix].filter(Boolean).join(' ');
  const facts: Fact[] = [
    database === undefined
      ? [t('store'), t('store.memory')]
      : [t('store'), stateMark(t(`store.${state}`), state), ` ${place}`],
  ];
  if (bigSegmentStatus) {
    const { available, potentiallyStale, lastSynchronizedOn } = bigSegmentStatus;
    const word = available === false ? 'gone' : potentiallyStale ? 'stale' : 'ok';
    const mark = stateMark(t(`big-segments.${word}`), word === 'ok' ? 'VALID' : 'INTERRUPTED');
    const time = lastSynchronizedOn > 0 && ` ${t('big-segments.at', { time: ui.ago(lastSynchronizedOn) })}`;
    facts.push([t('big-segments'), mark, time]);
  }
  return facts;
}

function eventFacts(ui: Ui, { events, evaluations }: EnvironmentActivity): HTMLElement {
  const { t } = ui;
  const counts = ['received', 'sent', 'failed', 'dropped', 'pending'] as const;
  return factList([
    [t('events.mode'), t(`events.${events.mode}`)],
    ...(events.mode === 'forward' ? counts.map((name): Fact => [t(`events.${name}`), ui.number(events[name])]) : []),
    [t('events.evaluations'), ui.number(evaluations)],
  ]);
}

function sdkTable(ui: Ui, { sdks, streams, dropped, since }: EnvironmentActivity): Child[] {
  const { t } = ui;
  const kinds = Object.entries(streams).map(([kind, clients]) => `${kind} ${ui.number(clients)}`);
  const sorted = sdks.toSorted((a, b) => b.streams - a.streams || b.requests - a.requests);
  const heads = ['sdks.name', 'sdks.kind', 'sdks.streams', 'sdks.requests', 'sdks.last'] as const;
  return [
    h(
      'p',
      {},
      `${t('streams')}: ${kinds.join(', ') || t('streams.none')}`,
      dropped > 0 && h('span', { class: 'soft' }, ` · ${t('streams.dropped', { n: dropped })}`),
    ),
    sorted.length === 0
      ? h('p', { class: 'soft' }, t('sdks.none', { time: ui.ago(since) }))
      : h(
          'div',
          { class: 'table-box', tabindex: 0, role: 'group', 'aria-label': t('sdks') },
          h(
            'table',
            {},
            h(
              'thead',
              {},
              h(
                'tr',
                {},
                heads.map((key) => h('th', { scope: 'col' }, t(key))),
              ),
            ),
            h(
              'tbody',
              {},
              sorted.map(({ name, sdkKind, streams, requests, requestedAt }) =>
                h(
                  'tr',
                  {},
                  h('td', {}, name || '–'),
                  h('td', {}, t(`kind.${sdkKind}`)),
                  h('td', { class: 'number' }, ui.number(streams)),
                  h('td', { class: 'number' }, ui.number(requests)),
                  h('td', {}, ui.time(requestedAt)),
                ),
              ),
            ),
          ),
        ),
  ];
}

function problemList(ui: Ui, { problems, since }: EnvironmentActivity): HTMLElement {
  const { t } = ui;
  if (problems.length === 0) return h('p', { class: 'soft' }, t('problems.none', { time: ui.ago(since) }));
  return h(
    'ul',
    { class: 'problems' },
    problems.map(({ at, level, text }) =>
      h(
        'li',
        { 'data-level': level },
        h('span', { class: 'cell' }, ui.time(at)),
        h('b', {}, t(`problem.${level}`)),
        h('span', {}, ui.words(text)),
      ),
    ),
  );
}

function unknownFlags(ui: Ui, { unknownFlags: flags }: EnvironmentActivity): HTMLElement {
  if (flags.length === 0) return h('p', { class: 'soft' }, ui.t('unknown.none'));
  return h(
    'ul',
    { class: 'unknown-flags' },
    flags.map(({ key, count, requestedAt }) =>
      h(
        'li',
        {},
        h('code', {}, key),
        h('span', { class: 'number' }, ui.number(count)),
        h('span', { class: 'cell' }, ui.time(requestedAt)),
      ),
    ),
  );
}
