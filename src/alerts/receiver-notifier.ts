import type { Clock } from '../kernel/clock.ts';
import type { Database, Statement } from '../kernel/database.ts';
import { messageOf } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import type { AlertGroup } from './alert-group.ts';
import type { AlertSlot } from './alert-slot.ts';
import { reasonToNotify } from './domain/deduplication.ts';
import type { Notification, NotificationReason, NotifiedAlert, Pairs, ReceiverData } from './domain/notification.ts';
import { notifiedAlert, pairsOf } from './notification-data.ts';
import { MOST_NAMED_ALERTS, type NotificationHistory, type NotificationRecord } from './notification-history.ts';
import { type NotificationLog, printLogKey } from './notification-log.ts';
import type { NotificationMetrics } from './notification-metrics.ts';
import type { Delivery, Notifier } from './notify/notifier.ts';
import { type Attempt, notifyWithRetry, type RetryResult } from './notify/retry.ts';
import type { Flush } from './pipeline.ts';

/** One notifier of a receiver. `index`: its place in the receiver's list of its kind. */
export interface ReceiverIntegration {
  readonly name: string;
  readonly index: number;
  readonly sendResolved: boolean;
  readonly notifier: Notifier;
}

export interface ReceiverNotifierParts {
  readonly notificationLog: NotificationLog;
  readonly history: NotificationHistory;
  readonly database: Database;
  /** Writes alerts in one commit with what else is written in the same turn; never rejects. */
  readonly writeAlerts: (slots: readonly AlertSlot[]) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: NotificationMetrics;
  /** How long an entry of the notification log is kept at most. */
  readonly retentionMs: number;
  /** From 0 to below 1. */
  readonly random: () => number;
  readonly renderRouteLabels: (group: AlertGroup, alerts: readonly NotifiedAlert[]) => Pairs;
}

/** Fingerprints of the alerts of a flush. */
export interface FlushedFingerprints {
  readonly firing: readonly string[];
  readonly resolved: readonly string[];
}

/** What all integrations of a receiver share of one flush. */
interface SharedFlush extends Flush, FlushedFingerprints {
  /** Made when the first of them needs it. */
  readonly told: () => { readonly alerts: readonly NotifiedAlert[]; readonly routeLabels: Pairs };
}

/** Tells a receiver of flushed alerts: each of its integrations that does not know yet, all at once. */
export class ReceiverNotifier {
  readonly name: string;
  readonly integrations: readonly ReceiverIntegration[];
  readonly #parts: ReceiverNotifierParts;
  /** One for each that is being told: thousands of listeners at a single signal would cost thousands of steps each. */
  readonly #sending = new Set<{ readonly end: AbortController; readonly lastCall: AbortController }>();
  #ending: Error | undefined;
  #isLastCall = false;

  constructor(name: string, integrations: readonly ReceiverIntegration[], parts: ReceiverNotifierParts) {
    this.name = name;
    this.integrations = integrations;
    this.#parts = parts;
  }

  /** Whether every integration knows now. */
  async tell(flush: Flush): Promise<boolean> {
    const shared = this.#share(flush);
    const results = await Promise.allSettled(
      this.integrations.map(async (integration) => this.#tellOne(integration, shared)),
    );
    const broken = results.find(({ status }) => status === 'rejected');
    // Thrown only when all others have come to their end.
    if (broken?.status === 'rejected') throw broken.reason;
    return results.every((result) => result.status === 'fulfilled' && result.value);
  }

  /** Ends what is under way, and all that would follow. */
  abort(reason: Error): void {
    this.#ending = reason;
    for (const { end } of this.#sending) end.abort(reason);
  }

  /** From now on no attempt begins; those under way come to their end. */
  endRetries(): void {
    this.#isLastCall = true;
    for (const { lastCall } of this.#sending) lastCall.abort();
  }

  /** Why an integration would be told of the group now, or undefined. */
  reasonFor(
    integration: ReceiverIntegration,
    group: AlertGroup,
    { firing, resolved }: FlushedFingerprints,
    at: number,
  ): NotificationReason | undefined {
    const last = this.#parts.notificationLog.find(this.#keyOf(integration, group));
    const rules = { sendResolved: integration.sendResolved, repeatIntervalMs: group.route.repeatIntervalMs };
    return reasonToNotify(last, firing, resolved, rules, at);
  }

  /** Whether some integration was last told that the alert fires. */
  believesFiring(group: AlertGroup, fingerprint: string): boolean {
    const { notificationLog } = this.#parts;
    return this.integrations.some((integration) =>
      notificationLog.find(this.#keyOf(integration, group))?.firing.has(fingerprint),
    );
  }

  #keyOf({ name, index }: ReceiverIntegration, group: AlertGroup): string {
    return printLogKey({ groupKey: group.key, receiver: this.name, integration: name, index });
  }

  #share(flush: Flush): SharedFlush {
    const fingerprints = (resolved: boolean) =>
      flush.alerts.filter(({ isResolved }) => isResolved === resolved).map(({ alert }) => alert.fingerprint);
    let told: ReturnType<SharedFlush['told']> | undefined;
    const make = () => {
      const alerts = flush.alerts.map(notifiedAlert);
      return { alerts, routeLabels: this.#parts.renderRouteLabels(flush.group, alerts) };
    };
    return {
      ...flush,
      firing: fingerprints(false),
      resolved: fingerprints(true),
      told: () => {
        told ??= make();
        return told;
      },
    };
  }

  #tellOne(integration: ReceiverIntegration, flush: SharedFlush): boolean | Promise<boolean> {
    const { notificationLog } = this.#parts;
    const key = this.#keyOf(integration, flush.group);
    // After a reload, the same may still be under way for the group of before.
    if (!notificationLog.isBusy(key) && !this.reasonFor(integration, flush.group, flush, flush.at)) return true;
    return notificationLog.exclusively(key, async () => {
      const reason = this.reasonFor(integration, flush.group, flush, flush.at);
      return reason ? this.#tellReason(integration, key, flush, reason) : true;
    });
  }

  async #tellReason(
    integration: ReceiverIntegration,
    key: string,
    flush: SharedFlush,
    reason: NotificationReason,
  ): Promise<boolean> {
    const { metrics, history, clock } = this.#parts;
    const receiverData = this.#receiverDataOf(key, reason);
    metrics.attempted(integration.name, this.name);
    // Where nobody wants to hear of resolved alerts, the log has to learn of them all the same.
    if (!integration.sendResolved && flush.firing.length === 0) {
      await this.#write(flush, [this.#logEntry(key, flush, receiverData)]);
      return true;
    }
    const startedAt = clock.now();
    const notification = this.#notificationFor(integration, flush, reason, receiverData);
    const { delivery, attempts } = await this.#send(integration, notification, flush.deadlineAt);
    const record = history.add(
      describe(integration, notification, delivery, { attempts, startedAt, now: clock.now() }),
    );
    if (delivery.ok) {
      await this.#write(flush, [this.#logEntry(key, flush, delivery.receiverData ?? receiverData), record]);
      return true;
    }
    metrics.failed(integration.name, this.name, delivery.reason);
    this.#logFailure(integration, flush, delivery);
    await this.#write(flush, [record]);
    return false;
  }

  /** A group that is told of for the first time starts anew, as Alertmanager does. */
  #receiverDataOf(key: string, reason: NotificationReason): ReceiverData {
    return reason === 'first notification' ? {} : (this.#parts.notificationLog.find(key)?.receiverData ?? {});
  }

  #notificationFor(
    { sendResolved }: ReceiverIntegration,
    { group, at, told }: SharedFlush,
    reason: NotificationReason,
    receiverData: ReceiverData,
  ): Notification {
    const { alerts, routeLabels } = told();
    return {
      receiver: this.name,
      groupKey: group.key,
      groupLabels: pairsOf(group.labels),
      routeLabels,
      alerts: sendResolved ? alerts : alerts.filter(({ status }) => status === 'firing'),
      reason,
      flushedAt: at,
      receiverData,
    };
  }

  async #send(integration: ReceiverIntegration, notification: Notification, deadlineAt: number): Promise<RetryResult> {
    const { clock, random } = this.#parts;
    const sending = { end: new AbortController(), lastCall: new AbortController() };
    if (this.#ending) sending.end.abort(this.#ending);
    if (this.#isLastCall) sending.lastCall.abort();
    this.#sending.add(sending);
    try {
      return await notifyWithRetry(integration.notifier, notification, {
        clock,
        random,
        signal: sending.end.signal,
        lastCall: sending.lastCall.signal,
        deadline: deadlineAt,
        onAttempt: (attempt) => this.#noteAttempt(integration, notification, attempt),
      });
    } finally {
      this.#sending.delete(sending);
    }
  }

  #noteAttempt(
    { name, index }: ReceiverIntegration,
    { groupKey }: Notification,
    { ok, latencyMs, error, number, retry }: Attempt,
  ): void {
    const { metrics, log } = this.#parts;
    metrics.requested(name, this.name, ok, latencyMs);
    if (error === undefined || !retry) return;
    log.warn('Notify attempt failed, will retry later', {
      receiver: this.name,
      integration: `${name}[${index}]`,
      aggrGroup: groupKey,
      attempts: number,
      err: error,
    });
  }

  #logEntry(key: string, flush: SharedFlush, receiverData: ReceiverData): Statement {
    const { notificationLog, clock, retentionMs } = this.#parts;
    const now = clock.now();
    const entry = { at: now, firing: new Set(flush.firing), resolved: new Set(flush.resolved), receiverData };
    const { repeatIntervalMs, groupIntervalMs } = flush.group.route;
    // Where groups are flushed less often than they repeat, the next flush still has to find it.
    const keptMs = 2 * Math.max(repeatIntervalMs, groupIntervalMs);
    return notificationLog.set(key, entry, now + Math.min(retentionMs, keptMs));
  }

  #logFailure(
    { name, index }: ReceiverIntegration,
    { group, alerts }: Flush,
    delivery: Extract<Delivery, { ok: false }>,
  ): void {
    const err = `${this.name}/${name}[${index}]: ${delivery.error}`;
    const fields = { aggrGroup: group.key, num_alerts: alerts.length, err };
    // A reload or the end of the server is no fault of the receiver.
    if (delivery.reason === 'contextCanceled') this.#parts.log.debug('Notify for alerts failed', fields);
    else this.#parts.log.error('Notify for alerts failed', fields);
  }

  /**
   * What was sent is not sent again because a disk is full: memory knows of it as long as the process lives. The alerts
   * come along, or after a crash they would be older than what was told of them: over, and then firing once more.
   */
  async #write({ alerts }: Flush, statements: readonly Statement[]): Promise<void> {
    const { database, writeAlerts } = this.#parts;
    try {
      await Promise.all([database.write(statements), writeAlerts(alerts.map(({ slot }) => slot))]);
    } catch (error) {
      this.#parts.log.error('a notification could not be written to the log on disk', { err: messageOf(error) });
    }
  }
}

function describe(
  { name, index }: ReceiverIntegration,
  { receiver, groupKey, groupLabels, reason, alerts }: Notification,
  delivery: Delivery,
  { attempts, startedAt, now }: { readonly attempts: number; readonly startedAt: number; readonly now: number },
): NotificationRecord {
  const firing = alerts.filter(({ status }) => status === 'firing').length;
  return {
    at: now,
    receiver,
    integration: name,
    index,
    groupKey,
    groupLabels,
    reason,
    attempts,
    durationMs: now - startedAt,
    firing,
    resolved: alerts.length - firing,
    alerts: alerts
      .slice(0, MOST_NAMED_ALERTS)
      .map(({ fingerprint, status, labels }) => ({ fingerprint, status, labels })),
    error: delivery.ok ? undefined : delivery.error,
  };
}
