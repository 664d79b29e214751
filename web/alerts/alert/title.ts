import type { Alert, LabelSet } from '../../../src/alerts/contract/wire.ts';
import { matchersOfLabels } from '../parts/matcher-text.ts';
import { isWebAddress } from '../parts/text-links.ts';
import { t } from '../text.ts';

/** The usual annotations that say what is wrong, the shortest kind first. */
const TITLES = ['summary', 'title', 'message', 'description'];

/** The annotation that is an alert's title; undefined when its name is. */
export function titleKeyOf({ annotations }: Alert): string | undefined {
  return TITLES.find((name) => annotations[name] && !isWebAddress(annotations[name]));
}

export function titleOf(alert: Alert): string {
  const key = titleKeyOf(alert);
  return (key && alert.annotations[key]) ?? alert.labels.alertname ?? t('alert.unnamed');
}

/** The name of a group: `HighLatency, cluster=eu`. */
export function groupNameOf(labels: LabelSet): string {
  return (
    matchersOfLabels(labels)
      .map(({ name, value }) => (name === 'alertname' ? value : `${name}=${value}`))
      .join(', ') || t('alert.not-grouped')
  );
}
