import { reasonToNotify } from '../domain/deduplication.ts';
import type { Notification, NotificationReason, NotifiedAlert, Pairs } from '../domain/notification.ts';
import type { Delivery, Notifier } from '../notify/notifier.ts';
import { type Attempt, Ending, notifyWithRetry, type RetryResult } from '../notify/retry.ts';
import type { AlertGroup } from '../store/alert-group.ts';
import { notifiedAlert, pairsOf, recordOf } from './notification-data.ts';
import {
  type Beginning,
  type FlushedFingerprints,
  NotificationJournal,
  type NotificationJournalParts,
} from './notification-journal.ts';
import { printLogKey } from './notification-log.ts';
import type { NotificationMetrics } from './notification-metrics.ts';
import type { Flush, FlushedAlert, Telling } from './pipeline.ts';

/** One notifier of a receiver. `index`: its place in the receiver's list of its kind. */
export interface ReceiverIntegration {
  readonly name: string;
  readonly index: number;
  readonly sendResolved: boolean;
  readonly notifier: Notifier;
}

export interface ReceiverNotifierParts extends NotificationJournalParts {
  readonly metrics: NotificationMetrics;
  /** From 0 to below 1. */
  readonly random: () => number;
  readonly renderRouteLabels: (group: AlertGroup, alerts: readonly NotifiedAlert[]) => Pairs;
}

/** What all integrations of a receiver share of one flush. */
interface SharedFlush extends FlushedFingerprints {
  readonly flush: Flush;
  /** Made when the first of them needs it. */
  told: { readonly alerts: readonly NotifiedAlert[]; readonly routeLabels: Pairs } | undefined;
}

type Beginnings = ReadonlyMap<ReceiverIntegration, Beginning | undefined>;

const NOBODY: readonly string[] = [];

/** Tells a receiver of flushed alerts: each of its integrations that does not know yet, all at once. */
export class ReceiverNotifier {
  readonly name: string;
  readonly integrations: readonly ReceiverIntegration[];
  readonly #parts: ReceiverNotifierParts;
  readonly #journal: NotificationJournal;
  /** One for each that is being told: thousands of listeners at a single one would cost thousands of steps each. */
  readonly #endings = new Set<Ending>();
  #ending: Error | undefined;
  #isLastCall = false;

  constructor(name: string, integrations: readonly ReceiverIntegration[], parts: ReceiverNotifierParts) {
    this.name = name;
    this.integrations = integrations;
    this.#parts = parts;
    this.#journal = new NotificationJournal(parts);
  }

  /** What there is to tell; undefined: every integration knows. */
  judge(flush: Flush): Telling | undefined {
    const shared = share(flush);
    const unaware = this.integrations.filter((integration) => this.#mayHaveToHear(integration, shared));
    if (unaware.length === 0) return undefined;
    return {
      prepare: () => {
        const sent = { ...shared };
        const beginnings = this.#beginAll(unaware, sent);
        return (leave) => this.#tellAll(unaware, { shared: sent, beginnings }, leave);
      },
    };
  }

  #beginAll(unaware: readonly ReceiverIntegration[], shared: SharedFlush): Beginnings {
    const free = unaware.filter((integration) => !this.#isBusy(integration, shared));
    return new Map(free.map((integration) => [integration, this.#begin(integration, shared)]));
  }

  /** After a reload, the same may still be under way for the group of before. */
  #mayHaveToHear(integration: ReceiverIntegration, shared: SharedFlush): boolean {
    const { group, at } = shared.flush;
    return this.reasonFor(integration, group, shared, at) !== undefined || this.#isBusy(integration, shared);
  }

  #isBusy(integration: ReceiverIntegration, { flush }: SharedFlush): boolean {
    return this.#parts.notificationLog.isBusy(this.#keyOf(integration, flush.group));
  }

  async #tellAll(
    unaware: readonly ReceiverIntegration[],
    { shared, beginnings }: { readonly shared: SharedFlush; readonly beginnings: Beginnings },
    leave: () => void,
  ): Promise<boolean> {
    let trying = unaware.length;
    const tried = () => {
      trying--;
      if (trying === 0) leave();
    };
    const results = await Promise.allSettled(
      unaware.map((integration) => this.#tellOne(integration, shared, beginnings.get(integration), tried)),
    );
    const broken = results.find(({ status }) => status === 'rejected');
    // Thrown only when all others have come to their end.
    if (broken?.status === 'rejected') throw broken.reason;
    return results.every((result) => result.status === 'fulfilled' && result.value);
  }

  /** Ends what is under way, and all that would follow. */
  abort(reason: Error): void {
    this.#ending = reason;
    for (const ending of this.#endings) ending.abort(reason);
  }

  /** From now on no attempt begins; those under way come to their end. */
  endRetries(): void {
    this.#isLastCall = true;
    for (const ending of this.#endings) ending.callLast();
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
    return this.integrations.some((integration) => {
      const last = notificationLog.find(this.#keyOf(integration, group));
      return last?.firing.has(fingerprint) || last?.begun?.perhapsFiring.has(fingerprint);
    });
  }

  #keyOf(integration: ReceiverIntegration, group: AlertGroup): string {
    // A reload that changes the integrations makes all groups anew.
    group.logKeys ??= this.integrations.map(({ name, index }) =>
      printLogKey({ groupKey: group.key, receiver: this.name, integration: name, index }),
    );
    return group.logKeys[this.integrations.indexOf(integration)] as string;
  }

  #tellOne(
    integration: ReceiverIntegration,
    shared: SharedFlush,
    beginning: Beginning | undefined,
    tried: () => void,
  ): Promise<boolean> {
    const hasToWait = this.#isBusy(integration, shared);
    return this.#parts.notificationLog.exclusively(this.#keyOf(integration, shared.flush.group), async () => {
      // What was begun is over by then: there may be nothing left to tell.
      const current = hasToWait ? this.#begin(integration, shared) : beginning;
      if (hasToWait) this.#journal.commit();
      return current ? this.#tellNow(integration, shared, current, tried) : true;
    });
  }

  #begin(integration: ReceiverIntegration, shared: SharedFlush): Beginning | undefined {
    const { group, at } = shared.flush;
    const reason = this.reasonFor(integration, group, shared, at);
    if (!reason) return undefined;
    return this.#journal.begin(this.#keyOf(integration, group), integration.sendResolved, reason, shared);
  }

  async #tellNow(
    integration: ReceiverIntegration,
    shared: SharedFlush,
    beginning: Beginning,
    tried: () => void,
  ): Promise<boolean> {
    const { metrics, clock } = this.#parts;
    const { flush, firing } = shared;
    metrics.attempted(integration.name, this.name);
    // Where nobody wants to hear of resolved alerts, the log has to learn of them all the same.
    if (!integration.sendResolved && firing.length === 0) {
      tried();
      await this.#journal.succeed(beginning, shared);
      return true;
    }
    const startedAt = clock.now();
    const notification = this.#notificationFor(integration, shared, beginning);
    const { deadlineAt } = flush;
    const { delivery, attempts } = await this.#send(integration, notification, { deadlineAt, tried });
    const record = recordOf(integration, notification, delivery, { attempts, startedAt, now: clock.now() });
    if (delivery.ok) {
      await this.#journal.succeed(beginning, shared, { record, receiverData: delivery.receiverData });
      return true;
    }
    metrics.failed(integration.name, this.name, delivery.reason);
    this.#logFailure(integration, flush, delivery);
    await this.#journal.fail(beginning, shared, record, delivery.retry);
    return false;
  }

  #notificationFor(
    { sendResolved }: ReceiverIntegration,
    shared: SharedFlush,
    { id, reason, receiverData }: Beginning,
  ): Notification {
    const { group, at } = shared.flush;
    shared.told ??= this.#told(shared.flush);
    const { alerts, routeLabels } = shared.told;
    return {
      id,
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

  #told({ group, alerts }: Flush): NonNullable<SharedFlush['told']> {
    const told = alerts.map(notifiedAlert);
    return { alerts: told, routeLabels: this.#parts.renderRouteLabels(group, told) };
  }

  async #send(
    integration: ReceiverIntegration,
    notification: Notification,
    { deadlineAt, tried }: { readonly deadlineAt: number; readonly tried: () => void },
  ): Promise<RetryResult> {
    const { clock, random } = this.#parts;
    const ending = new Ending();
    if (this.#ending) ending.abort(this.#ending);
    if (this.#isLastCall) ending.callLast();
    this.#endings.add(ending);
    try {
      return await notifyWithRetry(integration.notifier, notification, {
        clock,
        random,
        ending,
        deadline: deadlineAt,
        onAttempt: (attempt) => {
          if (attempt.number === 1) tried();
          this.#noteAttempt(integration, notification, attempt);
        },
      });
    } finally {
      this.#endings.delete(ending);
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
}

function share(flush: Flush): SharedFlush {
  return {
    flush,
    firing: fingerprintsOf(flush.alerts, false),
    resolved: fingerprintsOf(flush.alerts, true),
    told: undefined,
  };
}

function fingerprintsOf(alerts: readonly FlushedAlert[], areResolved: boolean): readonly string[] {
  let count = 0;
  for (const { isResolved } of alerts) if (isResolved === areResolved) count++;
  if (count === 0) return NOBODY;
  // Most of the time they are all alike; a list that is pushed to has room for seventeen.
  const some = count === alerts.length ? alerts : alerts.filter(({ isResolved }) => isResolved === areResolved);
  return some.map(({ alert }) => alert.fingerprint);
}
