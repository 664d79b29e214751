import { formatDuration } from '../../kernel/duration.ts';
import type { Explanation, IntegrationDecision, RouteExplanation } from '../contract/explanation.ts';
import { formatInstant } from '../contract/instant.ts';
import { isResolvedAt } from '../domain/alert.ts';
import { fingerprintOf, type LabelSet, printLabelSet } from '../domain/label-set.ts';
import { printMatchers } from '../domain/matcher/matcher.ts';
import type { NotificationReason } from '../domain/notification.ts';
import { groupLabels, type Route } from '../domain/route.ts';
import type { ActivePlan } from '../pipeline/active-plan.ts';
import { fingerprintsOf } from '../pipeline/flushed-alert.ts';
import { notifiedAlert, pairsOf } from '../pipeline/notification/data.ts';
import type { Receiver } from '../pipeline/receiver.ts';
import type { AlertState } from '../state/alert-state.ts';
import type { AlertGroup } from '../store/group.ts';
import type { AlertSlot } from '../store/slot.ts';

export interface ExplanationParts {
  readonly state: AlertState;
  readonly plan: ActivePlan;
  readonly now: number;
}

/** Explains what happens to an alert with these labels and why, whether the server has it or not. */
export function explainAlert(labels: LabelSet, { state, plan, now }: ExplanationParts): Explanation {
  const fingerprint = fingerprintOf(labels);
  const slot = state.alerts.find(fingerprint);
  state.silencer.settle(now);
  const silencedBy = slot ? state.silencer.silencedBy(fingerprint) : state.silencer.matching(labels);
  const inhibition = state.inhibitor.explain(labels, now);
  return {
    labels: pairsOf(labels),
    fingerprint,
    alert: slot ? describeAlert(slot, now) : null,
    silencedBy,
    inhibitedBy: inhibition
      ? [
          {
            fingerprint: inhibition.source.alert.fingerprint,
            rule: inhibition.rule.name || String(inhibition.place),
            labels: pairsOf(inhibition.source.alert.labels),
          },
        ]
      : [],
    routes: state.groups.routesOf(labels).map((route) => explainRoute(route, labels, { state, plan, now })),
  };
}

function describeAlert({ alert }: AlertSlot, now: number): Explanation['alert'] {
  const { startsAt, endsAt, updatedAt } = alert;
  return {
    status: isResolvedAt(alert, now) ? 'resolved' : 'firing',
    startsAt: formatInstant(startsAt),
    endsAt: formatInstant(endsAt),
    updatedAt: formatInstant(updatedAt),
    annotations: notifiedAlert({ alert, isResolved: false }).annotations,
  };
}

function explainRoute(route: Route, labels: LabelSet, { state, plan, now }: ExplanationParts): RouteExplanation {
  const grouping = groupLabels(route, labels);
  const group = state.groups.find(route, labels);
  const { intervals, receivers } = plan.current;
  const active = route.activeTimeIntervals;
  const isInactive = active.length > 0 && intervals.thatContain(active, now).length === 0;
  const mutedBy = [...(isInactive ? active : []), ...intervals.thatContain(route.muteTimeIntervals, now)];
  const receiver = receivers.get(route.receiver);
  const decide = mutedBy.length > 0 ? decideMuted : decideGroup;
  return {
    routeId: route.id,
    receiver: route.receiver,
    path: route.path.map(({ matchers }) => printMatchers(matchers)),
    groupKey: `${route.key}:${printLabelSet(grouping)}`,
    groupLabels: pairsOf(grouping),
    groupWait: formatDuration(route.groupWaitMs),
    groupInterval: formatDuration(route.groupIntervalMs),
    repeatInterval: formatDuration(route.repeatIntervalMs),
    group: group ? { alerts: group.size, nextFlush: formatInstant(group.nextFlushAt) } : null,
    mutedBy,
    verdict: receiver && group ? decide(receiver, group, state, now) : [],
  };
}

function decideMuted(receiver: Receiver): readonly IntegrationDecision[] {
  return receiver.integrations.map(({ name, index }) => ({
    integration: name,
    index,
    wouldSend: false,
    reason: '',
    words: 'a time interval keeps the route quiet',
  }));
}

/** What each integration would do if the group were flushed now, without regard to time intervals. */
export function decideGroup(
  receiver: Receiver,
  group: AlertGroup,
  state: AlertState,
  now: number,
): readonly IntegrationDecision[] {
  const unsuppressed = group
    .sorted()
    .filter(
      (slot) =>
        state.silencer.silencedBy(slot.alert.fingerprint).length === 0 &&
        state.inhibitor.inhibitedBy(slot, now).length === 0,
    );
  const flushed = fingerprintsOf(
    unsuppressed.map((slot) => ({ slot, alert: slot.alert, isResolved: isResolvedAt(slot.alert, now) })),
  );
  return receiver.integrations.map((integration) => {
    const reason = unsuppressed.length > 0 ? receiver.dedup.reasonFor(integration, group, flushed, now) : undefined;
    const isUnwanted = reason !== undefined && !integration.sendResolved && flushed.firing.length === 0;
    return {
      integration: integration.name,
      index: integration.index,
      wouldSend: reason !== undefined && !isUnwanted,
      reason: reason ?? '',
      words: isUnwanted
        ? 'send_resolved is off, and every alert of the group is resolved'
        : wordsFor(reason, unsuppressed.length),
    };
  });
}

const WORDS: Readonly<Record<NotificationReason, string>> = {
  'first notification': 'the group was not notified yet, or every alert of its last notification had resolved',
  'new alerts added': 'an alert fires that was not in the last notification',
  'all alerts resolved': 'all alerts of the last notification have resolved',
  'some alerts resolved': 'an alert has resolved since the last notification',
  'repeat interval elapsed': 'nothing is new, but the last notification is older than the repeat interval',
};

function wordsFor(reason: NotificationReason | undefined, unsuppressed: number): string {
  if (reason) return WORDS[reason];
  return unsuppressed === 0
    ? 'every alert of the group is silenced or inhibited'
    : 'the last notification said the same, and the repeat interval has not passed';
}
