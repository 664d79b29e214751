import { NO_TRACES, type Traces } from '../../kernel/tracing/tracer.ts';
import { type FoundAlerts, reasonToNotify } from '../domain/deduplication.ts';
import type { NotificationReason } from '../domain/notification.ts';
import type { AlertGroup } from '../store/group.ts';
import { type NotificationLog, printLogKey } from './notification/log.ts';
import type { ReceiverIntegration } from './receiver.ts';

/** Decides from the notification log which integrations of a receiver need a notification. */
export class Dedup {
  readonly #log: NotificationLog;
  readonly #receiver: string;
  readonly #integrations: readonly ReceiverIntegration[];
  readonly #traces: Traces;

  constructor(
    log: NotificationLog,
    receiver: string,
    integrations: readonly ReceiverIntegration[],
    traces: Traces = NO_TRACES,
  ) {
    this.#log = log;
    this.#traces = traces;
    this.#receiver = receiver;
    this.#integrations = integrations;
  }

  /** Integrations that need a notification. After a reload, an older flush may still be sending to one of them. */
  unaware(group: AlertGroup, found: FoundAlerts, at: number): readonly ReceiverIntegration[] {
    return this.#integrations.filter((integration) => {
      const span = this.#traces.tracer?.start('notify.DedupStage.Exec', {
        attributes: { 'alerting.group.key': group.key, 'alerting.integration.name': integration.name },
      });
      const isUnaware =
        this.reasonFor(integration, group, found, at) !== undefined || this.#log.isBusy(this.keyOf(integration, group));
      if (isUnaware) span?.event('notify.DedupStage.Exec nflog needs update');
      span?.end();
      return isUnaware;
    });
  }

  /** Why an integration would be notified of the group now, or undefined. */
  reasonFor(
    integration: ReceiverIntegration,
    group: AlertGroup,
    found: FoundAlerts,
    at: number,
  ): NotificationReason | undefined {
    const last = this.#log.find(this.keyOf(integration, group));
    const rules = { sendResolved: integration.sendResolved, repeatIntervalMs: group.route.repeatIntervalMs };
    return reasonToNotify(last, found, rules, at);
  }

  /** Whether the last notification of some integration said that the alert fires. */
  believesFiring(group: AlertGroup, fingerprint: string): boolean {
    return this.#integrations.some((integration) =>
      this.#log.find(this.keyOf(integration, group))?.firing.has(fingerprint),
    );
  }

  /** The name of a group and an integration in the log. */
  keyOf(integration: ReceiverIntegration, group: AlertGroup): string {
    // A reload that changes the integrations makes all groups anew.
    group.logKeys ??= this.#integrations.map(({ name, index }) =>
      printLogKey({ groupKey: group.key, receiver: this.#receiver, integration: name, index }),
    );
    return group.logKeys[this.#integrations.indexOf(integration)] as string;
  }
}
