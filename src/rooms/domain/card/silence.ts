import { compileAnchored } from '../../../kernel/regexp/regexp.ts';
import type { LabelMatcher } from '../command/matcher.ts';
import type { AlertCard, CardAlert } from './alert-card.ts';
import { changesAfter } from './alert-notice.ts';

/** A silence that is active on the alert server. */
export interface ActiveSilence {
  readonly id: string;
  readonly matchers: readonly LabelMatcher[];
  /** Epoch milliseconds. */
  readonly endsAt: number;
  readonly createdBy: string;
}

type Labels = Readonly<Record<string, string>>;

/** An active silence, ready to be compared with labels. */
export interface CompiledSilence extends Omit<ActiveSilence, 'matchers'> {
  matches(labels: Labels): boolean;
}

/** The state of a card on the alert server. */
export interface AlertServerState {
  /** The active silences; `undefined`: the alert server was not reached yet. */
  readonly silences: readonly CompiledSilence[] | undefined;
  /** The fingerprints of the alerts in the card's group; `undefined`: not asked, or no answer. */
  readonly listed: ReadonlySet<string> | undefined;
}

export function compileSilence({ matchers, ...silence }: ActiveSilence): CompiledSilence {
  const tests = matchers.map(compileMatcher);
  return { ...silence, matches: (labels) => tests.every((test) => test(labels)) };
}

/** A missing label counts as empty, as on the alert server. */
function compileMatcher({ name, value, isRegex, isEqual }: LabelMatcher): (labels: Labels) => boolean {
  const labelOf = (labels: Labels) => (Object.hasOwn(labels, name) ? (labels[name] ?? '') : '');
  if (!isRegex) return (labels) => (labelOf(labels) === value) === isEqual;
  const compiled = compileAnchored(value);
  return (labels) => compiled.ok && compiled.pattern.test(labelOf(labels)) === isEqual;
}

/** The labels by which a card's alerts are found on the alert server. */
export function matchersOf({
  groupLabels,
  labels,
}: Pick<AlertCard, 'groupLabels' | 'labels'>): readonly LabelMatcher[] {
  const chosen = Object.keys(groupLabels).length > 0 ? groupLabels : labels;
  return Object.entries(chosen).map(([name, value]) => ({ name, value, isRegex: false, isEqual: true }));
}

/**
 * The card as the alert server has it: its silence, and, since a silenced group sends no notices, which of its alerts
 * fire. An alert that the alert server does not list has ended, unless it never listed one of the card: then the card's
 * notices come from another server.
 */
export function followAlertServer(card: AlertCard, { silences, listed }: AlertServerState, now: number): AlertCard {
  const { isListed: wasListed = false, ...rest } = card;
  const silence = silences ? silenceOf(card, silences, now) : unlessEnded(card.silence, now);
  const isListed = listed ? card.alerts.some(({ fingerprint }) => listed.has(fingerprint)) : false;
  const followed = listed && (isListed || wasListed) ? withListed(rest, listed, now) : rest;
  // After the end of a silence, one more answer shows how the alerts have fared.
  const stays = listed ? silence !== null && (isListed || wasListed) : wasListed;
  return { ...followed, silence, ...(stays ? { isListed: true } : {}) };
}

function unlessEnded(silence: AlertCard['silence'], now: number): AlertCard['silence'] {
  return silence && Date.parse(silence.endsAt) > now ? silence : null;
}

/** The silence that holds most of the card's alerts, and of several the last one to end. */
function silenceOf(card: AlertCard, silences: readonly CompiledSilence[], now: number): AlertCard['silence'] {
  const alerts = card.alerts.length > 0 ? card.alerts.map((alert) => labelsOf(card, alert)) : [card.labels];
  let best: { readonly silence: CompiledSilence; readonly count: number } | undefined;
  for (const silence of silences) {
    if (silence.endsAt <= now) continue;
    const count = alerts.filter((labels) => silence.matches(labels)).length;
    if (count > 0 && (!best || compare({ silence, count }, best) < 0)) best = { silence, count };
  }
  if (!best) return null;
  const { id, createdBy, endsAt } = best.silence;
  const isPart = best.count < alerts.length;
  return { id, endsAt: new Date(endsAt).toISOString(), by: createdBy, ...(isPart ? { alerts: best.count } : {}) };
}

type Candidate = { readonly silence: CompiledSilence; readonly count: number };

const compare = (a: Candidate, b: Candidate): number =>
  b.count - a.count || b.silence.endsAt - a.silence.endsAt || (a.silence.id < b.silence.id ? -1 : 1);

const labelsOf = ({ labels }: AlertCard, alert: CardAlert): Labels => ({ ...labels, ...alert.labels });

function withListed(card: AlertCard, listed: ReadonlySet<string>, now: number): AlertCard {
  const at = new Date(now).toISOString();
  const alerts = card.alerts.map((alert): CardAlert => {
    const fires = listed.has(alert.fingerprint);
    if (fires === (alert.state === 'firing')) return alert;
    return { ...alert, state: fires ? 'firing' : 'resolved', endedAt: fires ? null : at };
  });
  const total = card.counts.firing + card.counts.resolved;
  // Of the alerts that the card does not show, only their common end is known.
  const others = listed.size === 0 ? 0 : card.counts.firing - countFiring(card.alerts);
  const firing = Math.min(total, Math.max(0, countFiring(alerts) + others));
  if (firing === card.counts.firing) return { ...card, alerts };
  const counts = { firing, resolved: total - firing };
  const state = firing > 0 ? 'firing' : 'resolved';
  const hasBegun = state === 'firing' && card.state === 'resolved';
  return {
    ...card,
    alerts,
    counts,
    state,
    resolvedAt: state === 'firing' ? null : (card.resolvedAt ?? at),
    changes: changesAfter(card.changes, counts, now),
    acked: hasBegun ? null : card.acked,
  };
}

const countFiring = (alerts: readonly CardAlert[]): number => alerts.filter(({ state }) => state === 'firing').length;
