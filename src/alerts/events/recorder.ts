import type { Clock } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import type { Metrics } from '../../kernel/metrics/metrics.ts';
import type { EventRecorderConfig } from '../config/telemetry-config.ts';
import { type EventData, printEvent, typeOf } from './event.ts';
import { openFileOutput } from './file-output.ts';
import { createEventMetrics } from './metrics.ts';
import { type EventOutput, standardOutput } from './output.ts';
import { WebhookOutput, type WebhookOutputParts } from './webhook-output.ts';

export interface RecorderParts {
  readonly openHttp: WebhookOutputParts['openHttp'];
  readonly metrics: Metrics;
  /** The host's name. */
  readonly instance: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Events that wait to be written; later ones are dropped. */
const MAX_WAITING = 8192;

interface Waiting {
  readonly type: string;
  readonly text: string;
}

/** Writes events to the outputs of the configuration in force, without making anybody wait. */
export class Recorder {
  readonly #parts: RecorderParts;
  readonly #metrics: ReturnType<typeof createEventMetrics>;
  #outputs: readonly EventOutput[] = [];
  #config = '';
  #waiting: Waiting[] = [];
  /** Writes and changes of the outputs, one after the other. */
  #work: Promise<void> = Promise.resolve();
  #isWriting = false;

  constructor(parts: RecorderParts) {
    this.#parts = parts;
    this.#metrics = createEventMetrics(parts.metrics, () => this.#waiting.length);
  }

  record(data: EventData): void {
    if (this.#outputs.length === 0) return;
    const { clock, instance } = this.#parts;
    const type = typeOf(data);
    if (this.#waiting.length >= MAX_WAITING) {
      this.#metrics.dropped(type);
      return;
    }
    this.#waiting.push({ type, text: printEvent(data, { instance, at: clock.now() }) });
    if (this.#isWriting) return;
    this.#isWriting = true;
    this.#work = this.#work.then(() => this.#write());
  }

  /** Opens the outputs of a configuration; those in force stay if any of the new ones cannot be opened. */
  async apply(config: EventRecorderConfig | undefined): Promise<void> {
    const text = JSON.stringify(config ?? {});
    if (text === this.#config) return;
    const opened = await this.#openAll(config);
    if (opened.hasFailed && this.#config !== '') {
      await this.#closeAll(opened.outputs);
      this.#parts.log.error('the outputs of the event recorder stay as they were');
      return;
    }
    this.#config = text;
    const old = this.#outputs;
    this.#work = this.#work.then(() => {
      this.#outputs = opened.outputs;
    });
    await this.#work;
    void this.#closeAll(old);
  }

  /** Resolves when everything recorded so far is written. */
  idle(): Promise<void> {
    return this.#work;
  }

  /** Writes what waits. */
  async close(): Promise<void> {
    await this.#work;
    const last = this.#outputs;
    this.#outputs = [];
    await this.#closeAll(last);
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const events = this.#waiting;
      this.#waiting = [];
      for (const output of this.#outputs) await this.#writeTo(output, events);
    }
    this.#isWriting = false;
  }

  async #writeTo(output: EventOutput, events: readonly Waiting[]): Promise<void> {
    let isWritten = true;
    try {
      await output.send(events.map(({ text }) => text));
    } catch (error) {
      isWritten = false;
      const err = messageOf(error);
      this.#parts.log.error('events could not be written', { output: output.name, events: events.length, err });
    }
    for (const { type, text } of events) {
      const bytes = Buffer.byteLength(text) + (output.isLines ? 1 : 0);
      this.#metrics.written(type, output.name, isWritten ? bytes : undefined);
    }
  }

  async #openAll(config: EventRecorderConfig | undefined) {
    const { log } = this.#parts;
    const outputs: EventOutput[] = [];
    let hasFailed = false;
    for (const { path } of config?.fileOutputs ?? []) {
      try {
        outputs.push(await openFileOutput(path));
      } catch (error) {
        hasFailed = true;
        log.error('a file for events cannot be opened', { path, err: messageOf(error) });
      }
    }
    const dropped = this.#metrics.outputDropped;
    for (const webhook of config?.webhookOutputs ?? []) {
      outputs.push(new WebhookOutput(webhook, { ...this.#parts, dropped }));
    }
    for (const _ of config?.stdoutOutputs ?? []) outputs.push(standardOutput());
    return { outputs, hasFailed };
  }

  async #closeAll(outputs: readonly EventOutput[]): Promise<void> {
    await Promise.all(
      outputs.map((output) =>
        output.close().catch((error) => {
          this.#parts.log.error('an output of events could not be closed', {
            output: output.name,
            err: messageOf(error),
          });
        }),
      ),
    );
  }
}
