import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import type { Caller } from '../domain/caller.ts';
import { type AlertCard, cardJson, isSameCard, printCard, readCard } from '../domain/card/alert-card.ts';
import { cardId, cardOf, type GroupNotice } from '../domain/card/alert-notice.ts';
import type { Message, StoredMessage } from '../domain/message/message.ts';
import { isAlertCard } from '../domain/message/reserved-message.ts';
import { record } from '../domain/record.ts';
import { accepted, type Outcome, refuse } from '../domain/refusal.ts';
import type { Messages } from '../messages/messages.ts';
import type { RoomState } from '../room/state.ts';
import type { RoomWriter } from '../room/writer.ts';
import type { RoomStore } from '../store/store.ts';
import { KeyedQueue } from './keyed-queue.ts';

/** A group that fires again later after its end gets a new card. */
const SAME_CARD_MS = 24 * 3_600_000;
/** The minimum interval of a group's posts in its thread; changes in between are summed up in one post. */
const THREAD_PAUSE_MS = 60_000;

export interface AlertCardsParts {
  readonly messages: Messages;
  readonly state: RoomState;
  readonly store: RoomStore;
  readonly writer: RoomWriter;
  readonly clock: Clock;
  /** A random id. */
  readonly newId: () => string;
}

interface Thread {
  notedAt: number;
  /** Changes that were not posted yet. */
  pending: number;
  cancel: CancelTimer | undefined;
}

/** The room of an alert group's card, and the caller that posts it. */
export interface CardPlace {
  readonly roomId: string;
  readonly caller: Caller;
}

/**
 * One card for each alert group: posted once, then rewritten in place. Notices of a group are handled one after the
 * other; two senders of the same group share the card.
 */
export class AlertCards {
  readonly #parts: AlertCardsParts;
  readonly #queue = new KeyedQueue();
  readonly #threads = new Map<string, Thread>();

  constructor(parts: AlertCardsParts) {
    this.#parts = parts;
  }

  /** Shows a notice. Resolves with the card's message once that is durable. */
  show(place: CardPlace, notice: GroupNotice): Promise<Outcome<StoredMessage>> {
    const first = cardId(place.roomId, notice);
    return this.#queue.run(first, () => this.#show(place, notice, first));
  }

  /** Changes a card without a notice. `change` is pure, and sees the card as it is when the change is decided. */
  async change(roomId: string, id: string, change: (card: AlertCard) => AlertCard): Promise<Outcome<StoredMessage>> {
    const found = await this.#find(roomId, id);
    const known = found && readCard(found.message.card);
    if (!known) return refuse('message_not_found', `the message ${id} is not an alert`);
    return this.#rewrite(found.message, (card) => change(card ?? known));
  }

  close(): void {
    for (const { cancel } of this.#threads.values()) cancel?.();
    this.#threads.clear();
  }

  async #show(place: CardPlace, notice: GroupNotice, first: string): Promise<Outcome<StoredMessage>> {
    const { state, clock } = this.#parts;
    const now = clock.now();
    const currentId = state.get('setting', `card/${first}`)?.value ?? first;
    const current = await this.#find(place.roomId, currentId);
    const old = current && readCard(current.message.card);
    if (!current) return this.#postFirst(place, cardOf(notice, first, undefined, now), currentId);
    // A deleted card stays away until its group fires anew.
    const isGone = current.message.deleted;
    if (isGone ? notice.status === 'firing' : isOver(old, notice, now))
      return this.#postAnew(place, cardOf(notice, first, undefined, now));
    if (isGone) return accepted(current);
    let before = old;
    const rewritten = await this.#rewrite(current.message, (card) => {
      before = card;
      const next = cardOf(notice, first, card, now);
      return card && isSameCard(card, next) ? card : next;
    });
    const card = rewritten.ok ? readCard(rewritten.value.message.card) : undefined;
    if (before && card && before.state !== card.state) this.#noteInThread(place, currentId, card);
    return rewritten;
  }

  /** The card under an id; a message that another author or room has under it is no card. */
  async #find(roomId: string, id: string): Promise<StoredMessage | undefined> {
    const [found] = await this.#parts.store.messages([id]);
    return found && found.message.roomId === roomId && isAlertCard(found.message) ? found : undefined;
  }

  async #postFirst(place: CardPlace, card: AlertCard, id: string): Promise<Outcome<StoredMessage>> {
    const posted = await this.#post(place, card, id);
    const isTaken = !posted.ok && (posted.code === 'id_conflict' || posted.code === 'deleted');
    return isTaken ? this.#postAnew(place, card) : posted;
  }

  /** Its id is stored before it is used, so that a crash in between makes no second card. */
  async #postAnew(place: CardPlace, card: AlertCard): Promise<Outcome<StoredMessage>> {
    const id = `alert-${this.#parts.newId()}`;
    const noted = await this.#parts.writer.submit({
      decide: () => ({
        ok: true,
        write: { records: [record('setting', `card/${card.group}`, { value: id })] },
        answer: () => {},
      }),
    });
    return noted.ok ? this.#post(place, card, id) : noted;
  }

  async #post({ roomId, caller }: CardPlace, card: AlertCard, id: string): Promise<Outcome<StoredMessage>> {
    const posted = await this.#parts.messages.post(caller, {
      room: roomId,
      id,
      type: 'alert',
      byServer: true,
      body: printCard(card),
      card: cardJson(card),
      // An alert that ended before it was shown notifies nobody.
      silent: card.state === 'resolved',
    });
    return posted.ok ? accepted(posted.value.stored) : posted;
  }

  #rewrite(
    { id, roomId, type, author }: Message,
    change: (card: AlertCard | undefined) => AlertCard,
  ): Promise<Outcome<StoredMessage>> {
    const target = { id, roomId, type, authorId: author.id };
    return this.#parts.messages.rewrite(target, ({ card: json }) => {
      const card = change(readCard(json));
      return accepted({ body: printCard(card), card: cardJson(card), isAlert: true });
    });
  }

  #noteInThread(place: CardPlace, id: string, card: AlertCard): void {
    const { clock } = this.#parts;
    const now = clock.now();
    const thread = this.#threads.get(id) ?? { notedAt: Number.NEGATIVE_INFINITY, pending: 0, cancel: undefined };
    this.#threads.set(id, thread);
    thread.pending++;
    const waitMs = thread.notedAt + THREAD_PAUSE_MS - now;
    if (waitMs <= 0) this.#postToThread(place, id, thread, card);
    else
      thread.cancel ??= clock.after(waitMs, () => {
        thread.cancel = undefined;
        void this.#noteLater(place, id, thread);
      });
  }

  async #noteLater(place: CardPlace, id: string, thread: Thread): Promise<void> {
    const found = await this.#find(place.roomId, id).catch(() => undefined);
    const card = found && readCard(found.message.card);
    if (card) this.#postToThread(place, id, thread, card);
  }

  #postToThread({ roomId, caller }: CardPlace, id: string, thread: Thread, card: AlertCard): void {
    const flaps = thread.pending > 1 ? ` (changed ${thread.pending} times within a minute)` : '';
    thread.notedAt = this.#parts.clock.now();
    thread.pending = 0;
    const { firing, resolved } = card.counts;
    const words = card.state === 'firing' ? 'Firing again' : 'Resolved';
    // The post only repeats what the card says, so a failure is ignored.
    void this.#parts.messages.post(caller, {
      room: roomId,
      threadId: id,
      byServer: true,
      body: `${words}: ${firing} firing / ${resolved} resolved${flaps}`,
      silent: card.state === 'resolved',
    });
  }
}

function isOver(old: AlertCard | undefined, notice: GroupNotice, now: number): boolean {
  if (old?.state !== 'resolved' || notice.status !== 'firing' || old.resolvedAt === null) return false;
  return now - Date.parse(old.resolvedAt) > SAME_CARD_MS;
}
