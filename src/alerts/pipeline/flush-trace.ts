import type { Span, Tracer } from '../../kernel/tracing/tracer.ts';
import type { AlertGroup } from '../store/group.ts';

/** The spans of one flush, named as Alertmanager's: the flush, and within it the way through its receiver's stages. */
export class FlushTrace {
  readonly #tracer: Tracer;
  readonly #flush: Span;
  readonly #stages: Span;

  constructor(tracer: Tracer, group: AlertGroup, alertCount: number) {
    const count = { 'alerting.alerts.count': alertCount };
    this.#tracer = tracer;
    this.#flush = tracer.start('dispatch.AggregationGroup.flush', {
      // The timer of a group may have been set within a request.
      isRoot: true,
      attributes: { 'alerting.aggregation_group.key': group.key, ...count },
    });
    this.#stages = tracer.within(this.#flush, () =>
      tracer.start('notify.RoutingStage.Exec', {
        attributes: { 'alerting.notify.receiver.name': group.receiver, ...count },
      }),
    );
  }

  within<T>(action: () => T): T {
    return this.#tracer.within(this.#stages, action);
  }

  /** Some integration is not up to date. */
  fail(): void {
    this.#flush.fail('notification failed');
  }

  end(): void {
    this.#stages.end();
    this.#flush.end();
  }
}
