import { addSubscribers, type SubscriberCounts } from '../metrics/subscribers.ts';
import type { EnvironmentId } from './change.ts';
import type { ClientCount, WorkerReport } from './tally.ts';

/** What the workers have counted, as of their last reports. */
export class WorkerCounts {
  readonly #reports = new Map<object, WorkerReport>();
  /** Clients dropped by workers that have ended. */
  readonly #droppedBefore = new Map<EnvironmentId, number>();

  /** Open streams. */
  get open(): readonly ClientCount[] {
    return [...this.#reports.values()].flatMap(({ open }) => open);
  }

  /** The clients of an environment, with those in `here`, the main thread. */
  subscribers(environment: EnvironmentId, here: SubscriberCounts): SubscriberCounts {
    const before = { ...here, dropped: here.dropped + (this.#droppedBefore.get(environment) ?? 0) };
    return this.#of(environment).reduce(addSubscribers, before);
  }

  set(worker: object, report: WorkerReport): void {
    this.#reports.set(worker, report);
  }

  /** Keeps of a worker that has ended what must never go back. */
  forget(worker: object): void {
    for (const [id, { dropped }] of this.#reports.get(worker)?.subscribers ?? [])
      this.#droppedBefore.set(id, (this.#droppedBefore.get(id) ?? 0) + dropped);
    this.#reports.delete(worker);
  }

  #of(environment: EnvironmentId): readonly SubscriberCounts[] {
    return [...this.#reports.values()].flatMap(({ subscribers }) =>
      subscribers.flatMap(([id, counts]) => (id === environment ? counts : [])),
    );
  }
}
