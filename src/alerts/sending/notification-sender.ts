import { messageOf } from '../../kernel/errors.ts';
import type { Notification } from '../domain/notification.ts';
import type { HandoverLog } from '../notifications/handover-log.ts';
import type { HandoverNote, Recipient } from '../notifications/recipient.ts';
import { failedForGood } from '../notify/deliver.ts';
import type { Delivery, Notifier } from '../notify/notifier.ts';
import { TemplateError } from '../template/template-error.ts';
import type { OpenNotifiers, OpenNotifiersOf, SenderSettings } from './open-notifiers.ts';

/** One attempt to tell one integration of a receiver. */
export interface SendOrder {
  /** Another one for every attempt. */
  readonly attempt: number;
  /** The number of the plan that it belongs to. */
  readonly plan: number;
  readonly receiver: string;
  /** The place of the integration among all of the receiver. */
  readonly place: number;
  readonly notification: Notification;
}

/** Why an attempt is ended from outside: what an Error is made of again. */
export type EndOfAttempt = Pick<Error, 'name' | 'message'>;

/** What a sender is asked for. */
export interface SenderMethods {
  /** Resolves when it may be given work. */
  ready(): Promise<void>;
  /** From now on orders may name this plan. Rejects when it is impossible. */
  open(plan: number, settings: SenderSettings): Promise<void>;
  /** Resolves when what is under way has come to its end. */
  close(plan: number): Promise<void>;
  send(order: SendOrder): Promise<Delivery>;
  /** The attempt is over, as soon as it can be: `send` resolves with what came of it. */
  abort(attempt: number, end: EndOfAttempt): Promise<void>;
  /** What came of these notifications is on disk, and need not be remembered here. */
  settle(ids: readonly string[]): Promise<void>;
}

export interface NotificationSenderParts {
  /** Loaded. */
  readonly handovers: HandoverLog;
  readonly openNotifiers: OpenNotifiersOf;
}

interface OpenPlan extends OpenNotifiers {
  readonly recipients: ReadonlyMap<string, readonly Recipient[]>;
}

/** Sends notifications, and notes what became of each where the death of the server cannot undo it. */
export class NotificationSender implements SenderMethods {
  readonly #parts: NotificationSenderParts;
  readonly #plans = new Map<number, OpenPlan>();
  /** By attempt. */
  readonly #underWay = new Map<number, AbortController>();
  /** Of those that were told, by the ids of the notifications. */
  readonly #notes = new Map<string, HandoverNote>();
  #whenIdle: (() => void) | undefined;

  constructor(parts: NotificationSenderParts) {
    this.#parts = parts;
  }

  async ready(): Promise<void> {}

  async open(plan: number, settings: SenderSettings): Promise<void> {
    // One that came while this sender was started is told of twice.
    if (this.#plans.has(plan)) return;
    const { handovers, openNotifiers } = this.#parts;
    const recipients = settings.receivers.map(({ name: receiver, integrations }) => {
      const all = integrations.map(({ name, index }) => handovers.recipient({ receiver, integration: name, index }));
      return [receiver, all] as const;
    });
    this.#plans.set(plan, { ...openNotifiers(settings), recipients: new Map(recipients) });
  }

  async close(plan: number): Promise<void> {
    const open = this.#plans.get(plan);
    this.#plans.delete(plan);
    await open?.close();
  }

  async send({ attempt, plan, receiver, place, notification }: SendOrder): Promise<Delivery> {
    const open = this.#plans.get(plan);
    const notifier = open?.notifiers.get(receiver)?.[place];
    const recipient = open?.recipients.get(receiver)?.[place];
    if (!notifier || !recipient) throw new Error(`there is no integration ${place} of ${receiver} in plan ${plan}`);
    const id = notification.id ?? '';
    const note = recipient.begin(id);
    const before = recipient.toldBefore(id);
    if (before) {
      this.#notes.set(id, note);
      return { ok: true, receiverData: before.receiverData, isNoted: true };
    }
    const controller = new AbortController();
    this.#underWay.set(attempt, controller);
    try {
      const delivery = await attemptAt(notifier, notification, controller.signal, note);
      return this.#noteEnd(delivery, note);
    } finally {
      this.#underWay.delete(attempt);
      if (this.#underWay.size === 0) this.#whenIdle?.();
    }
  }

  async abort(attempt: number, { name, message }: EndOfAttempt): Promise<void> {
    this.#underWay.get(attempt)?.abort(Object.assign(new Error(message), { name }));
  }

  async settle(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      this.#notes.get(id)?.end();
      this.#notes.delete(id);
    }
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    if (this.#underWay.size === 0) return;
    await new Promise<void>((done) => {
      this.#whenIdle = done;
    });
  }

  #noteEnd(delivery: Delivery, note: HandoverNote): Delivery {
    if (delivery.ok) {
      note.succeeded(delivery.receiverData);
      this.#notes.set(note.id, note);
      return { ...delivery, isNoted: note.stands };
    }
    // A reload or the end of the server is no fault of the recipient.
    if (delivery.reason === 'contextCanceled') note.end();
    else note.undone();
    return delivery;
  }
}

async function attemptAt(
  notifier: Notifier,
  notification: Notification,
  signal: AbortSignal,
  note: HandoverNote,
): Promise<Delivery> {
  try {
    return await notifier.notify(notification, signal, note);
  } catch (error) {
    note.end();
    if (error instanceof TemplateError) return failedForGood(messageOf(error));
    throw error;
  }
}
