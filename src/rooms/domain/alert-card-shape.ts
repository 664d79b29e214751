import type { AlertCard } from './alert-card.ts';
import type { JsonObject, JsonValue } from './message.ts';

type Check = (value: JsonValue | undefined) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isCount: Check = (value) => typeof value === 'number';
const isState: Check = (value) => value === 'firing' || value === 'resolved';
const isInstant: Check = (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value));

const isTexts: Check = (value) => isObject(value) && Object.values(value).every(isText);
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const shaped =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isObject(value) && Object.entries(fields).every(([name, check]) => check(value[name]));

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const COUNTS = { firing: isCount, resolved: isCount };
const ALERT = {
  state: isState,
  fingerprint: isText,
  labels: isTexts,
  summary: isText,
  startedAt: isInstant,
  endedAt: orNull(isInstant),
};

const isWhole = shaped({
  kind: (value) => value === 'alert',
  state: isState,
  severity: isText,
  title: isText,
  summary: isText,
  description: isText,
  receiver: isText,
  groupKey: isText,
  group: isText,
  counts: shaped(COUNTS),
  labels: isTexts,
  groupLabels: isTexts,
  alerts: listOf(shaped(ALERT)),
  more: isCount,
  links: listOf(shaped({ label: isText, url: isText })),
  startedAt: isInstant,
  resolvedAt: orNull(isInstant),
  changes: listOf(shaped({ at: isInstant, ...COUNTS })),
  acked: orNull(shaped({ by: isText, at: isInstant, note: isText })),
  silence: orNull(shaped({ id: isText, endsAt: isInstant, by: isText })),
});

/** The card of a message, if it is an alert's and whole: cards from imports, and from before, may have any shape. */
export function readCard(card: JsonObject | null): AlertCard | undefined {
  return card !== null && isWhole(card) ? (card as unknown as AlertCard) : undefined;
}
