import type { Alert, LabelSet } from '../../../src/alerts/contract/wire.ts';
import type { AlertsRoute } from '../route.ts';
import type { ListedAlert } from './model.ts';
import { isInhibited, isMuted, isSilenced } from './model.ts';
import { rankOf } from './severity.ts';

export const GROUP_ORDERS = ['severity', 'newest', 'labels'] as const;
export type GroupOrder = (typeof GROUP_ORDERS)[number];

export interface SeverityCount {
  /** The label's value; empty for alerts without one. */
  readonly severity: string;
  readonly count: number;
}

/** A group with its visible alerts, for all receivers that group by the same labels. */
export interface GroupView {
  /** Stable across the server's answers. */
  readonly key: string;
  readonly receivers: readonly string[];
  readonly labels: LabelSet;
  /** Labels that all alerts share besides the group's; empty for a single alert. */
  readonly shared: LabelSet;
  readonly alerts: readonly ListedAlert[];
  readonly severities: readonly SeverityCount[];
}

/** Contains and counts each alert once, however many groups and receivers it has. */
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

function isShown(alert: Alert, flags: StateFlags): boolean {
  if (!flags.silenced && isSilenced(alert)) return false;
  if (!flags.inhibited && isInhibited(alert)) return false;
  if (!flags.muted && isMuted(alert)) return false;
  return flags.active || alert.status.state !== 'active';
}

/** Filters by the flags, like the API's parameters, then by `matches`; groups and sorts. The counts precede `matches`. */
export function listAlerts(
  every: ReadonlyMap<string, ListedAlert>,
  flags: StateFlags,
  order: GroupOrder,
  matches: (alert: ListedAlert) => boolean = () => true,
): AlertList {
  const all = [...every.values()];
  const shown = all.filter((alert) => isShown(alert, flags) && matches(alert));
  return {
    groups: sortGroups(groupAlerts(shown), order),
    shown: shown.length,
    total: every.size,
    severities: countSeverities(shown),
    states: {
      active: all.filter(({ status }) => status.state === 'active').length,
      silenced: all.filter(isSilenced).length,
      inhibited: all.filter(isInhibited).length,
      muted: all.filter(isMuted).length,
    },
  };
}

/** The alerts of a group share its labels, so that its key is made once. */
const KEYS = new WeakMap<LabelSet, string>();

function keyOf(labels: LabelSet): string {
  const known = KEYS.get(labels);
  if (known !== undefined) return known;
  const key = JSON.stringify(Object.entries(labels).sort());
  KEYS.set(labels, key);
  return key;
}

/** Receivers that group an alert differently would repeat it: it stands in the largest of its groups. */
function groupAlerts(alerts: readonly ListedAlert[]): GroupView[] {
  const keys = alerts.map(({ memberships }) => [...new Set(memberships.map(({ labels }) => keyOf(labels)))]);
  const sizes = new Map<string, number>();
  for (const own of keys) for (const key of own) sizes.set(key, (sizes.get(key) ?? 0) + 1);
  const groups = new Map<string, { readonly labels: LabelSet; readonly alerts: ListedAlert[] }>();
  for (const [index, alert] of alerts.entries()) {
    const own = keys[index] ?? [];
    const largest = own.reduce((best, key) => ((sizes.get(key) ?? 0) > (sizes.get(best) ?? 0) ? key : best));
    const group = groups.get(largest);
    if (group) group.alerts.push(alert);
    else {
      const membership = alert.memberships.find(({ labels }) => keyOf(labels) === largest);
      groups.set(largest, { labels: membership?.labels ?? {}, alerts: [alert] });
    }
  }
  return [...groups].map(([key, { labels, alerts }]) => viewGroup(key, labels, alerts));
}

function viewGroup(key: string, labels: LabelSet, alerts: readonly ListedAlert[]): GroupView {
  const ranked = alerts.map((alert) => ({ alert, rank: rankOf(alert.labels.severity) }));
  return {
    key,
    receivers: [...new Set(alerts.flatMap(({ receivers }) => receivers.map(({ name }) => name)))],
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

/** The group that is open at first: the worst by severity, then the largest. */
export function worstGroup(groups: readonly GroupView[]): GroupView | undefined {
  const weigh = (view: GroupView) => worstRank(view) * 1e9 - (view.severities[0]?.count ?? 0);
  return groups.reduce<GroupView | undefined>(
    (worst, view) => (worst && weigh(worst) <= weigh(view) ? worst : view),
    undefined,
  );
}

function worstRank({ severities }: GroupView): number {
  return Math.min(...severities.map(({ severity }) => rankOf(severity)));
}

function newestStart({ alerts }: GroupView): number {
  return alerts.reduce((newest, { startsAt }) => Math.max(newest, Date.parse(startsAt)), 0);
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
