import type { Timeline } from '../../../src/alerts/contract/timeline.ts';
import type { SentNotification } from '../../../src/alerts/contract/wire.ts';

export interface TimelineEvent {
  readonly at: string;
  readonly kind: 'fired' | 'resolved' | 'silenced' | 'unsilenced' | 'notified' | 'failed';
  readonly silence?: Timeline['silences'][number];
  readonly notification?: SentNotification;
}

/** A mark on a track: from and to are parts of the day, 0 to 1. */
export interface TimelineSpan {
  readonly kind: 'fired' | 'silenced' | 'notified' | 'failed';
  readonly from: number;
  readonly to: number;
}

/** What happened within the day, newest first. */
export function eventsOf({ firings, silences, notifications, from, to }: Timeline): readonly TimelineEvent[] {
  const events: TimelineEvent[] = [
    ...firings.flatMap(({ startsAt, endsAt }): TimelineEvent[] => [
      { at: startsAt, kind: 'fired' },
      ...(endsAt === undefined ? [] : [{ at: endsAt, kind: 'resolved' as const }]),
    ]),
    ...silences.flatMap((silence): TimelineEvent[] => [
      { at: silence.startsAt, kind: 'silenced', silence },
      { at: silence.endsAt, kind: 'unsilenced', silence },
    ]),
    ...notifications.map(
      (notification): TimelineEvent => ({
        at: notification.at,
        kind: notification.result === 'sent' ? 'notified' : 'failed',
        notification,
      }),
    ),
  ];
  const [first, last] = [Date.parse(from), Date.parse(to)];
  return events
    .filter(({ at }) => Date.parse(at) >= first && Date.parse(at) <= last)
    .sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
}

/** The marks of all tracks, cut at the ends of the day. */
export function spansOf({ firings, silences, notifications, from, to }: Timeline): readonly TimelineSpan[] {
  const [first, last] = [Date.parse(from), Date.parse(to)];
  const place = (at: string) => Math.min(1, Math.max(0, (Date.parse(at) - first) / (last - first)));
  return [
    ...firings.map(({ startsAt, endsAt }) => ({
      kind: 'fired' as const,
      from: place(startsAt),
      to: place(endsAt ?? to),
    })),
    ...silences.map(({ startsAt, endsAt }) => ({
      kind: 'silenced' as const,
      from: place(startsAt),
      to: place(endsAt),
    })),
    ...notifications.map(({ at, result }) => ({
      kind: result === 'sent' ? ('notified' as const) : ('failed' as const),
      from: place(at),
      to: place(at),
    })),
  ];
}
