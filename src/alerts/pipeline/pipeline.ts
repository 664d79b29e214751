import type { FoundAlerts } from '../domain/deduplication.ts';
import type { AlertGroup } from '../store/group.ts';
import type { Claim } from './claims.ts';
import type { FlushedAlert } from './flushed-alert.ts';
import type { Receiver, ReceiverIntegration } from './receiver.ts';
import type { Suppression } from './suppression.ts';

/** What a flush has to send. */
export interface Evaluation extends FoundAlerts {
  readonly group: AlertGroup;
  readonly receiver: Receiver;
  /** Without suppressed alerts; never empty. */
  readonly alerts: readonly FlushedAlert[];
  /** The receiver's integrations that need a notification; never empty. */
  readonly unaware: readonly ReceiverIntegration[];
  readonly claim: Claim | undefined;
  /** The instant of the flush. */
  readonly at: number;
  /** The end of all attempts; epoch milliseconds. */
  readonly deadlineAt: number;
}

/** Minimum time for the attempts of a notification, however short the group's interval. */
const MIN_DEADLINE_MS = 10_000;

/** Evaluates a flush under one configuration: suppression, then deduplication by the receiver. */
export class Pipeline {
  readonly #suppression: Suppression;
  /** By name; only receivers that a route uses. */
  readonly #receivers: ReadonlyMap<string, Receiver>;

  constructor(suppression: Suppression, receivers: ReadonlyMap<string, Receiver>) {
    this.#suppression = suppression;
    this.#receivers = receivers;
  }

  /** Undefined: nothing to send, and resolved alerts are settled. */
  evaluate(group: AlertGroup, held: readonly FlushedAlert[], at: number, claim?: Claim): Evaluation | undefined {
    const alerts = this.#suppression.pass(group, held, at);
    if (alerts.length === 0) return undefined;
    const deadlineAt = at + Math.max(group.route.groupIntervalMs, MIN_DEADLINE_MS);
    return this.#receivers.get(group.receiver)?.evaluate({ group, alerts, claim, at, deadlineAt });
  }
}
