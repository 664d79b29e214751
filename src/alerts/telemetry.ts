import { hostname } from 'node:os';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { Metrics } from '../kernel/metrics/metrics.ts';
import type { AlertmanagerConfig } from './config/alertmanager-config.ts';
import { DEFAULT_HTTP_CONFIG } from './config/http-config.ts';
import type { EventSource } from './events/event-source.ts';
import type { Events } from './events/events.ts';
import { notifierSurroundings } from './pipeline/open-notifiers.ts';
import { Tracing } from './tracing.ts';

/** What the server says about itself: traces, and events of the pipeline. */
export interface Telemetry {
  readonly traces: Tracing;
  /** Undefined unless the feature is on. */
  readonly events: EventSource | undefined;
  /** Puts the sections of a configuration in force. */
  apply(config: TelemetrySections): Promise<void>;
  /** Sends and writes the last of it. */
  stop(): Promise<void>;
}

type TelemetrySections = Pick<AlertmanagerConfig, 'tracing' | 'eventRecorder'>;

interface TelemetryParts {
  readonly recordsEvents: boolean;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly log: Log;
}

/** Loads only what the configuration asks for. */
export async function openTelemetry(
  config: TelemetrySections,
  { recordsEvents, metrics, clock, log }: TelemetryParts,
): Promise<Telemetry> {
  const traces = new Tracing({ clock, log, environment: process.env });
  await traces.apply(config.tracing);
  const warn = ({ eventRecorder }: TelemetrySections) => {
    if (recordsEvents || !eventRecorder) return;
    log.warn('event_recorder has no effect without --enable-feature=event-recorder');
  };
  warn(config);
  let events: Events | undefined;
  if (recordsEvents) {
    const { openHttp } = notifierSurroundings(clock);
    const { openEvents } = await import('./events/events.ts');
    events = await openEvents(config.eventRecorder, {
      openHttp: (http = DEFAULT_HTTP_CONFIG) => openHttp(http),
      instance: hostname(),
      ...{ metrics, clock, log },
    });
  }
  return {
    traces,
    events: events?.source,
    async apply(next) {
      warn(next);
      await events?.apply(next.eventRecorder);
      await traces.apply(next.tracing);
    },
    async stop() {
      await Promise.all([events?.close(), traces.stop()]);
    },
  };
}
