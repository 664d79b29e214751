import type { AlertGroup } from '../store/alert-group.ts';
import { alertsOf, type FlushedAlert } from './flushed-alert.ts';
import type { Evaluation, Pipeline } from './pipeline.ts';
import type { Queued, SendQueue } from './send-queue.ts';

/**
 * due: its moment has come. evaluated: it is known what there is to tell. queued: it waits until its receiver has room.
 * sent: its integrations are being told. recorded: the result is on disk, or there was nothing to tell.
 */
export type FlushState = 'due' | 'evaluated' | 'queued' | 'sent' | 'recorded';

/** What may follow. A flush that failed, or that the end of the server has overtaken, is due again. */
const TRANSITIONS: Readonly<Record<FlushState, readonly FlushState[]>> = {
  due: ['evaluated'],
  evaluated: ['queued', 'sent', 'recorded', 'due'],
  // A late turn finds things as they are by then.
  queued: ['evaluated', 'sent', 'due'],
  sent: ['recorded', 'due'],
  recorded: [],
};

export interface FlushParts {
  readonly now: () => number;
  /** Whether the server goes on; otherwise nothing is sent any more. */
  readonly isRunning: () => boolean;
  /** Has the alerts with the next commit on disk: whatever ends the process, it is known who may have been told of them. */
  readonly announce: (alerts: readonly FlushedAlert[]) => void;
  readonly failed: (flush: Flush, error: unknown) => void;
  /** A flush that was queued has come to its end. */
  readonly ended: (flush: Flush) => void;
}

/** One flush of one group. */
export class Flush implements Queued {
  readonly group: AlertGroup;
  readonly #pipeline: Pipeline;
  readonly #parts: FlushParts;
  #state: FlushState = 'due';
  #at = 0;
  #alerts: readonly FlushedAlert[] = [];
  #evaluation: Evaluation | undefined;
  #isNotified = false;

  constructor(group: AlertGroup, pipeline: Pipeline, parts: FlushParts) {
    this.group = group;
    this.#pipeline = pipeline;
    this.#parts = parts;
  }

  get state(): FlushState {
    return this.#state;
  }

  /** The instant at which it was evaluated last. */
  get at(): number {
    return this.#at;
  }

  /** What the group held then. */
  get alerts(): readonly FlushedAlert[] {
    return this.#alerts;
  }

  /** Whether everybody knows who has to, so that resolved alerts may leave the group. */
  get isNotified(): boolean {
    return this.#isNotified;
  }

  /** Finds out what there is to tell; most flushes have nothing new, and end here. */
  evaluate(): void {
    this.#become('evaluated');
    this.#at = this.#parts.now();
    this.#alerts = alertsOf(this.group, this.#at);
    try {
      this.#evaluation = this.#pipeline.evaluate(this.group, this.#alerts, this.#at);
    } catch (error) {
      this.#fail(error);
      return;
    }
    if (this.#evaluation) return;
    this.#isNotified = true;
    this.#become('recorded');
  }

  enter(queue: SendQueue): void {
    this.#become('queued');
    queue.enter(this.group.receiver, this);
  }

  /**
   * Where more groups are due than their receiver takes within their interval, each would be given up when its turn comes,
   * which takes as long as telling, and nobody would be told any more: so what is late begins anew.
   */
  prepare(): void {
    if (!this.#parts.isRunning()) {
      // It would be written down as given up, which keeps the process from its end: the next one tells it at once.
      this.#become('due');
      return;
    }
    if (this.#isLate()) this.evaluate();
    if (this.#isToSend) this.#parts.announce((this.#evaluation as Evaluation).alerts);
  }

  async send(leave: () => void): Promise<void> {
    if (this.#isToSend) await this.#tell(this.#evaluation as Evaluation, leave);
    this.#parts.ended(this);
  }

  /** Otherwise a look at things as they are has found nothing to tell, or failed, or the server ends. */
  get #isToSend(): boolean {
    return this.#state === 'queued' || this.#state === 'evaluated';
  }

  async #tell(evaluation: Evaluation, leave: () => void): Promise<void> {
    this.#become('sent');
    try {
      this.#isNotified = await evaluation.receiver.tell(evaluation, leave);
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#become('recorded');
  }

  #isLate(): boolean {
    const { at, deadlineAt } = this.#evaluation as Evaluation;
    return this.#parts.now() - at >= (deadlineAt - at) / 2;
  }

  #fail(error: unknown): void {
    this.#become('due');
    this.#parts.failed(this, error);
  }

  #become(next: FlushState): void {
    if (!TRANSITIONS[this.#state].includes(next)) throw new Error(`a flush that is ${this.#state} cannot be ${next}`);
    this.#state = next;
  }
}
