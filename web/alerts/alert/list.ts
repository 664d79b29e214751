import type { Alert, AlertGroup, LabelSet } from '../../../src/alerts/contract/wire.ts';
import type { AlertsRoute } from '../route.ts';
import { rankOf } from './severity.ts';

export const GROUP_ORDERS = ['severity', 'newest', 'labels'] as const;
export type GroupOrder = (typeof GROUP_ORDERS)[number];

export interface SeverityCount {
  /** The label's value; empty for alerts without one. */
  readonly severity: string;
  readonly count: number;
}

/** A group with its visible alerts. */
export interface GroupView {
  /** Stable across the server's answers. */
  readonly key: string;
  readonly receiver: string;
  readonly labels: LabelSet;
  /** Labels that all alerts share besides the group's; empty for a single alert. */
  readonly shared: LabelSet;
  readonly alerts: readonly Alert[];
  readonly severities: readonly SeverityCount[];
}

/** Counts each alert once, however many receivers it has. */
export interface AlertList {
  readonly groups: readonly GroupView[];
  readonly shown: number;
  readonly total: number;
  readonly severities: readonly SeverityCount[];
  readonly states: {
    readonly active: number;
    readonly silenced: number;
    readonly inhibited: number;
    readonly muted: number;
  };
}

type StateFlags = Pick<AlertsRoute, 'active' | 'silenced' | 'inhibited' | 'muted'>;

export const isSilenced = ({ status }: Alert): boolean => status.silencedBy.length > 0;
export const isInhibited = ({ status }: Alert): boolean => status.inhibitedBy.length > 0;
export const isMuted = ({ status }: Alert): boolean => status.mutedBy.length > 0;

function isShown(alert: Alert, flags: StateFlags): boolean {
  if (!flags.silenced && isSilenced(alert)) return false;
  if (!flags.inhibited && isInhibited(alert)) return false;
  if (!flags.muted && isMuted(alert)) return false;
  return flags.active || alert.status.state !== 'active';
}

/** Filters by the flags, like the API's parameters, and sorts. */
export function listAlerts(groups: readonly AlertGroup[], flags: StateFlags, order: GroupOrder): AlertList {
  const every = new Map<string, Alert>();
  const shown = new Map<string, Alert>();
  const keys = new Map<string, number>();
  const views: GroupView[] = [];
  for (const group of groups) {
    for (const alert of group.alerts) every.set(alert.fingerprint, alert);
    const alerts = group.alerts.filter((alert) => isShown(alert, flags));
    const key = uniqueKey(group, keys);
    if (alerts.length === 0) continue;
    for (const alert of alerts) shown.set(alert.fingerprint, alert);
    views.push(viewGroup(key, group, alerts));
  }
  const all = [...every.values()];
  return {
    groups: sortGroups(views, order),
    shown: shown.size,
    total: every.size,
    severities: countSeverities(shown.values()),
    states: {
      active: all.filter(({ status }) => status.state === 'active').length,
      silenced: all.filter(isSilenced).length,
      inhibited: all.filter(isInhibited).length,
      muted: all.filter(isMuted).length,
    },
  };
}

/** Two routes may have the same receiver and group labels: the second such group gets a number. */
function uniqueKey({ receiver, labels }: AlertGroup, keys: Map<string, number>): string {
  const key = JSON.stringify([receiver.name, Object.entries(labels).sort()]);
  const seen = keys.get(key) ?? 0;
  keys.set(key, seen + 1);
  return seen === 0 ? key : `${key}#${seen}`;
}

function viewGroup(key: string, { receiver, labels }: AlertGroup, alerts: readonly Alert[]): GroupView {
  const ranked = alerts.map((alert) => ({ alert, rank: rankOf(alert.labels.severity) }));
  return {
    key,
    receiver: receiver.name,
    labels,
    shared: sharedLabels(alerts, labels),
    alerts: ranked.sort((a, b) => a.rank - b.rank).map(({ alert }) => alert),
    severities: countSeverities(alerts),
  };
}

/** The labels that several alerts share with the same value, without those in `known`. */
export function sharedLabels(alerts: readonly Alert[], known: LabelSet): LabelSet {
  const [first, ...others] = alerts;
  if (!first || others.length === 0) return {};
  const pairs = Object.entries(first.labels).filter(
    ([name, value]) => !Object.hasOwn(known, name) && others.every(({ labels }) => labels[name] === value),
  );
  return Object.fromEntries(pairs);
}

function countSeverities(alerts: Iterable<Alert>): SeverityCount[] {
  const counts = new Map<string, number>();
  for (const { labels } of alerts) counts.set(labels.severity ?? '', (counts.get(labels.severity ?? '') ?? 0) + 1);
  return [...counts]
    .map(([severity, count]) => ({ severity, count }))
    .sort((a, b) => rankOf(a.severity) - rankOf(b.severity) || (a.severity < b.severity ? -1 : 1));
}

function sortGroups(views: readonly GroupView[], order: GroupOrder): readonly GroupView[] {
  if (order === 'labels') return views;
  const weigh = order === 'severity' ? worstRank : (view: GroupView) => -newestStart(view);
  return views
    .map((view) => ({ view, weight: weigh(view) }))
    .sort((a, b) => a.weight - b.weight)
    .map(({ view }) => view);
}

function worstRank({ severities }: GroupView): number {
  return Math.min(...severities.map(({ severity }) => rankOf(severity)));
}

function newestStart({ alerts }: GroupView): number {
  return alerts.reduce((newest, { startsAt }) => Math.max(newest, Date.parse(startsAt)), 0);
}

/** Every alert of the groups once, by its fingerprint. */
export function alertsOf(groups: readonly AlertGroup[]): Map<string, Alert> {
  return new Map(groups.flatMap(({ alerts }) => alerts.map((alert) => [alert.fingerprint, alert])));
}

/** The label pairs of the alerts as filters for proposals, most frequent first. */
export function proposeFilters(alerts: Iterable<Alert>, format: (name: string, value: string) => string): string[] {
  const counts = new Map<string, Map<string, number>>();
  for (const { labels } of alerts) {
    for (const [name, value] of Object.entries(labels)) {
      const values = counts.get(name) ?? new Map<string, number>();
      counts.set(name, values.set(value, (values.get(value) ?? 0) + 1));
    }
  }
  const pairs = [...counts].flatMap(([name, values]) => [...values].map(([value, count]) => ({ name, value, count })));
  return pairs.sort((a, b) => b.count - a.count).map(({ name, value }) => format(name, value));
}
