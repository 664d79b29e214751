import { type Alert, isResolvedAt } from '../domain/alert.ts';
import type { FoundAlerts } from '../domain/deduplication.ts';
import type { AlertGroup } from '../store/group.ts';
import type { AlertSlot } from '../store/slot.ts';

/** An alert at the instant of a flush. */
export interface FlushedAlert {
  readonly slot: AlertSlot;
  readonly alert: Alert;
  readonly isResolved: boolean;
}

const NOBODY: readonly string[] = [];

/** The alerts of a group at an instant, by job, instance and labels. */
export function alertsOf(group: AlertGroup, at: number): readonly FlushedAlert[] {
  return group.sorted().map((slot) => ({ slot, alert: slot.alert, isResolved: isResolvedAt(slot.alert, at) }));
}

/** `isInDoubt`: any of them may have been sent without an entry in the log. */
export function fingerprintsOf(alerts: readonly FlushedAlert[], isInDoubt = false): FoundAlerts {
  const resolved = fingerprintsWhere(alerts, isResolved);
  return {
    firing: resolved.length === alerts.length ? NOBODY : fingerprintsWhere(alerts, isFiring),
    resolved,
    inDoubt: resolved.length === 0 || isInDoubt ? resolved : fingerprintsWhere(alerts, mayHaveBeenSent),
  };
}

const isFiring = ({ isResolved }: FlushedAlert) => !isResolved;
const isResolved = ({ isResolved }: FlushedAlert) => isResolved;
const mayHaveBeenSent = ({ isResolved, slot }: FlushedAlert) => isResolved && slot.isInDoubt;

function fingerprintsWhere(
  alerts: readonly FlushedAlert[],
  condition: (alert: FlushedAlert) => boolean,
): readonly string[] {
  let count = 0;
  for (const alert of alerts) if (condition(alert)) count++;
  if (count === 0) return NOBODY;
  // Usually all are alike; an array grown by push would allocate seventeen places.
  return (count === alerts.length ? alerts : alerts.filter(condition)).map(({ alert }) => alert.fingerprint);
}
