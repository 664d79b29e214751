import type { WireMessage } from '../../../src/rooms/contract/message.ts';
import { reasonOf } from '../api-error.ts';
import type { RoomEntry } from '../room/entry.ts';
import { freshId } from '../session.ts';
import type { Ui } from '../shell/ui.ts';
import type { Outbox } from './outbox.ts';
import type { Uploads } from './uploads.ts';

/** Where a message is written. */
export type Place = 'room' | 'thread';

export interface SenderHooks {
  jumpToLatest(entry: RoomEntry): Promise<void>;
  /** Scrolls to the new message. */
  toEnd(place: Place): void;
}

export interface Written {
  readonly body: string;
  readonly replyTo: WireMessage | undefined;
  /** The root of its thread. */
  readonly threadId: string | null;
  readonly uploads: Uploads;
}

/** Posts messages and saves edits: a new message is shown at once, and the outbox sends it. */
export class Sender {
  readonly #ui: Ui;
  readonly #outbox: Outbox;
  readonly #hooks: SenderHooks;

  constructor(ui: Ui, outbox: Outbox, hooks: SenderHooks) {
    this.#ui = ui;
    this.#outbox = outbox;
    this.#hooks = hooks;
  }

  async send(entry: RoomEntry, { body, replyTo, threadId, uploads }: Written): Promise<void> {
    const { clock, topics } = this.#ui;
    entry.newAfterSeq = undefined;
    if (entry.list.hasAfter && threadId === null) await this.#hooks.jumpToLatest(entry);
    const added = this.#outbox.add({
      id: freshId(clock),
      roomId: entry.room.id,
      body,
      threadId,
      replyTo: replyTo?.id ?? null,
      attachments: uploads.take(),
      createdAt: clock.now(),
    });
    topics.flush();
    this.#hooks.toEnd(threadId === null ? 'room' : 'thread');
    await added;
  }

  /** Resolves with the reason of a failure. */
  async saveEdit({ id, body: before }: WireMessage, body: string): Promise<string | undefined> {
    if (body === before) return undefined;
    try {
      this.#ui.model.takeMessage(await this.#ui.api.edit(id, body));
      return undefined;
    } catch (error) {
      return reasonOf(error);
    }
  }
}
