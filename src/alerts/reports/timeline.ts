import { formatInstant } from '../contract/instant.ts';
import type { Timeline } from '../contract/timeline.ts';
import { fingerprintOf, type LabelSet, printLabelSet } from '../domain/label-set.ts';
import { matchesAll } from '../domain/matcher/index.ts';
import { groupLabels } from '../domain/route.ts';
import { pairsOf } from '../pipeline/notification/data.ts';
import type { StoredNotification } from '../pipeline/notification/history.ts';
import type { AlertState } from '../state/alert-state.ts';
import { type Firing, TIMELINE_MS } from '../state/past-firings.ts';

/** Flapping: this number of starts within this time. */
const FLAPPING_STARTS = 3;
const FLAPPING_MS = 3_600_000;
/** For each group of the alert. */
const MAX_NOTIFICATIONS = 100;

/** A timeline whose notifications are still to be printed. */
export type TimelineReport = Omit<Timeline, 'notifications'> & {
  readonly notifications: readonly StoredNotification[];
};

/** The last day of the alert with these labels, whether the server has it or not. */
export async function reportTimeline(labels: LabelSet, state: AlertState, now: number): Promise<TimelineReport> {
  const fingerprint = fingerprintOf(labels);
  const from = now - TIMELINE_MS;
  const firings = firingsOf(fingerprint, state).filter(({ endsAt }) => endsAt > from);
  return {
    fingerprint,
    labels: pairsOf(labels),
    from: formatInstant(from),
    to: formatInstant(now),
    firings: firings.map(({ startsAt, endsAt }) => ({
      startsAt: formatInstant(startsAt),
      ...(endsAt <= now && { endsAt: formatInstant(endsAt) }),
    })),
    isFlapping: firings.filter(({ startsAt }) => startsAt > now - FLAPPING_MS).length >= FLAPPING_STARTS,
    silences: silencesOf(labels, state, from, now),
    notifications: await notificationsOf(labels, state, from),
  };
}

/** Oldest first; one without an end has one in the future. */
function firingsOf(fingerprint: string, { alerts, pastFirings }: AlertState): readonly Firing[] {
  const current = alerts.get(fingerprint);
  return [...pastFirings.of(fingerprint), ...(current ? [current] : [])];
}

function silencesOf(labels: LabelSet, { silences }: AlertState, from: number, now: number): Timeline['silences'] {
  return [...silences.all()]
    .filter(({ startsAt, endsAt }) => startsAt <= now && endsAt > from && endsAt > startsAt)
    .filter(({ matchers }) => matchesAll(matchers, labels))
    .sort((a, b) => a.startsAt - b.startsAt)
    .map(({ id, startsAt, endsAt, createdBy, comment }) => ({
      ...{ id, createdBy, comment },
      ...{ startsAt: formatInstant(startsAt), endsAt: formatInstant(endsAt) },
    }));
}

async function notificationsOf(
  labels: LabelSet,
  { groups, storage }: AlertState,
  since: number,
): Promise<readonly StoredNotification[]> {
  const lists = await Promise.all(
    groups.routesOf(labels).map((route) => {
      const groupKey = `${route.key}:${printLabelSet(groupLabels(route, labels))}`;
      return storage.notifications.list({ receiver: route.receiver, groupKey, since, limit: MAX_NOTIFICATIONS });
    }),
  );
  // Sibling routes may share receiver and key.
  const found = new Map(lists.flat().map((record) => [record.id, record]));
  return [...found.values()].sort((a, b) => b.at - a.at || b.id - a.id);
}
