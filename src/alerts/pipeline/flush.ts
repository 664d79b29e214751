import type { Traces } from '../../kernel/tracing/tracer.ts';
import type { AlertGroup } from '../store/group.ts';
import type { Claim, Claims } from './claims.ts';
import { FlushTrace } from './flush-trace.ts';
import { alertsOf, type FlushedAlert } from './flushed-alert.ts';
import type { Evaluation, Pipeline } from './pipeline.ts';
import type { Queued, SendQueue } from './send-queue.ts';

/**
 * due: its timer has ended. evaluated: it is known what to send. queued: it waits for its receiver's turn. sent: its
 * integrations are being notified. recorded: the result is on disk, or there was nothing to send.
 */
export type FlushState = 'due' | 'evaluated' | 'queued' | 'sent' | 'recorded';

/** Allowed transitions. A flush that failed or was cut off by a stop is due again. */
const TRANSITIONS: Readonly<Record<FlushState, readonly FlushState[]>> = {
  due: ['evaluated'],
  evaluated: ['queued', 'sent', 'recorded', 'due'],
  // A late turn evaluates again, and so does one with a claim.
  queued: ['evaluated', 'sent', 'due'],
  sent: ['recorded', 'due'],
  recorded: [],
};

export interface FlushParts {
  readonly now: () => number;
  /** Undefined: this node is the only one. */
  readonly claims: Claims | undefined;
  /** False after a stop: nothing is sent any more. */
  readonly isRunning: () => boolean;
  /** The next commit puts the alerts on disk, so that the next process knows which may have been sent. */
  readonly announce: (alerts: readonly FlushedAlert[]) => void;
  readonly failed: (flush: Flush, error: unknown) => void;
  readonly traces: Traces;
  /** A queued flush has ended. */
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
  #claim: Claim | undefined;
  #retryAt: number | undefined;
  #trace: FlushTrace | undefined;

  constructor(group: AlertGroup, pipeline: Pipeline, parts: FlushParts) {
    this.group = group;
    this.#pipeline = pipeline;
    this.#parts = parts;
  }

  get state(): FlushState {
    return this.#state;
  }

  /** The instant of the last evaluation. */
  get at(): number {
    return this.#at;
  }

  /** The alerts of the group at that instant. */
  get alerts(): readonly FlushedAlert[] {
    return this.#alerts;
  }

  /** Whether every integration is up to date, so that resolved alerts may leave the group. */
  get isNotified(): boolean {
    return this.#isNotified;
  }

  /** Undefined: it has, or needs, none. */
  get claim(): Claim | undefined {
    return this.#claim;
  }

  /** When to try again, as another node has the claim; epoch milliseconds. */
  get retryAt(): number | undefined {
    return this.#retryAt;
  }

  /** Evaluates what to send; most flushes have nothing new and end here. */
  evaluate(): void {
    this.#become('evaluated');
    this.#at = this.#parts.now();
    this.#alerts = alertsOf(this.group, this.#at);
    try {
      this.#evaluation = this.#evaluateTraced();
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#isNotified = this.#evaluation === undefined;
    if (this.#isNotified && !this.#needsClaim) this.#become('recorded');
  }

  #evaluateTraced(): Evaluation | undefined {
    const evaluate = () => this.#pipeline.evaluate(this.group, this.#alerts, this.#at, this.#claim);
    const { tracer } = this.#parts.traces;
    if (tracer) this.#trace ??= new FlushTrace(tracer, this.group, this.#alerts.length);
    return this.#trace ? this.#trace.within(evaluate) : evaluate();
  }

  /** Whether another node may have to be asked although there is nothing to send: resolved alerts would leave the group. */
  get #needsClaim(): boolean {
    if (!this.#parts.claims || this.#claim) return false;
    return this.group.isContested || this.#alerts.some(({ isResolved }) => isResolved);
  }

  enter(queue: SendQueue): void {
    this.#become('queued');
    queue.enter(this.group.receiver, this);
  }

  /**
   * Where more groups are due than a receiver takes within their interval, each would pass its deadline when its turn
   * comes, and none would be sent. So a late flush is evaluated again with a new deadline.
   */
  prepare(): void {
    if (!this.#parts.isRunning()) {
      // A record of the failure would delay the stop; the next process sends it at once.
      this.#become('due');
      return;
    }
    if (this.#isLate()) this.evaluate();
    if (this.#isToSend) this.#parts.announce(this.#evaluation?.alerts ?? this.#alerts);
  }

  async send(leave: () => void): Promise<void> {
    const { claims } = this.#parts;
    if (claims && this.#isToSend) await this.#take(claims);
    if (this.#isToSend) await this.#notify(this.#evaluation as Evaluation, leave);
    this.#parts.ended(this);
  }

  /** Evaluates again with a claim: other nodes may have sent meanwhile. */
  async #take(claims: Claims): Promise<void> {
    const outcome = await claims.claim(this.group);
    if (!outcome.ok) {
      this.#retryAt = outcome.retryAt;
      this.#become('due');
    } else if (this.#parts.isRunning()) {
      this.#claim = outcome.claim;
      this.evaluate();
    } else {
      const { claim } = outcome;
      claims.complete(claim, { nextFlushAt: this.#at, released: [] }, claim.isInDoubt);
      this.#become('due');
    }
  }

  /** False: the second evaluation found nothing to send or failed, or the server stops. */
  get #isToSend(): boolean {
    return this.#state === 'queued' || this.#state === 'evaluated';
  }

  async #notify(evaluation: Evaluation, leave: () => void): Promise<void> {
    this.#become('sent');
    try {
      const notify = () => evaluation.receiver.notify(evaluation, leave);
      this.#isNotified = await (this.#trace ? this.#trace.within(notify) : notify());
      if (!this.#isNotified) this.#trace?.fail();
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#become('recorded');
  }

  #isLate(): boolean {
    // With a claim it is evaluated again in any case.
    if (this.#parts.claims) return false;
    const { at, deadlineAt } = this.#evaluation as Evaluation;
    return this.#parts.now() - at >= (deadlineAt - at) / 2;
  }

  #fail(error: unknown): void {
    this.#trace?.fail();
    this.#become('due');
    this.#parts.failed(this, error);
  }

  #become(next: FlushState): void {
    if (!TRANSITIONS[this.#state].includes(next)) throw new Error(`a flush that is ${this.#state} cannot be ${next}`);
    this.#state = next;
    if (next === 'recorded' || next === 'due') this.#trace?.end();
  }
}
