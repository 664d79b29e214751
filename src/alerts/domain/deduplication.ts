import { hash } from 'node:crypto';
import type { Alert } from './alert.ts';
import type { NotificationReason, ReceiverData } from './notification.ts';

/** What was last told to one integration about one group. */
export interface LoggedNotification {
  readonly at: number;
  /** Fingerprints of the alerts that were firing then. */
  readonly firing: ReadonlySet<string>;
  readonly resolved: ReadonlySet<string>;
  readonly receiverData: ReceiverData;
}

/** What a notification is handed of the one before it: a group that is told of for the first time starts anew. */
export function dataFor(reason: NotificationReason, last: ReceiverData): ReceiverData {
  return reason === 'first notification' ? {} : last;
}

/** An alert as a notification tells of it, for comparing. */
interface ComparedAlert {
  readonly isResolved: boolean;
  readonly alert: Pick<Alert, 'fingerprint' | 'startsAt'>;
}

/**
 * The Idempotency-Key: the same for every attempt at a notification, by whatever process, and for no other. `key` says who
 * is told of which group, and `last` what was told before. An alert that fires anew is another one.
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

/** What a flush has found, by fingerprint. */
export interface FoundAlerts {
  readonly firing: readonly string[];
  readonly resolved: readonly string[];
  /** Those of the resolved that may have been told to fire although the log does not say so. */
  readonly inDoubt: readonly string[];
}

/**
 * Why an integration has to be told of a group that now has these alerts, or undefined when it knows already. `at` is
 * the instant of the flush. Source: Alertmanager notify.DedupStage.
 */
export function reasonToNotify(
  last: LoggedNotification | undefined,
  { firing, resolved, inDoubt }: FoundAlerts,
  { sendResolved, repeatIntervalMs }: DeduplicationRules,
  at: number,
): NotificationReason | undefined {
  if (!last) return firing.length > 0 ? 'first notification' : endOf(inDoubt);
  if (!isSubset(firing, last.firing)) return last.firing.size === 0 ? 'first notification' : 'new alerts added';
  // Also where resolved alerts are not sent: the log must forget what fired, or the next fire would be old news.
  if (firing.length === 0) return last.firing.size > 0 ? 'all alerts resolved' : endOf(without(inDoubt, last.resolved));
  if (sendResolved && !isSubset(resolved, last.resolved)) return 'some alerts resolved';
  return last.at < at - repeatIntervalMs ? 'repeat interval elapsed' : undefined;
}

/** A process that was killed may have told that they fire: better an end of what nobody knows of than none. */
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
