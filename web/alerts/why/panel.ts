import type { Explanation, IntegrationDecision, RouteExplanation } from '../../../src/alerts/contract/explanation.ts';
import type { Timeline } from '../../../src/alerts/contract/timeline.ts';
import type { Alert, SentNotification } from '../../../src/alerts/contract/wire.ts';
import { type Child, h } from '../../shared/dom.ts';
import { factList } from '../alert/fact-list.ts';
import { labelList } from '../alert/label-chip.ts';
import { labelParameters } from '../api.ts';
import { placeOf, plainError, reasonText } from '../history/list.ts';
import type { PageContext } from '../page.ts';
import { formatMatchers, matchersOfLabels } from '../parts/matcher-text.ts';
import { everyAlertHash, formatHash } from '../route.ts';
import { errorBox, expectApiError, loadingBox } from '../states.ts';
import { type TextKey, t } from '../text.ts';
import { timelineView } from './timeline.ts';

type Reading = Pick<PageContext, 'api' | 'times'>;

/** Shown notifications of a route. */
const MAX_SENT = 3;

/**
 * Why an alert notifies, or does not: what mutes it, its routes with their next check and last notifications, and its last
 * day. Loads itself when it is made; a new panel shows newer data.
 */
export function whyPanel(alert: Pick<Alert, 'labels'>, { api, times }: Reading): HTMLElement {
  const panel = h('section', { class: 'why', 'aria-label': t('why.title') }, loadingBox(t('why.loading')));
  const load = async () => {
    const parameters = labelParameters(alert.labels);
    try {
      const [explanation, timeline] = await Promise.all([
        api.report('explain', parameters),
        api.report('timeline', parameters),
      ]);
      panel.replaceChildren(...sections(explanation, timeline, times));
    } catch (error) {
      panel.replaceChildren(errorBox(t('why.loading'), expectApiError(error), () => void load()));
    }
  };
  void load();
  return panel;
}

function sections(explanation: Explanation, timeline: Timeline, times: Reading['times']): HTMLElement[] {
  const routes = explanation.routes.map((route) => routeView(route, timeline.notifications, times));
  return [
    h('div', {}, h('h4', {}, t('timeline.title')), timelineView(timeline, times)),
    h('div', {}, h('h4', {}, t('why.muted')), mutes(explanation, timeline, times)),
    h('div', {}, h('h4', {}, t('why.routes')), h('div', { class: 'why-routes' }, routes)),
  ];
}

function mutes(
  { silencedBy, inhibitedBy, routes }: Explanation,
  timeline: Timeline,
  times: Reading['times'],
): HTMLElement {
  const items: Child[][] = [
    ...silencedBy.map((id) => silenceParts(id, timeline, times)),
    ...inhibitedBy.map(({ rule, labels }) => [
      `${t('why.inhibited')}: `,
      h('a', { href: everyAlertHash(formatMatchers(matchersOfLabels(labels))) }, nameOf(labels)),
      ' ',
      h('span', { class: 'soft' }, t('why.inhibited.by', { rule })),
    ]),
    ...routes
      .filter(({ mutedBy }) => mutedBy.length > 0)
      .map(({ mutedBy, receiver }) => [
        `${t('why.interval')}: ${mutedBy.join(', ')} `,
        h('span', { class: 'soft' }, t('why.interval.for', { receiver })),
      ]),
  ];
  if (items.length === 0) return h('p', { class: 'soft' }, t('why.muted.nothing'));
  return h(
    'ul',
    { class: 'why-mutes' },
    items.map((parts) => h('li', {}, parts)),
  );
}

function silenceParts(id: string, { silences }: Timeline, times: Reading['times']): Child[] {
  const silence = silences.find((one) => one.id === id);
  const link = h('a', { href: formatHash({ page: 'silence', id }) }, silence?.comment || id);
  if (!silence) return [`${t('why.silenced')}: `, link];
  const { createdBy, endsAt } = silence;
  const by = h(
    'span',
    { class: 'soft' },
    t('why.silenced.by', { name: createdBy }),
    ' ',
    times.element(endsAt, 'instant'),
  );
  return [`${t('why.silenced')}: `, link, ' ', by];
}

/** The alert's name and what distinguishes it from others. */
function nameOf(labels: Alert['labels']): string {
  const rest = Object.entries(labels).filter(([name]) => name !== 'alertname');
  const details = rest.map(([name, value]) => `${name}=${value}`).join(', ');
  return [labels.alertname, details].filter(Boolean).join(' · ');
}

function routeView(
  route: RouteExplanation,
  notifications: readonly SentNotification[],
  times: Reading['times'],
): HTMLElement {
  const { receiver, path, groupKey, groupLabels, group, verdict } = route;
  const last = notifications.filter((one) => one.receiver === receiver && one.groupKey === groupKey).slice(0, MAX_SENT);
  const { groupWait: wait, groupInterval: interval, repeatInterval: repeat } = route;
  const via = path.filter((matchers) => matchers !== '{}').join(' → ');
  return h(
    'div',
    { class: 'why-route' },
    h('h5', {}, receiver),
    h('ul', { class: 'why-verdict' }, verdict.map(decisionRow)),
    factList([
      ...(via === '' ? [] : [[t('why.route.via'), h('code', {}, via)] as const]),
      [
        t('why.route.group'),
        [
          labelList(groupLabels, {}, t('why.route.group')) ?? t('why.route.one-group'),
          group !== null && h('span', { class: 'soft' }, ` ${t('why.route.alerts', { n: group.alerts })}`),
        ],
      ],
      [t('why.route.next'), group ? times.element(group.nextFlush, 'relative') : t('why.route.no-group')],
      [t('why.route.times'), t('why.route.times.text', { wait, interval, repeat })],
      [
        t('why.sent'),
        last.length === 0
          ? t('why.sent.none')
          : h(
              'ul',
              { class: 'why-sent' },
              last.map((one) => sentRow(one, times)),
            ),
      ],
    ]),
  );
}

const WAITING: Readonly<Record<string, TextKey>> = {
  'a time interval keeps the route quiet': 'why.reason.muted',
  'send_resolved is off, and every alert of the group is resolved': 'why.reason.resolved',
  'every alert of the group is silenced or inhibited': 'why.reason.suppressed',
  'the last notification said the same, and the repeat interval has not passed': 'why.reason.same',
};

function decisionRow({ integration, index, wouldSend, reason, words }: IntegrationDecision): HTMLElement {
  const waiting = WAITING[words];
  const why = wouldSend ? reasonText(reason) : waiting ? t(waiting) : words;
  return h(
    'li',
    {},
    h('span', {}, placeOf(integration, index)),
    h(
      'span',
      { class: 'badge', 'data-state': wouldSend ? 'pending' : 'idle' },
      t(wouldSend ? 'why.sends' : 'why.waits'),
    ),
    h('span', { class: 'soft' }, why),
  );
}

function sentRow(
  { at, integration, index, result, reason, error }: SentNotification,
  times: Reading['times'],
): HTMLElement {
  return h(
    'li',
    {},
    times.element(at, 'relative'),
    h('span', {}, placeOf(integration, index)),
    h('span', { class: 'badge', 'data-state': result }, t(`history.${result}`)),
    h('span', { class: 'soft' }, reasonText(reason)),
    error !== undefined && h('p', { class: 'notification-error' }, plainError(error)),
  );
}
