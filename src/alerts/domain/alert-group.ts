import type { Alert } from './alert.ts';
import { compareLabelSets, compareUtf8, type LabelSet, labelValue } from './label-set.ts';

/** Orders the alerts of a group: by job, then by instance, alerts that have the label first, then by all labels. */
export function compareGroupedAlerts(a: Alert, b: Alert): number {
  return compareByLabel(a, b, 'job') || compareByLabel(a, b, 'instance') || compareLabelSets(a.labels, b.labels);
}

function compareByLabel(a: Alert, b: Alert, name: string): number {
  const left = labelValue(a.labels, name);
  const right = labelValue(b.labels, name);
  if (left === undefined || right === undefined) return Number(left === undefined) - Number(right === undefined);
  return compareUtf8(left, right);
}

/** Orders groups: by their labels, then by their receiver. */
export function compareGroups(
  a: { readonly labels: LabelSet; readonly receiver: string },
  b: { readonly labels: LabelSet; readonly receiver: string },
): number {
  return compareLabelSets(a.labels, b.labels) || compareUtf8(a.receiver, b.receiver);
}
