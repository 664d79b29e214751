import type { JsonObject } from '../message/message.ts';
import { isInstant, isLabels, isNumber, isText, listOf, objectOf, orMissing, orNull } from './card-shape.ts';

/** The card of an alert group: one message, updated in place. All instants are RFC 3339. */
export interface AlertCard {
  readonly kind: 'alert';
  readonly state: 'firing' | 'resolved';
  /** The label `severity` if all alerts share it; else `''`. */
  readonly severity: string;
  readonly title: string;
  readonly summary: string;
  readonly description: string;
  readonly receiver: string;
  readonly groupKey: string;
  /** The id of the group's first card, which identifies the group whatever the length of its key. */
  readonly group: string;
  readonly counts: { readonly firing: number; readonly resolved: number };
  /** The labels that all alerts share. */
  readonly labels: Readonly<Record<string, string>>;
  /** The labels by which the group is formed. */
  readonly groupLabels: Readonly<Record<string, string>>;
  /** The first alerts, firing ones before others, each with its differing labels. */
  readonly alerts: readonly CardAlert[];
  /** The number of further alerts. */
  readonly more: number;
  readonly links: readonly CardLink[];
  readonly startedAt: string;
  readonly resolvedAt: string | null;
  /** Changes of the counts, the latest last. */
  readonly changes: readonly { readonly at: string; readonly firing: number; readonly resolved: number }[];
  readonly acked: { readonly by: string; readonly at: string; readonly note: string } | null;
  readonly silence: {
    readonly id: string;
    readonly endsAt: string;
    readonly by: string;
    /** The number of silenced alerts, if it is not all of them. */
    readonly alerts?: number;
  } | null;
  /** The alert server of `--alerts` lists its alerts, or did when the silence began. Only while it is silenced. */
  readonly isListed?: true;
}

export interface CardLink {
  readonly label: string;
  readonly url: string;
}

export interface CardAlert {
  readonly state: 'firing' | 'resolved';
  readonly fingerprint: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly summary: string;
  /** Those that not all alerts share. */
  readonly links?: readonly CardLink[];
  readonly startedAt: string;
  readonly endedAt: string | null;
}

/** The card's fields, as stored with its message. */
export const cardJson = (card: AlertCard): JsonObject => card as unknown as JsonObject;

const isLinks = listOf(objectOf({ label: isText, url: isText }));

const isWhole = objectOf({
  state: (state) => state === 'firing' || state === 'resolved',
  severity: isText,
  title: isText,
  summary: isText,
  description: isText,
  receiver: isText,
  groupKey: isText,
  group: orMissing(isText),
  counts: objectOf({ firing: isNumber, resolved: isNumber }),
  labels: isLabels,
  groupLabels: isLabels,
  alerts: listOf(
    objectOf({
      state: isText,
      fingerprint: isText,
      labels: isLabels,
      summary: isText,
      links: orMissing(isLinks),
      startedAt: isInstant,
      endedAt: orNull(isInstant),
    }),
  ),
  more: isNumber,
  links: isLinks,
  startedAt: isInstant,
  resolvedAt: orNull(isInstant),
  changes: listOf(objectOf({ at: isInstant, firing: isNumber, resolved: isNumber })),
  acked: orNull(objectOf({ by: isText, at: isInstant, note: isText })),
  silence: orNull(objectOf({ id: isText, endsAt: isInstant, by: isText, alerts: orMissing(isNumber) })),
});

/** The alert card of a message, if it has a valid one. */
export function readCard(card: JsonObject | null): AlertCard | undefined {
  return card?.kind === 'alert' && isWhole(card) ? (card as unknown as AlertCard) : undefined;
}

/** Whether readers see no difference: a repeated notice changes nothing. */
export function isSameCard(a: AlertCard, b: AlertCard): boolean {
  return JSON.stringify({ ...a, changes: [] }) === JSON.stringify({ ...b, changes: [] });
}

/** The card as text, for clients that show no cards. */
export function printCard(card: AlertCard): string {
  const { counts, state, severity, title, summary, description, alerts, more } = card;
  const head = `**${state === 'firing' ? 'FIRING' : 'RESOLVED'}** ${title}${severity === '' ? '' : ` (${severity})`}`;
  const count = `${counts.firing} firing / ${counts.resolved} resolved`;
  const lines = alerts.map((alert) => {
    const labels = Object.entries(alert.labels).map(([name, value]) => `${name}=${value}`);
    const words = [labels.join(', '), alert.summary].filter((part) => part !== '').join(': ');
    return words === '' ? '' : `- ${alert.state}: ${words}`;
  });
  const links = card.links.map(({ label, url }) => `[${label}](${url})`).join(' · ');
  const rest = more > 0 ? `- and ${more} more` : '';
  return [head, count, summary, description, ...lines, rest, links].filter((line) => line !== '').join('\n');
}
