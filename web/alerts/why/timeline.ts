import type { Timeline } from '../../../src/alerts/contract/timeline.ts';
import { type Child, h } from '../../shared/dom.ts';
import { placeOf, plainError, reasonText } from '../history/list.ts';
import type { Times } from '../parts/times.ts';
import { formatHash } from '../route.ts';
import { t } from '../text.ts';
import { eventsOf, spansOf, type TimelineEvent, type TimelineSpan } from './events.ts';

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
    const marks = spans.map(markOf);
    return [h('span', { class: 'timeline-name' }, title), h('span', { class: 'timeline-track' }, marks)];
  };
  return h(
    'div',
    {},
    isFlapping &&
      h(
        'p',
        { class: 'timeline-flapping' },
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

/** Placed by script: the page's policy forbids styles in attributes. */
function markOf({ kind, from, to }: TimelineSpan): HTMLElement {
  const mark = h('span', { 'data-kind': kind });
  // As wide as its minimum in the style, and whole at the right end too.
  mark.style.left = `min(${percent(from)}, calc(100% - 3px))`;
  mark.style.width = percent(to - from);
  return mark;
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
