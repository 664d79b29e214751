import type { RouteNode, Routing } from '../../../src/alerts/contract/routing.ts';
import { type Child, h } from '../../shared/dom.ts';
import { placeOf } from '../history/list.ts';
import { t } from '../text.ts';

/** The tree as nested lists, whose connectors the style draws; `taken` are the ids of marked routes. */
export function routeTree(root: RouteNode, taken: ReadonlySet<string>): HTMLElement {
  return h('ul', { class: 'route-tree' }, routeItem(root, taken));
}

function routeItem(node: RouteNode, taken: ReadonlySet<string>): HTMLElement {
  const isTaken = taken.has(node.id);
  return h(
    'li',
    {},
    h(
      'div',
      { class: 'route-node', 'data-taken': isTaken, 'data-passed': !isTaken && leadsTo(node, taken) },
      h(
        'p',
        { class: 'route-head' },
        node.matchers.length === 0
          ? h('span', { class: 'soft' }, t('routing.every'))
          : node.matchers.map((matcher) => h('code', { class: 'label matcher' }, matcher)),
        h('span', { class: 'route-arrow', 'aria-hidden': 'true' }, '→'),
        h('strong', {}, node.receiver),
        isTaken && h('span', { class: 'badge', 'data-state': 'taken' }, t('routing.taken')),
      ),
      h('p', { class: 'soft' }, settingsOf(node).join(' · ')),
    ),
    node.routes.length > 0 &&
      h(
        'ul',
        {},
        node.routes.map((child) => routeItem(child, taken)),
      ),
  );
}

function leadsTo({ routes }: RouteNode, taken: ReadonlySet<string>): boolean {
  return routes.some((route) => taken.has(route.id) || leadsTo(route, taken));
}

function settingsOf(node: RouteNode): readonly string[] {
  const { groupWait: wait, groupInterval: interval, repeatInterval: repeat } = node;
  return [
    groupingOf(node.groupBy),
    t('routing.times', { wait, interval, repeat }),
    node.muteTimeIntervals.length > 0 ? `${t('routing.muted')} ${node.muteTimeIntervals.join(', ')}` : '',
    node.activeTimeIntervals.length > 0 ? `${t('routing.active')} ${node.activeTimeIntervals.join(', ')}` : '',
    node.continue ? t('routing.continue') : '',
  ].filter(Boolean);
}

function groupingOf(groupBy: readonly string[]): string {
  if (groupBy.length === 0) return t('routing.group-by.none');
  return groupBy[0] === '...' ? t('routing.group-by.all') : `${t('routing.group-by')} ${groupBy.join(', ')}`;
}

/** The receivers with their integrations. */
export function receiverList({ receivers }: Routing): HTMLElement {
  const rows = receivers.flatMap(({ name, integrations }) => [
    h('dt', { id: `receiver-${name}` }, name),
    h('dd', {}, integrationsOf(integrations)),
  ]);
  return h('dl', { class: 'panel receivers' }, rows);
}

function integrationsOf(integrations: Routing['receivers'][number]['integrations']): Child[] {
  if (integrations.length === 0) return [h('span', { class: 'soft' }, t('routing.no-integrations'))];
  return integrations.map(({ integration, index, sendResolved }) =>
    h('span', { class: 'badge' }, placeOf(integration, index), !sendResolved && ` · ${t('routing.unresolved')}`),
  );
}
