import type { Notifier } from '../integrations/notifier.ts';
import { Ending } from '../integrations/retry.ts';
import { Dedup } from './dedup.ts';
import { fingerprintsOf } from './flushed-alert.ts';
import type { NotificationLog } from './notification/log.ts';
import type { Evaluation } from './pipeline.ts';
import { Sending, type SendingParts } from './sending.ts';

/** One notifier of a receiver. `index`: its place in the receiver's list of its kind. */
export interface ReceiverIntegration {
  readonly name: string;
  readonly index: number;
  readonly sendResolved: boolean;
  readonly notifier: Notifier;
}

export interface ReceiverParts extends SendingParts {
  readonly notificationLog: NotificationLog;
}

/** A receiver of a configuration: notifies each of its integrations that needs it, all at once. */
export class Receiver {
  readonly name: string;
  readonly integrations: readonly ReceiverIntegration[];
  readonly dedup: Dedup;
  readonly #parts: ReceiverParts;
  /** One per send: thousands of listeners on a single one would cost thousands of steps each. */
  readonly #endings = new Set<Ending>();
  #reason: Error | undefined;
  #isLastCall = false;

  constructor(name: string, integrations: readonly ReceiverIntegration[], parts: ReceiverParts) {
    this.name = name;
    this.integrations = integrations;
    this.#parts = parts;
    this.dedup = new Dedup(parts.notificationLog, name, integrations, parts.traces);
  }

  /** Undefined: no integration needs a notification. */
  evaluate(flushed: Pick<Evaluation, 'group' | 'alerts' | 'claim' | 'at' | 'deadlineAt'>): Evaluation | undefined {
    const { group, alerts, claim, at, deadlineAt } = flushed;
    const { firing, resolved, inDoubt } = fingerprintsOf(alerts, claim?.isInDoubt);
    const unaware = this.dedup.unaware(group, { firing, resolved, inDoubt }, at);
    if (unaware.length === 0) return undefined;
    return { group, receiver: this, alerts, claim, unaware, firing, resolved, inDoubt, at, deadlineAt };
  }

  /** Resolves with whether every integration is up to date. Calls `leave` when all first attempts have ended. */
  async notify(evaluation: Evaluation, leave: () => void): Promise<boolean> {
    let trying = evaluation.unaware.length;
    const tried = () => {
      trying--;
      if (trying === 0) leave();
    };
    const results = await Promise.allSettled(
      evaluation.unaware.map((integration) => this.#notifyOne(integration, evaluation, tried)),
    );
    const broken = results.find(({ status }) => status === 'rejected');
    // Thrown only when all others have ended.
    if (broken?.status === 'rejected') throw broken.reason;
    return results.every((result) => result.status === 'fulfilled' && result.value);
  }

  /** Aborts sends under way and all later ones. */
  abort(reason: Error): void {
    this.#reason = reason;
    for (const ending of this.#endings) ending.abort(reason);
  }

  /** No further attempt begins; attempts under way finish. */
  endRetries(): void {
    this.#isLastCall = true;
    for (const ending of this.#endings) ending.callLast();
  }

  #notifyOne(integration: ReceiverIntegration, evaluation: Evaluation, tried: () => void): Promise<boolean> {
    const { group, at } = evaluation;
    const key = this.dedup.keyOf(integration, group);
    return this.#parts.notificationLog.exclusively(key, async () => {
      // A flush from before a reload may have sent the same meanwhile.
      const reason = this.dedup.reasonFor(integration, group, evaluation, at);
      if (!reason) return true;
      const ending = this.#newEnding();
      try {
        const sending = new Sending({ receiver: this.name, integration, key, reason, evaluation }, this.#parts);
        return await sending.run(ending, tried);
      } finally {
        this.#endings.delete(ending);
      }
    });
  }

  #newEnding(): Ending {
    const ending = new Ending();
    if (this.#reason) ending.abort(this.#reason);
    if (this.#isLastCall) ending.callLast();
    this.#endings.add(ending);
    return ending;
  }
}
