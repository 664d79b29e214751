import type { Alert } from '../../../src/alerts/contract/wire.ts';

/** The searched text of each alert: one pair of labels or annotations per line. */
const TEXTS = new WeakMap<Alert, string>();

function textOf(alert: Alert): string {
  const known = TEXTS.get(alert);
  if (known !== undefined) return known;
  const pairs = [...Object.entries(alert.labels), ...Object.entries(alert.annotations)];
  const text = pairs
    .map(([name, value]) => `${name}=${value}`)
    .join('\n')
    .toLowerCase();
  TEXTS.set(alert, text);
  return text;
}

/** Operators that only a complete matcher can be tried with; `severity=crit` is found as words are. */
const NEGATION_OR_PATTERN = /!=|=~|!~/;

/**
 * A test for alerts that contain all words of a typed text in their labels or annotations, in any case; quotes do not count, so that
 * a matcher finds while it is typed.
 */
export function searchFor(typed: string): (alert: Alert) => boolean {
  if (NEGATION_OR_PATTERN.test(typed)) return () => true;
  const words = typed.toLowerCase().replaceAll('"', '').split(/\s+/).filter(Boolean);
  return (alert) => words.every((word) => textOf(alert).includes(word));
}
