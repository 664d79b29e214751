import type { NotificationReason, ReceiverData } from './notification.ts';

/** What was last told to one integration about one group. */
export interface LoggedNotification {
  readonly at: number;
  /** Fingerprints of the alerts that were firing then. */
  readonly firing: ReadonlySet<string>;
  readonly resolved: ReadonlySet<string>;
  readonly receiverData: ReceiverData;
}

export interface DeduplicationRules {
  readonly sendResolved: boolean;
  readonly repeatIntervalMs: number;
}

/**
 * Why an integration has to be told of a group that now has these alerts, or undefined when it knows already. `at` is
 * the instant of the flush. Source: Alertmanager notify.DedupStage.
 */
export function reasonToNotify(
  last: LoggedNotification | undefined,
  firing: readonly string[],
  resolved: readonly string[],
  { sendResolved, repeatIntervalMs }: DeduplicationRules,
  at: number,
): NotificationReason | undefined {
  if (!last) return firing.length > 0 ? 'first notification' : undefined;
  if (!isSubset(firing, last.firing)) return last.firing.size === 0 ? 'first notification' : 'new alerts added';
  // Also where resolved alerts are not sent: the log must forget what fired, or the next fire would be old news.
  if (firing.length === 0) return last.firing.size > 0 ? 'all alerts resolved' : undefined;
  if (sendResolved && !isSubset(resolved, last.resolved)) return 'some alerts resolved';
  return last.at < at - repeatIntervalMs ? 'repeat interval elapsed' : undefined;
}

function isSubset(some: readonly string[], all: ReadonlySet<string>): boolean {
  for (const item of some) if (!all.has(item)) return false;
  return true;
}
