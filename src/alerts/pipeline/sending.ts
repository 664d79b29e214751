import { NO_TRACES, type Traces, traced } from '../../kernel/tracing/tracer.ts';
import { dataFor, idempotencyKeyOf } from '../domain/deduplication.ts';
import type { Notification, NotificationReason, NotifiedAlert, Pairs } from '../domain/notification.ts';
import type { Delivery } from '../integrations/notifier.ts';
import {
  type Attempt,
  type Ending,
  notifyWithRetry,
  type RetryParts,
  type RetryResult,
} from '../integrations/retry.ts';
import type { AlertGroup } from '../store/group.ts';
import type { PipelineEvents } from './events.ts';
import { notifiedAlert, pairsOf, recordOf } from './notification/data.ts';
import type { NotificationHealth } from './notification/health.ts';
import type { NotificationMetrics } from './notification/metrics.ts';
import { type Delivered, NotificationRecorder, type NotificationRecorderParts } from './notification/recorder.ts';
import { tracedNotifier } from './notifier-trace.ts';
import type { Evaluation } from './pipeline.ts';
import type { ReceiverIntegration } from './receiver.ts';

export interface SendingParts extends NotificationRecorderParts {
  readonly metrics: NotificationMetrics;
  readonly health: NotificationHealth;
  /** From 0 to below 1. */
  readonly random: () => number;
  readonly traces?: Traces | undefined;
  readonly events?: PipelineEvents | undefined;
  readonly renderRouteLabels: (group: AlertGroup, alerts: readonly NotifiedAlert[]) => Pairs;
}

interface Subject {
  readonly receiver: string;
  readonly integration: ReceiverIntegration;
  /** In the notification log. */
  readonly key: string;
  readonly reason: NotificationReason;
  readonly evaluation: Evaluation;
}

/** One notification of a flush to one integration, from the first attempt to the record of its result. */
export class Sending {
  readonly #subject: Subject;
  readonly #parts: SendingParts;
  readonly #recorder: NotificationRecorder;
  readonly #traces: Traces;

  constructor(subject: Subject, parts: SendingParts) {
    this.#subject = subject;
    this.#parts = parts;
    this.#recorder = new NotificationRecorder(parts);
    this.#traces = parts.traces ?? NO_TRACES;
  }

  /** Resolves with whether the integration is up to date. Calls `tried` when the first attempt has ended. */
  async run(ending: Ending, tried: () => void): Promise<boolean> {
    const { receiver, integration, key, evaluation } = this.#subject;
    const { claim } = evaluation;
    const { metrics, health, clock, random } = this.#parts;
    metrics.attempted(integration.name, receiver);
    const notification = this.#notification();
    // With send_resolved off nothing is sent, but the log must hold the resolved alerts.
    if (notification.alerts.length === 0) {
      tried();
      health.settled(key);
      await this.#delivered({ receiverData: notification.receiverData });
      return true;
    }
    const startedAt = clock.now();
    const {
      delivery,
      attempts,
      lastError = '',
    } = await this.#retry(notification, {
      ...{ clock, random, ending, deadline: evaluation.deadlineAt },
      mayBegin: claim && (() => claim.confirm()),
      onAttempt: (attempt) => {
        if (attempt.number === 1) tried();
        this.#noteAttempt(attempt);
      },
    });
    this.#noteTemplateError(delivery.templateError);
    const record = recordOf(integration, notification, delivery, { attempts, startedAt, now: clock.now() });
    if (delivery.ok) {
      this.#parts.events?.notified(integration, notification.reason, evaluation);
      health.sent(record);
      const { receiverData = notification.receiverData } = delivery;
      await this.#delivered({ record, receiverData });
      return true;
    }
    metrics.failed(integration.name, receiver, delivery.reason);
    // A reload or the end of the server is no fault of the receiver.
    if (delivery.reason !== 'contextCanceled') health.failed(record, lastError);
    this.#logFailure(delivery);
    await this.#recorder.failed(evaluation, record);
    return false;
  }

  #retry(notification: Notification, parts: RetryParts): Promise<RetryResult> {
    const { receiver, integration, evaluation } = this.#subject;
    const attributes = {
      'alerting.group.name': receiver,
      'alerting.integration.name': integration.name,
      'alerting.alerts.count': evaluation.alerts.length,
    };
    return traced(
      this.#traces,
      'notify.RetryStage.Exec',
      () => ({ attributes }),
      async (span) => {
        const notifier = span ? tracedNotifier(integration, this.#traces) : integration.notifier;
        const result = await notifyWithRetry(notifier, notification, parts);
        if (!result.delivery.ok) span?.fail(result.delivery.error);
        return result;
      },
    );
  }

  #delivered(delivered: Delivered): Promise<void> {
    const { key, evaluation } = this.#subject;
    const { group, alerts, firing, resolved } = evaluation;
    const attributes = () => ({
      'alerting.group.key': group.key,
      'alerting.alerts.count': alerts.length,
      'alerting.alerts.firing.count': firing.length,
      'alerting.alerts.resolved.count': resolved.length,
    });
    return traced(
      this.#traces,
      'notify.SetNotifiesStage.Exec',
      () => ({ attributes: attributes() }),
      () => this.#recorder.delivered(key, evaluation, delivered),
    );
  }

  #notification(): Notification {
    const { receiver, integration, key, reason, evaluation } = this.#subject;
    const { group, at, alerts } = evaluation;
    const last = this.#parts.notificationLog.find(key);
    const wanted = integration.sendResolved ? alerts : alerts.filter(({ isResolved }) => !isResolved);
    const notified = wanted.map(notifiedAlert);
    return {
      id: idempotencyKeyOf(key, wanted, last),
      receiver,
      groupKey: group.key,
      groupLabels: pairsOf(group.labels),
      routeLabels: this.#parts.renderRouteLabels(
        group,
        wanted.length === alerts.length ? notified : alerts.map(notifiedAlert),
      ),
      alerts: notified,
      reason,
      flushedAt: at,
      receiverData: dataFor(reason, last?.receiverData ?? {}),
    };
  }

  #noteAttempt({ ok, latencyMs, error, number, retry }: Attempt): void {
    const { receiver, integration, evaluation } = this.#subject;
    const { metrics, health, clock, log } = this.#parts;
    metrics.requested(integration.name, receiver, ok, latencyMs);
    if (error === undefined || !retry) return;
    const { name, index } = integration;
    health.stumbled({ groupKey: evaluation.group.key, receiver, integration: name, index }, clock.now(), error);
    log.warn('Notify attempt failed, will retry later', {
      receiver,
      integration: `${integration.name}[${integration.index}]`,
      aggrGroup: evaluation.group.key,
      attempts: number,
      err: error,
    });
  }

  /** Once for a notification, whatever the number of its attempts. */
  #noteTemplateError(err: string | undefined): void {
    if (err === undefined) return;
    const { receiver, integration, evaluation } = this.#subject;
    this.#parts.metrics.templateFailed(integration.name, receiver);
    this.#parts.log.error('a template could not be rendered, so the notification has other words in its place', {
      receiver,
      integration: `${integration.name}[${integration.index}]`,
      aggrGroup: evaluation.group.key,
      err,
    });
  }

  #logFailure(delivery: Extract<Delivery, { ok: false }>): void {
    const { receiver, integration, evaluation } = this.#subject;
    const err = `${receiver}/${integration.name}[${integration.index}]: ${delivery.error}`;
    const fields = { aggrGroup: evaluation.group.key, num_alerts: evaluation.alerts.length, err };
    if (delivery.reason === 'contextCanceled') this.#parts.log.debug('Notify for alerts failed', fields);
    else this.#parts.log.error('Notify for alerts failed', fields);
  }
}
