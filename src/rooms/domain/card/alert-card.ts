import type { JsonObject } from '../message/message.ts';
import { isInstant, isLabels, isNumber, isText, listOf, objectOf, orMissing, orNull } from './card-shape.ts';

/** The card of an alert group: one message, updated in place. All instants are RFC 3339. */
export interface AlertCard {
  readonly kind: 'alert';
  readonly state: 'firing' | 'resolved';
  /** The label `severity`, if all of them agree; `''` otherwise. */
  readonly severity: string;
  readonly title: string;
  readonly summary: string;
  readonly description: string;
  readonly receiver: string;
  readonly groupKey: string;
  /** The id of the group's first card, by which a group is known whatever the length of its key. */
  readonly group: string;
  readonly counts: { readonly firing: number; readonly resolved: number };
  /** What all alerts have in common. */
  readonly labels: Readonly<Record<string, string>>;
  /** What the group is grouped by. */
  readonly groupLabels: Readonly<Record<string, string>>;
  /** The first ones, those that fire before others, each with what differs. */
  readonly alerts: readonly CardAlert[];
  /** How many more there are. */
  readonly more: number;
  readonly links: readonly { readonly label: string; readonly url: string }[];
  readonly startedAt: string;
  readonly resolvedAt: string | null;
  /** How the counts moved, the latest last. */
  readonly changes: readonly { readonly at: string; readonly firing: number; readonly resolved: number }[];
  readonly acked: { readonly by: string; readonly at: string; readonly note: string } | null;
  readonly silence: { readonly id: string; readonly endsAt: string; readonly by: string } | null;
}

export interface CardAlert {
  readonly state: 'firing' | 'resolved';
  readonly fingerprint: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly summary: string;
  readonly startedAt: string;
  readonly endedAt: string | null;
}

/** What a card holds, as it is kept with its message. */
export const cardJson = (card: AlertCard): JsonObject => card as unknown as JsonObject;

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
      startedAt: isInstant,
      endedAt: orNull(isInstant),
    }),
  ),
  more: isNumber,
  links: listOf(objectOf({ label: isText, url: isText })),
  startedAt: isInstant,
  resolvedAt: orNull(isInstant),
  changes: listOf(objectOf({ at: isInstant, firing: isNumber, resolved: isNumber })),
  acked: orNull(objectOf({ by: isText, at: isInstant, note: isText })),
  silence: orNull(objectOf({ id: isText, endsAt: isInstant, by: isText })),
});

/** The card of a message, if it is an alert's and whole. */
export function readCard(card: JsonObject | null): AlertCard | undefined {
  return card?.kind === 'alert' && isWhole(card) ? (card as unknown as AlertCard) : undefined;
}

/** Whether anything that a reader sees has changed: a repeat of the same notice changes nothing. */
export function isSameCard(a: AlertCard, b: AlertCard): boolean {
  return JSON.stringify({ ...a, changes: [] }) === JSON.stringify({ ...b, changes: [] });
}

/** The same facts in words, for those who see no cards. */
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
