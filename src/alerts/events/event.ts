import { hash } from 'node:crypto';
import type { Alert } from '../domain/alert.ts';
import type { InhibitionRule } from '../domain/inhibition.ts';
import { type LabelSet, labelValue } from '../domain/label-set.ts';
import { type Matcher, type MatchOperator, printMatcher } from '../domain/matcher/matcher.ts';
import type { NotificationReason } from '../domain/notification.ts';
import type { Silence } from '../domain/silence.ts';
import type { AlertGroup } from '../store/group.ts';
import { alertHash } from './alert-hash.ts';

// Events in the JSON form of Alertmanager's protobuf messages: empty fields are left out, and 64-bit numbers are texts.
// Source: Alertmanager eventrecorder/eventrecorderpb.

type Json = string | number | boolean | undefined | readonly Json[] | { readonly [name: string]: Json };

/** One field, which names the kind of the event. */
export type EventData = Readonly<Record<string, Json>>;

export interface EventOrigin {
  /** The host's name. */
  readonly instance: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

export function printEvent(data: EventData, { instance, at }: EventOrigin): string {
  return JSON.stringify({ '@timestamp': instantOf(at), instance, data });
}

/** `alertCreated` is `alert_created` in metrics. */
export function typeOf(data: EventData): string {
  return (Object.keys(data)[0] as string).replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export const alertCreated = (alert: Alert, now: number): EventData => ({
  alertCreated: { alert: detailsOf(alert, alert.endsAt <= now) },
});

export const alertGrouped = (group: AlertGroup, alert: Alert, now: number): EventData => ({
  alertGrouped: { alert: groupedOf(alert, alert.endsAt <= now), groupInfo: groupOf(group) },
});

export const alertResolved = (group: AlertGroup, alert: Alert): EventData => ({
  alertResolved: { alert: groupedOf(alert, true), groupInfo: groupOf(group) },
});

export const silenceCreated = (silence: Silence): EventData => ({ silenceCreated: { silence: silenceOf(silence) } });

export const silenceUpdated = (silence: Silence): EventData => ({ silenceUpdated: { silence: silenceOf(silence) } });

export const silenceMutedAlert = (silence: Silence, alert: Alert): EventData => ({
  silenceMutedAlert: { silence: silenceOf(silence), mutedAlert: mutedOf(alert) },
});

export const inhibitionMutedAlert = (rule: InhibitionRule, alert: Alert, source: Alert): EventData => ({
  inhibitionMutedAlert: {
    inhibitRules: [
      {
        sourceMatchers: some(rule.sourceMatchers.map(matcherOf)),
        targetMatchers: some(rule.targetMatchers.map(matcherOf)),
        equalLabels: some([...rule.equal].sort()),
        name: rule.name || undefined,
      },
    ],
    mutedAlert: mutedOf(alert),
    inhibitingFingerprints: [numberOf(source.fingerprint)],
  },
});

export interface SentNotification {
  readonly group: AlertGroup;
  /** Of this life of the group. */
  readonly groupUuid: string;
  readonly flushId: number;
  readonly alerts: readonly { readonly alert: Alert; readonly isResolved: boolean }[];
  readonly firing: readonly Alert[];
  readonly resolved: readonly Alert[];
  readonly muted: readonly Alert[];
  readonly reason: NotificationReason;
  readonly integration: { readonly name: string; readonly index: number };
}

export function notification(sent: SentNotification): EventData {
  const { group, groupUuid, flushId, alerts, firing, resolved, muted, reason, integration } = sent;
  const { matchers, repeatIntervalMs } = group.route;
  return {
    notification: {
      alerts: alerts.map(({ alert, isResolved }) =>
        groupedOf(isResolved ? alert : { ...alert, endsAt: NEVER }, isResolved),
      ),
      firingAlerts: some(firing.map(hashOf)),
      resolvedAlerts: some(resolved.map(hashOf)),
      mutedAlerts: some(muted.map(hashOf)),
      groupInfo: { ...groupOf(group), matchers: some(matchers.map(matcherOf)), groupUuid },
      repeatInterval: `${repeatIntervalMs % 1000 === 0 ? repeatIntervalMs / 1000 : (repeatIntervalMs / 1000).toFixed(3)}s`,
      reason: REASONS[reason],
      flushId: String(flushId),
      integration: { name: integration.name, index: integration.index === 0 ? undefined : String(integration.index) },
    },
  };
}

const REASONS: Readonly<Record<NotificationReason, string>> = {
  'first notification': 'NOTIFY_REASON_FIRST_NOTIFICATION',
  'new alerts added': 'NOTIFY_REASON_NEW_ALERTS_IN_GROUP',
  'all alerts resolved': 'NOTIFY_REASON_ALL_ALERTS_RESOLVED',
  'some alerts resolved': 'NOTIFY_REASON_NEW_RESOLVED_ALERTS',
  'repeat interval elapsed': 'NOTIFY_REASON_REPEAT_INTERVAL_ELAPSED',
};

/** Go's zero time: the end of an alert that fires. */
const NEVER = Date.parse('0001-01-01T00:00:00Z');

const instantOf = (at: number) => new Date(at).toISOString().replace('.000Z', 'Z');

/** Fingerprints are hexadecimal digits here. */
const numberOf = (fingerprint: string) => String(BigInt(`0x${fingerprint}`));

const some = <T>(items: readonly T[]) => (items.length > 0 ? items : undefined);

function labelsOf({ names, values }: LabelSet): Json {
  return { labels: some(names.map((key, index) => ({ key, value: values[index] }))) };
}

function annotationsOf(json: string): Json {
  const pairs = Object.entries(JSON.parse(json) as Record<string, string>);
  return { labels: some(pairs.map(([key, value]) => ({ key, value: value || undefined }))) };
}

function detailsOf(alert: Alert, isResolved: boolean): Json {
  return {
    fingerprint: numberOf(alert.fingerprint),
    name: labelValue(alert.labels, 'alertname'),
    labels: labelsOf(alert.labels),
    annotations: annotationsOf(alert.annotationsJson),
    startsAt: instantOf(alert.startsAt),
    endsAt: instantOf(alert.endsAt),
    resolved: isResolved || undefined,
  };
}

const hashOf = ({ labels }: Alert) => ({ hash: alertHash(labels) });

const groupedOf = (alert: Alert, isResolved: boolean): Json => ({
  ...hashOf(alert),
  details: detailsOf(alert, isResolved),
});

const mutedOf = ({ labels, fingerprint }: Alert): Json => ({
  labels: labelsOf(labels),
  fingerprint: numberOf(fingerprint),
});

function groupOf({ key, labels, receiver }: AlertGroup) {
  return { groupKey: key, groupLabels: labelsOf(labels), groupId: hash('sha256', key), receiverName: receiver };
}

const TYPES: Readonly<Record<MatchOperator, string>> = {
  '=': 'TYPE_EQUAL',
  '!=': 'TYPE_NOT_EQUAL',
  '=~': 'TYPE_REGEXP',
  '!~': 'TYPE_NOT_REGEXP',
};

function matcherOf(matcher: Matcher): Json {
  const { operator, name, value } = matcher;
  return { type: TYPES[operator], name, pattern: value || undefined, rendered: printMatcher(matcher) };
}

function silenceOf({ id, matchers, startsAt, endsAt, updatedAt, createdBy, comment }: Silence): Json {
  const all = matchers.map(matcherOf);
  return {
    id,
    matchers: all,
    startsAt: instantOf(startsAt),
    endsAt: instantOf(endsAt),
    updatedAt: instantOf(updatedAt),
    createdBy: createdBy || undefined,
    comment: comment || undefined,
    matcherSets: [{ matchers: all }],
  };
}
