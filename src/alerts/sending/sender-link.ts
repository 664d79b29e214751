import { PartEndedError } from '../../kernel/calls.ts';
import type { Clock } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { failedToSend } from '../notify/deliver.ts';
import { describeAbort } from '../notify/http-error.ts';
import type { Delivery, Notifier } from '../notify/notifier.ts';
import type { SenderMethods, SendOrder } from './notification-sender.ts';
import type { SenderSettings } from './open-notifiers.ts';

/** How long the sender may take to say what came of something that was ended; one that stands still says nothing. */
const LAST_WORD_MS = 2_000;

/** A sender that has been started. */
export interface RunningSender {
  readonly methods: SenderMethods;
  /** Resolves with the reason when it has ended without having been asked to. */
  readonly died: Promise<Error>;
  end(): Promise<void>;
}

/** A sender in this process: it does not outlive the server. */
export function senderHere(methods: SenderMethods, leave = () => {}): RunningSender {
  return { methods, died: new Promise(() => {}), end: async () => leave() };
}

export interface SenderLinkParts {
  /** Resolves soon with one that need not be ready; rejects with an Error that says why there is none. */
  readonly start: () => Promise<RunningSender>;
  readonly clock: Clock;
  readonly log: Log;
}

/** The notifiers of one plan, as the server sees them. */
export interface SenderPlan {
  notifier(receiver: string, place: number): Notifier;
  /** Its connections end, as soon as requests under way have come to their end. */
  close(): void;
}

/** The way to the sender. One that dies is started again for the next notification. */
export class SenderLink {
  readonly #parts: SenderLinkParts;
  /** The last one that was started, ready or not. */
  #started: Promise<RunningSender> | undefined;
  #running: Promise<RunningSender> | undefined;
  #isEnded = false;
  readonly #plans = new Map<number, () => SenderSettings>();
  #lastPlan = 0;
  #lastAttempt = 0;
  #settled: string[] = [];

  constructor(parts: SenderLinkParts) {
    this.#parts = parts;
  }

  /** `settings` are asked for when there is something to send. */
  open(settings: () => SenderSettings): SenderPlan {
    const plan = ++this.#lastPlan;
    this.#plans.set(plan, settings);
    this.#tellRunning((methods) => methods.open(plan, settings()));
    return {
      notifier: (receiver, place) => ({
        notify: (notification, signal) => this.#send({ plan, receiver, place, notification }, signal),
      }),
      close: () => {
        this.#plans.delete(plan);
        this.#tellRunning((methods) => methods.close(plan));
      },
    };
  }

  /** What came of a notification is on disk. */
  settle(id: string): void {
    this.#settled.push(id);
    if (this.#settled.length > 1) return;
    setImmediate(() => {
      const ids = this.#settled;
      this.#settled = [];
      this.#tellRunning((methods) => methods.settle(ids));
    });
  }

  /** Starts it unless it runs: what is sent first need not wait for it. */
  start(): void {
    // Whoever sends something is told why it does not start.
    this.#sender().catch(() => {});
  }

  /** To be called when nothing is under way. Idempotent. */
  async end(): Promise<void> {
    this.#isEnded = true;
    const started = await this.#started?.catch(() => undefined);
    await started?.end();
  }

  #tellRunning(tell: (methods: SenderMethods) => Promise<void>): void {
    const { log } = this.#parts;
    this.#running
      ?.then(({ methods }) => tell(methods))
      .catch((error) => {
        if (!(error instanceof PartEndedError)) log.error('the notification sender fails', { err: messageOf(error) });
      });
  }

  #sender(): Promise<RunningSender> {
    this.#running ??= this.#start();
    return this.#running;
  }

  async #start(): Promise<RunningSender> {
    const { start, log } = this.#parts;
    try {
      if (this.#isEnded) throw new Error('the server stops');
      this.#started = start();
      const running = await this.#started;
      await this.#prepare(running);
      void running.died.then((error) => {
        log.error('The process that sends notifications has ended, another one is started', { err: messageOf(error) });
        this.#running = undefined;
      });
      return running;
    } catch (error) {
      this.#running = undefined;
      throw error;
    }
  }

  /** One that is no good must not be in the way of the next. */
  async #prepare(started: RunningSender): Promise<void> {
    const { methods } = started;
    try {
      await methods.ready();
      for (const [plan, settings] of this.#plans) await methods.open(plan, settings());
    } catch (error) {
      await started.end();
      throw error;
    }
  }

  async #send(order: Omit<SendOrder, 'attempt'>, signal: AbortSignal): Promise<Delivery> {
    let methods: SenderMethods;
    try {
      methods = (await unlessAborted(this.#sender(), signal)).methods;
    } catch (error) {
      return failedToSend(error, signal);
    }
    if (signal.aborted) return cutShort(signal);
    try {
      return await this.#attempt(methods, { ...order, attempt: ++this.#lastAttempt }, signal);
    } catch (error) {
      if (error instanceof PartEndedError) return failedToSend(error, signal);
      throw error;
    }
  }

  async #attempt(methods: SenderMethods, order: SendOrder, signal: AbortSignal): Promise<Delivery> {
    const { clock } = this.#parts;
    let cancel = () => {};
    let onAbort = () => {};
    const givenUp = new Promise<Delivery>((resolve) => {
      onAbort = () => {
        const { name, message } = signal.reason as Error;
        methods.abort(order.attempt, { name, message }).catch(() => {});
        cancel = clock.after(LAST_WORD_MS, () => resolve(cutShort(signal)));
      };
    });
    signal.addEventListener('abort', onAbort);
    try {
      return await Promise.race([methods.send(order), givenUp]);
    } finally {
      signal.removeEventListener('abort', onAbort);
      cancel();
    }
  }
}

/** Rejects as soon as the signal is aborted. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(new Error(describeAbort(signal.reason)));
    signal.addEventListener('abort', onAbort);
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

function cutShort(signal: AbortSignal): Delivery {
  return failedToSend(new Error(describeAbort(signal.reason)), signal);
}
