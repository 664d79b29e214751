import type { LabelSet, Matcher } from '../../../src/alerts/contract/wire.ts';
import type { Child } from '../../shared/dom.ts';
import { h } from '../../shared/dom.ts';
import { operatorOf } from '../parts/matcher-text.ts';
import { t } from '../text.ts';
import { toneOf } from './severity.ts';

/** Adds a label to the filter, or with `leaveOut` its negation. */
export type AddFilter = (name: string, value: string, leaveOut: boolean) => void;

function pair(name: string, operator: string, value: string): readonly Child[] {
  const tone = name === 'severity' ? toneOf(value) : undefined;
  return [
    h('span', { class: 'label-name' }, name),
    h('span', { class: 'label-operator' }, operator),
    h('span', { class: 'label-value', 'data-tone': tone }, value === '' ? '""' : value),
  ];
}

/** One label; with `add` a button that filters by it. */
function labelChip(name: string, value: string, add?: AddFilter): HTMLElement {
  if (!add) return h('span', { class: 'label' }, pair(name, '=', value));
  const title = t('alert.only', { label: `${name}="${value}"` });
  const onclick = (event: MouseEvent) => add(name, value, event.shiftKey);
  return h('button', { type: 'button', class: 'label', title, onclick }, pair(name, '=', value));
}

/** The labels as a list, the severity first and the others by name. */
export function labelList(
  labels: LabelSet,
  hidden: LabelSet,
  caption: string,
  add?: AddFilter,
): HTMLElement | undefined {
  const names = Object.keys(labels).filter((name) => !Object.hasOwn(hidden, name));
  if (names.length === 0) return undefined;
  names.sort((a, b) => Number(b === 'severity') - Number(a === 'severity') || (a < b ? -1 : 1));
  const chips = names.map((name) => h('li', {}, labelChip(name, labels[name] ?? '', add)));
  return h('ul', { class: 'labels', 'aria-label': caption }, chips);
}

/** A matcher as text, without a button. */
export function matcherChip(matcher: Matcher): HTMLElement {
  return h('span', { class: 'label matcher' }, pair(matcher.name, operatorOf(matcher), matcher.value));
}
