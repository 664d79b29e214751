import { createHash } from 'node:crypto';
import type { AlertCard, CardAlert, CardLink } from './alert-card.ts';

/** An alert of a group, as in Alertmanager's webhook. */
export interface GroupAlert {
  readonly status: 'firing' | 'resolved';
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly startsAt: number;
  /** Meaningless while it fires. */
  readonly endsAt: number;
  readonly generatorUrl: string;
  readonly fingerprint: string;
}

/** A group, as in Alertmanager's webhook (version 4; read by contract/alert-webhook.ts). */
export interface GroupNotice {
  readonly groupKey: string;
  readonly receiver: string;
  readonly status: 'firing' | 'resolved';
  readonly groupLabels: Readonly<Record<string, string>>;
  readonly commonLabels: Readonly<Record<string, string>>;
  readonly commonAnnotations: Readonly<Record<string, string>>;
  readonly externalUrl: string;
  readonly alerts: readonly GroupAlert[];
  /** The number of alerts that the sender left out. */
  readonly truncated: number;
}

export const MAX_CARD_ALERTS = 20;
const MAX_CHANGES = 50;
const MAX_TEXT = 1_000;
const MAX_LABEL = 200;
const MAX_LABELS = 32;
const MAX_BYTES = 30_000;

/** The id of a group's first card; two senders of the same group share the card. */
export function cardId(roomId: string, notice: Pick<GroupNotice, 'receiver' | 'groupKey'>, generation = ''): string {
  const hash = createHash('sha256').update(JSON.stringify([roomId, notice.receiver, notice.groupKey, generation]));
  return `alert-${hash.digest('hex').slice(0, 40)}`;
}

/** The card after a notice; `group` is the id of the group's first card. */
export function cardOf(notice: GroupNotice, group: string, old: AlertCard | undefined, now: number): AlertCard {
  const firing = notice.alerts.filter(({ status }) => status === 'firing');
  const counts = { firing: firing.length, resolved: notice.alerts.length - firing.length };
  const ordered = [...firing, ...notice.alerts.filter(({ status }) => status !== 'firing')];
  const ended = old !== undefined && old.state === 'resolved' && notice.status === 'firing';
  const card: AlertCard = {
    kind: 'alert',
    state: notice.status,
    severity: cut(notice.commonLabels.severity ?? '', MAX_LABEL),
    title: titleOf(notice),
    summary: cut(notice.commonAnnotations.summary ?? '', MAX_TEXT),
    description: cut(notice.commonAnnotations.description ?? notice.commonAnnotations.message ?? '', MAX_TEXT),
    receiver: cut(notice.receiver, MAX_LABEL),
    groupKey: cut(notice.groupKey, MAX_TEXT),
    group,
    counts,
    labels: cutLabels(notice.commonLabels),
    groupLabels: cutLabels(notice.groupLabels),
    alerts: ordered.slice(0, MAX_CARD_ALERTS).map((alert) => cardAlert(alert, notice)),
    more: Math.max(0, ordered.length - MAX_CARD_ALERTS) + notice.truncated,
    links: linksOf(notice),
    startedAt: old && !ended ? old.startedAt : startOf(notice, now),
    resolvedAt: notice.status === 'resolved' ? (resolvedBefore(old) ?? endOf(notice, now)) : null,
    changes: changesAfter(old?.changes ?? [], counts, now),
    // An acknowledgement ends when the group fires again.
    acked: ended ? null : (old?.acked ?? null),
    silence: old?.silence ?? null,
    ...(old?.isListed ? { isListed: true } : {}),
  };
  return fit(card);
}

const resolvedBefore = (old: AlertCard | undefined): string | undefined =>
  old?.state === 'resolved' ? (old.resolvedAt ?? undefined) : undefined;

function titleOf({ groupLabels, commonLabels, receiver }: GroupNotice): string {
  const name = groupLabels.alertname ?? commonLabels.alertname;
  const others = Object.entries(groupLabels)
    .filter(([label]) => label !== 'alertname')
    .map(([, value]) => value);
  const words = [name ?? '', ...others].filter((word) => word !== '').join(' · ');
  return cut(words === '' ? receiver : words, MAX_LABEL);
}

function cardAlert(alert: GroupAlert, { commonLabels, commonAnnotations }: GroupNotice): CardAlert {
  const differing = Object.entries(alert.labels).filter(([name]) => !Object.hasOwn(commonLabels, name));
  const { summary = '' } = alert.annotations;
  const shared = runbookLinks(commonAnnotations);
  const links = usable(runbookLinks(alert.annotations)).filter(({ url }) => shared.every((link) => link.url !== url));
  return {
    state: alert.status,
    fingerprint: cut(alert.fingerprint, 64),
    labels: cutLabels(Object.fromEntries(differing)),
    summary: summary === commonAnnotations.summary ? '' : cut(summary, MAX_LABEL),
    ...(links.length > 0 ? { links } : {}),
    startedAt: instant(alert.startsAt),
    endedAt: alert.status === 'resolved' ? instant(alert.endsAt) : null,
  };
}

function linksOf({ commonAnnotations, alerts, externalUrl }: GroupNotice): readonly CardLink[] {
  const source = { label: 'Source', url: alerts[0]?.generatorUrl ?? '' };
  return usable([...runbookLinks(commonAnnotations), source, { label: 'Alertmanager', url: externalUrl }]);
}

function runbookLinks(annotations: Readonly<Record<string, string>>): readonly CardLink[] {
  return [
    { label: 'Runbook', url: annotations.runbook_url ?? annotations.runbook ?? '' },
    { label: 'Dashboard', url: annotations.dashboard_url ?? annotations.dashboard ?? '' },
  ];
}

const usable = (links: readonly CardLink[]): readonly CardLink[] =>
  links.filter(({ url }) => url.length <= MAX_TEXT && /^https?:\/\/[^\s<>"()]+$/.test(url));

/** The start of the oldest firing alert; of old senders, which send no times, now. */
function startOf({ alerts }: GroupNotice, now: number): string {
  const starts = alerts.filter(({ startsAt }) => startsAt > 0).map(({ startsAt }) => startsAt);
  return instant(Math.min(now, ...starts));
}

function endOf({ alerts }: GroupNotice, now: number): string {
  const ends = alerts.filter(({ endsAt }) => endsAt > 0 && endsAt <= now).map(({ endsAt }) => endsAt);
  return instant(ends.length === 0 ? now : Math.max(...ends));
}

/** The changes with new counts. */
export function changesAfter(
  changes: AlertCard['changes'],
  { firing, resolved }: AlertCard['counts'],
  now: number,
): AlertCard['changes'] {
  const last = changes.at(-1);
  if (last?.firing === firing && last.resolved === resolved) return changes;
  return [...changes, { at: instant(now), firing, resolved }].slice(-MAX_CHANGES);
}

/** A card too large drops alerts from its list before anything else. */
function fit(card: AlertCard): AlertCard {
  const size = (candidate: AlertCard) => Buffer.byteLength(JSON.stringify(candidate));
  let fitting = card;
  while (size(fitting) > MAX_BYTES && fitting.alerts.length > 0) {
    const kept = fitting.alerts.slice(0, Math.floor(fitting.alerts.length / 2));
    fitting = { ...fitting, alerts: kept, more: fitting.more + fitting.alerts.length - kept.length };
  }
  return size(fitting) <= MAX_BYTES ? fitting : { ...fitting, labels: {}, description: '' };
}

function cutLabels(labels: Readonly<Record<string, string>>): Record<string, string> {
  const kept = Object.entries(labels).slice(0, MAX_LABELS);
  return Object.fromEntries(kept.map(([name, value]) => [cut(name, MAX_LABEL), cut(value, MAX_LABEL)]));
}

/** Cut at a code point's boundary. */
function cut(text: string, most: number): string {
  const clean = text.replaceAll('\0', '').toWellFormed();
  if (clean.length <= most) return clean;
  return `${clean
    .slice(0, most - 1)
    .toWellFormed()
    .replace(/\uFFFD$/, '')}\u2026`;
}

function instant(at: number): string {
  const bounded = Number.isFinite(at) ? Math.min(Math.max(at, 0), 8.64e15) : 0;
  return new Date(bounded).toISOString();
}
