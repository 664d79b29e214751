import type { Metrics } from '../../kernel/metrics/metrics.ts';

/** Alertmanager's metrics of the event recorder, but those of Kafka and of its serializer. */
export function createEventMetrics(metrics: Metrics, queueLength: () => number) {
  const recorded = metrics.counter(
    'alertmanager_events_recorded_total',
    'The total number of events recorded by the event recorder.',
    ['event_type', 'output', 'result'],
  );
  const bytesWritten = metrics.counter(
    'alertmanager_event_recorder_bytes_written_total',
    'The total number of bytes written to the event recorder.',
    ['event_type', 'output'],
  );
  const dropped = metrics.counter(
    'alertmanager_events_dropped_total',
    'The total number of events dropped due to a full queue.',
    ['event_type'],
  );
  const outputDropped = metrics.counter(
    'alertmanager_event_output_drops_total',
    'The total number of events dropped by an output due to a full local buffer.',
    ['output'],
  );
  metrics.gauge(
    'alertmanager_event_recorder_queue_length',
    'Current number of events waiting in the event recorder write queue.',
    [],
    (gauge) => gauge.set(queueLength()),
  );
  return {
    /** `bytes`: undefined after a failure. */
    written(type: string, output: string, bytes: number | undefined): void {
      recorded.inc({ event_type: type, output, result: bytes === undefined ? 'error' : 'success' });
      if (bytes !== undefined) bytesWritten.inc({ event_type: type, output }, bytes);
    },
    dropped: (type: string): void => dropped.inc({ event_type: type }),
    outputDropped: (output: string, count: number): void => outputDropped.inc({ output }, count),
  };
}
