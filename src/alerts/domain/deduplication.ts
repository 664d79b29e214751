import { hash } from 'node:crypto';
import type { Alert } from './alert.ts';
import type { NotificationReason, ReceiverData } from './notification.ts';

/** The last notification of one group to one integration. */
export interface LoggedNotification {
  readonly at: number;
  /** Fingerprints of the alerts that were firing then. */
  readonly firing: ReadonlySet<string>;
  readonly resolved: ReadonlySet<string>;
  readonly receiverData: ReceiverData;
}

/** The data that the last notification left for the next; a first notification starts without. */
export function dataFor(reason: NotificationReason, last: ReceiverData): ReceiverData {
  return reason === 'first notification' ? {} : last;
}

/** What of an alert distinguishes notifications. */
interface ComparedAlert {
  readonly isResolved: boolean;
  readonly alert: Pick<Alert, 'fingerprint' | 'startsAt'>;
}

/**
 * The Idempotency-Key: the same for every attempt at a notification, by whatever process, and for no other. `key` is that
 * of the notification log, `last` its entry. An alert that fires again counts as another alert.
 */
export function idempotencyKeyOf(
  key: string,
  alerts: readonly ComparedAlert[],
  last: LoggedNotification | undefined,
): string {
  const states = alerts.map(
    ({ isResolved, alert }) => `${isResolved ? '-' : '+'}${alert.fingerprint}@${alert.startsAt}`,
  );
  const before = last ? `${last.at} +${[...last.firing].sort()} -${[...last.resolved].sort()}` : 'nothing';
  return hash('sha256', `${states.sort()} after ${before} ${key}`).slice(0, 32);
}

export interface DeduplicationRules {
  readonly sendResolved: boolean;
  readonly repeatIntervalMs: number;
}

/** The alerts of a flush, by fingerprint. */
export interface FoundAlerts {
  readonly firing: readonly string[];
  readonly resolved: readonly string[];
  /** Resolved alerts whose firing may have been sent without an entry in the log. */
  readonly inDoubt: readonly string[];
}

/**
 * Why an integration must be notified of a group with these alerts, or undefined when it is up to date. `at` is the
 * instant of the flush. Source: Alertmanager notify.DedupStage.
 */
export function reasonToNotify(
  last: LoggedNotification | undefined,
  { firing, resolved, inDoubt }: FoundAlerts,
  { sendResolved, repeatIntervalMs }: DeduplicationRules,
  at: number,
): NotificationReason | undefined {
  if (!last) return firing.length > 0 ? 'first notification' : endOf(inDoubt);
  if (!isSubset(firing, last.firing)) return last.firing.size === 0 ? 'first notification' : 'new alerts added';
  // Also with send_resolved off: otherwise the log would hold the alert as firing, and its next firing would not be sent.
  if (firing.length === 0) return last.firing.size > 0 ? 'all alerts resolved' : endOf(without(inDoubt, last.resolved));
  if (sendResolved && !isSubset(resolved, last.resolved)) return 'some alerts resolved';
  return last.at < at - repeatIntervalMs ? 'repeat interval elapsed' : undefined;
}

/** A killed process may have sent that they fire: a surplus resolved notification is better than a missing one. */
function endOf(inDoubt: readonly string[]): NotificationReason | undefined {
  return inDoubt.length > 0 ? 'all alerts resolved' : undefined;
}

function without(some: readonly string[], others: ReadonlySet<string>): readonly string[] {
  return some.length === 0 ? some : some.filter((item) => !others.has(item));
}

function isSubset(some: readonly string[], all: ReadonlySet<string>): boolean {
  for (const item of some) if (!all.has(item)) return false;
  return true;
}
