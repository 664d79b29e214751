import type { EventRecorderConfig } from '../config/telemetry-config.ts';
import { EventSource } from './event-source.ts';
import { Recorder, type RecorderParts } from './recorder.ts';

/** The event recorder of a server; loaded only when its feature is on. */
export interface Events {
  readonly source: EventSource;
  /** Puts a configuration in force. */
  apply(config: EventRecorderConfig | undefined): Promise<void>;
  /** Records the stop and writes what waits. */
  close(): Promise<void>;
}

/** Opens the outputs and records the start. */
export async function openEvents(config: EventRecorderConfig | undefined, parts: RecorderParts): Promise<Events> {
  const recorder = new Recorder(parts);
  const source = new EventSource(recorder, parts.clock);
  await recorder.apply(config);
  source.started();
  return {
    source,
    apply: (next) => recorder.apply(next),
    async close() {
      source.stopped();
      await recorder.close();
    },
  };
}
