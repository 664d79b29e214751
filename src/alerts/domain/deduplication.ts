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
  /** What was begun after it, and has not succeeded. */
  readonly begun?: BegunNotification | undefined;
}

/** A notification on its way. It is noted before its first attempt, so that a crash cannot make it unknown. */
export interface BegunNotification {
  /** The flush that began it; another attempt after a failure or a crash keeps that. */
  readonly at: number;
  /** Tells what it says from everything else. */
  readonly content: string;
  /** Fingerprints that were perhaps told to fire: no answer to it, or to one before it, was read. */
  readonly perhapsFiring: ReadonlySet<string>;
}

/** What a notification says, for comparing: an alert that fires anew is another one. */
export function contentOf(alerts: Iterable<{ readonly isResolved: boolean; readonly alert: Alert }>): string {
  let content = '';
  for (const { isResolved, alert } of alerts) {
    content += `${isResolved ? '-' : '+'}${alert.fingerprint}@${alert.startsAt};`;
  }
  return hash('sha256', content, 'base64url');
}

/** What a notification is handed of the one before it: a group that is told of for the first time starts anew. */
export function dataFor(reason: NotificationReason, last: ReceiverData): ReceiverData {
  return reason === 'first notification' ? {} : last;
}

/** The same for every attempt at a notification, and for no other. `key` says who is told of which group. */
export function identityOf(key: string, { at, content }: BegunNotification): string {
  return hash('sha256', `${at} ${content} ${key}`).slice(0, 32);
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
  if (firing.length === 0) return last.firing.size > 0 || mayHaveBeenTold(last) ? 'all alerts resolved' : undefined;
  if (sendResolved && !isSubset(resolved, last.resolved)) return 'some alerts resolved';
  return last.at < at - repeatIntervalMs ? 'repeat interval elapsed' : undefined;
}

/** Whether the process died after it had begun to tell that something fires, and before it knew of the answer. */
function mayHaveBeenTold({ begun }: LoggedNotification): boolean {
  return begun !== undefined && begun.perhapsFiring.size > 0;
}

function isSubset(some: readonly string[], all: ReadonlySet<string>): boolean {
  for (const item of some) if (!all.has(item)) return false;
  return true;
}
