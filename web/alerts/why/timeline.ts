import type { Timeline } from '../../../src/alerts/contract/timeline.ts';
import { type Child, h } from '../../shared/dom.ts';
import { placeOf, plainError, reasonText } from '../history/list.ts';
import type { Times } from '../parts/times.ts';
import { formatHash } from '../route.ts';
import { t } from '../text.ts';
import { eventsOf, spansOf, type TimelineEvent } from './events.ts';

const HOURS = [24, 18, 12, 6, 0] as const;
/** Listed events; the tracks show all. */
const MAX_EVENTS = 60;

/** The last day of an alert: a track of firings, silences and notifications each, and the same as a list. */
export function timelineView(timeline: Timeline, times: Times): HTMLElement {
  const { firings, silences, notifications, isFlapping } = timeline;
  const events = eventsOf(timeline);
  if (events.length === 0) return h('p', { class: 'soft' }, t('timeline.none'));
  const failed = notifications.filter(({ result }) => result === 'failed').length;
  const summary = t('timeline.summary', {
    ...{ fired: firings.length, silenced: silences.length },
    ...{ notified: notifications.length - failed, failed },
  });
  const track = (title: string, kinds: readonly TimelineEvent['kind'][]): Child[] => {
    const spans = spansOf(timeline).filter(({ kind }) => kinds.includes(kind));
    const marks = spans.map(({ kind, from, to }) =>
      h('span', { 'data-kind': kind, style: `left: ${percent(from)}; width: ${percent(to - from)}` }),
    );
    return [h('span', { class: 'timeline-name' }, title), h('span', { class: 'timeline-track' }, marks)];
  };
  return h(
    'div',
    {},
    isFlapping &&
      h(
        'p',
        {},
        h('span', { class: 'badge', 'data-state': 'flapping' }, t('timeline.flapping')),
        ' ',
        t('timeline.flapping.why'),
      ),
    h(
      'div',
      { class: 'timeline', role: 'img', 'aria-label': summary },
      track(t('timeline.fired'), ['fired']),
      silences.length > 0 && track(t('timeline.silenced'), ['silenced']),
      track(t('timeline.notified'), ['notified', 'failed']),
      h('span', {}),
      h(
        'span',
        { class: 'timeline-hours' },
        HOURS.map((hour) => h('span', {}, hour === 0 ? t('time.now') : `−${hour}h`)),
      ),
    ),
    h(
      'details',
      { class: 'timeline-events' },
      h('summary', {}, `${t('timeline.events')} (${events.length})`),
      h(
        'ol',
        {},
        events.slice(0, MAX_EVENTS).map((event) => eventRow(event, times)),
      ),
    ),
  );
}

function eventRow(event: TimelineEvent, times: Times): HTMLElement {
  return h(
    'li',
    {},
    times.element(event.at, 'instant'),
    h('span', {}, t(`timeline.${event.kind}`), ...detailsOf(event)),
  );
}

function detailsOf({ silence, notification }: TimelineEvent): Child[] {
  if (silence) {
    const href = formatHash({ page: 'silence', id: silence.id });
    return [
      ': ',
      h('a', { href }, silence.comment || silence.id),
      h('span', { class: 'soft' }, ` ${silence.createdBy}`),
    ];
  }
  if (!notification) return [];
  const { receiver, integration, index, reason, error } = notification;
  return [
    `: ${receiver} (${placeOf(integration, index)}), ${reasonText(reason)}`,
    error !== undefined && `: ${plainError(error)}`,
  ];
}

function percent(part: number): string {
  return `${Math.round(part * 10_000) / 100}%`;
}
