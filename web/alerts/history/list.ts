import type { LabelSet, SentNotification } from '../../../src/alerts/contract/wire.ts';
import { type Child, h } from '../../shared/dom.ts';
import { labelList } from '../alert/label-chip.ts';
import type { PageContext } from '../page.ts';
import { formatMatchers, matchersOfLabels } from '../parts/matcher-text.ts';
import { serverWords } from '../parts/server-words.ts';
import { historyHash } from '../route.ts';
import { type TextKey, t } from '../text.ts';

const REASONS: Readonly<Record<string, TextKey>> = {
  'first notification': 'history.reason.first',
  'new alerts added': 'history.reason.new',
  'all alerts resolved': 'history.reason.all-resolved',
  'some alerts resolved': 'history.reason.some-resolved',
  'repeat interval elapsed': 'history.reason.repeat',
};

const COLUMNS = ['at', 'receiver', 'group', 'reason', 'outcome'] as const;

/** Notifications in the given order; narrow pages show each as a card. */
export function notificationTable(
  notifications: readonly SentNotification[],
  { times }: Pick<PageContext, 'times'>,
  caption: string,
): HTMLElement {
  const head = COLUMNS.map((column) => h('th', { role: 'columnheader', scope: 'col' }, t(`history.column.${column}`)));
  const rows = notifications.map((notification) => notificationRow(notification, times));
  return h(
    'table',
    { class: 'notifications', role: 'table', 'aria-label': caption },
    h('thead', { role: 'rowgroup' }, h('tr', { role: 'row' }, head)),
    h('tbody', { role: 'rowgroup' }, rows),
  );
}

function notificationRow(notification: SentNotification, times: PageContext['times']): HTMLElement {
  const { id, at, receiver, integration, index, result, groupLabels, reason, firing, resolved } = notification;
  const cell = (name: string, ...children: (Child | readonly Child[])[]) =>
    h('td', { role: 'cell', class: `notification-${name}` }, ...children);
  return h(
    'tr',
    { role: 'row', 'data-result': result, 'data-id': id },
    cell('at', times.element(at, 'instant'), ' ', h('span', { class: 'soft' }, times.element(at, 'relative'))),
    cell('receiver', receiver, ' ', h('span', { class: 'soft' }, placeOf(integration, index))),
    cell('group', groupLink(groupLabels)),
    cell('reason', reasonText(reason), ' ', h('span', { class: 'soft' }, counts(firing, resolved))),
    cell('outcome', outcomeOf(notification)),
  );
}

/** Without the number of attempts, which is shown beside it. */
export function plainError(error: string): string {
  return serverWords(error.replace(/^notify retry canceled (?:due to unrecoverable error )?after \d+ attempts: /, ''));
}

/** `webhook`, and `webhook 2` for the second of its kind. */
export function placeOf(integration: string, index: number): string {
  return index === 0 ? integration : `${integration} ${index + 1}`;
}

export function reasonText(reason: string): string {
  const key = REASONS[reason];
  return key ? t(key) : reason;
}

function counts(firing: number, resolved: number): string {
  const parts = [
    firing > 0 ? t('history.firing', { n: firing }) : '',
    resolved > 0 ? t('history.resolved', { n: resolved }) : '',
  ];
  return parts.filter(Boolean).join(', ');
}

function groupLink(labels: LabelSet): HTMLElement {
  const list = labelList(labels, {}, t('history.column.group'));
  if (!list) return h('span', { class: 'soft' }, t('history.ungrouped'));
  const filter = formatMatchers(matchersOfLabels(labels));
  return h('a', { class: 'plain', href: historyHash({ filter }), title: t('history.narrow') }, list);
}

function outcomeOf({ result, attempts, error, templateError, node }: SentNotification): Child[] {
  const details = [
    attempts > 1 ? t('history.attempts', { n: attempts }) : '',
    node === undefined ? '' : t('history.node', { node }),
  ].filter(Boolean);
  return [
    h('span', { class: 'badge', 'data-state': result }, t(`history.${result}`)),
    details.length > 0 && h('span', { class: 'soft' }, ` ${details.join(', ')}`),
    error !== undefined && h('p', { class: 'notification-error' }, plainError(error)),
    templateError !== undefined &&
      h('p', { class: 'notification-error' }, t('history.template', { error: templateError })),
  ];
}
