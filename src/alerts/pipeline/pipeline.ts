import type { FoundAlerts } from '../domain/deduplication.ts';
import type { AlertGroup } from '../store/alert-group.ts';
import type { FlushedAlert } from './flushed-alert.ts';
import type { Receiver, ReceiverIntegration } from './receiver.ts';
import type { Suppression } from './suppression.ts';

/** What a flush has found to tell. */
export interface Evaluation extends FoundAlerts {
  readonly group: AlertGroup;
  readonly receiver: Receiver;
  /** Without those that were left out; never empty. */
  readonly alerts: readonly FlushedAlert[];
  /** The integrations of the receiver that have something to hear; never empty. */
  readonly unaware: readonly ReceiverIntegration[];
  /** The instant of the flush. */
  readonly at: number;
  /** Until when notifications may be tried; epoch milliseconds. */
  readonly deadlineAt: number;
}

/** However short the interval of a group, its notifications have this long to arrive. */
const MIN_DEADLINE_MS = 10_000;

/** The way of a flush under one configuration: suppression leaves alerts out, and the receiver knows what it was told. */
export class Pipeline {
  readonly #suppression: Suppression;
  /** By the names of those receivers that some route uses. */
  readonly #receivers: ReadonlyMap<string, Receiver>;

  constructor(suppression: Suppression, receivers: ReadonlyMap<string, Receiver>) {
    this.#suppression = suppression;
    this.#receivers = receivers;
  }

  /** Undefined: there is nothing to tell, and resolved alerts are settled. */
  evaluate(group: AlertGroup, held: readonly FlushedAlert[], at: number): Evaluation | undefined {
    const alerts = this.#suppression.pass(group, held, at);
    if (alerts.length === 0) return undefined;
    const deadlineAt = at + Math.max(group.route.groupIntervalMs, MIN_DEADLINE_MS);
    return this.#receivers.get(group.receiver)?.evaluate({ group, alerts, at, deadlineAt });
  }
}
