import { type Traces, traced } from '../../kernel/tracing/tracer.ts';
import type { Notifier } from '../integrations/notifier.ts';
import type { ReceiverIntegration } from './receiver.ts';

/** Makes each attempt a span, named as Alertmanager's. */
export function tracedNotifier({ name, notifier }: ReceiverIntegration, traces: Traces): Notifier {
  return {
    notify(notification, signal) {
      const attributes = {
        'alerting.notify.integration.name': name,
        'alerting.alerts.count': notification.alerts.length,
      };
      return traced(
        traces,
        'notify.Integration.Notify',
        () => ({ kind: 'client', attributes }),
        async (span) => {
          const delivery = await notifier.notify(notification, signal);
          span?.set({ 'alerting.notify.error.recoverable': !delivery.ok && delivery.retry });
          if (!delivery.ok) span?.fail(delivery.error);
          return delivery;
        },
      );
    },
  };
}
