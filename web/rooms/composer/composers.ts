import type { WireMessage } from '../../../src/rooms/contract/message.ts';
import type { Ui } from '../shell/ui.ts';
import { t } from '../text/text.ts';
import type { Composer, ComposerHooks } from './composer.ts';
import { browserStorage, Drafts } from './drafts.ts';
import type { Outbox } from './outbox.ts';
import { type Place, Sender, type SenderHooks } from './sender.ts';
import { Uploads } from './uploads.ts';

export interface ComposersHooks extends SenderHooks {
  composerAt(place: Place): Composer;
}

type Hooks = Pick<ComposerHooks, 'send' | 'save' | 'typing' | 'draft'>;

const TYPING_EVERY_MS = 4000;

/** The composers of the room and of its thread: their uploads and drafts, and what they send. */
export class Composers {
  readonly uploads: Uploads;
  readonly threadUploads: Uploads;
  readonly drafts: Drafts;
  readonly #ui: Ui;
  readonly #outbox: Outbox;
  readonly #hooks: ComposersHooks;
  readonly #sender: Sender;
  readonly #save: Hooks['save'] = (message, text) => this.#sender.saveEdit(message, text);
  #typedAt = 0;

  constructor(ui: Ui, outbox: Outbox, hooks: ComposersHooks) {
    this.#ui = ui;
    this.#outbox = outbox;
    this.#hooks = hooks;
    const { api, actions, model } = ui;
    this.uploads = new Uploads(api, actions.say);
    this.threadUploads = new Uploads(api, actions.say);
    this.drafts = new Drafts(browserStorage(), model.account.id);
    this.#sender = new Sender(ui, outbox, {
      ...hooks,
      toEnd: (place) => {
        // A message ends the typing that was announced.
        this.#typedAt = 0;
        hooks.toEnd(place);
      },
    });
  }

  /** Moves a refused message back into its composer; without `isAsked` only into one that is free. */
  takeBack(id: string, isAsked: boolean): void {
    const item = this.#outbox.get(id);
    if (!item) return;
    const { current, thread } = this.#ui.model;
    const isOpen = item.threadId === null ? item.roomId === current?.room.id : item.threadId === thread?.rootId;
    const composer = this.#hooks.composerAt(item.threadId === null ? 'room' : 'thread');
    if (!isOpen || (!isAsked && !composer.isFree)) return;
    if (composer.isEditing) {
      this.#ui.actions.say(t('composer.save-first'));
      return;
    }
    const replyTo = item.replyTo === null ? undefined : this.#ui.model.entry(item.roomId)?.list.get(item.replyTo);
    (item.threadId === null ? this.uploads : this.threadUploads).putBack(item.attachments);
    composer.takeBack(item.body, t('message.not-sent', { reason: item.reason }), replyTo);
    this.#outbox.discard(item.id);
  }

  /** Puts text and files of a deleted message into the composer of the open room or thread, to be sent again. */
  writeAgain({ body, attachments, threadId, roomId }: WireMessage): void {
    const { current, thread } = this.#ui.model;
    if (roomId !== current?.room.id) return;
    const place = threadId !== null && threadId === thread?.rootId ? 'thread' : 'room';
    const composer = this.#hooks.composerAt(place);
    if (composer.isEditing) {
      this.#ui.actions.say(t('composer.save-first'));
      return;
    }
    (place === 'room' ? this.uploads : this.threadUploads).putBack(attachments);
    composer.takeBack(body, '', undefined);
    composer.focus();
  }

  readonly room: Hooks = {
    save: this.#save,
    send: (text, replyTo) => {
      const { current } = this.#ui.model;
      if (current) void this.#sender.send(current, { body: text, replyTo, threadId: null, uploads: this.uploads });
    },
    typing: () => {
      const { model, clock, api } = this.#ui;
      const now = clock.now();
      if (!model.current || now - this.#typedAt < TYPING_EVERY_MS) return;
      this.#typedAt = now;
      api.typing(model.current.room.id).catch(() => {});
    },
    draft: (text) => {
      const { current } = this.#ui.model;
      if (current) this.drafts.write(current.room.id, text);
    },
  };

  readonly thread: Omit<Hooks, 'typing'> = {
    save: this.#save,
    send: (text, replyTo) => {
      const { current, thread } = this.#ui.model;
      if (current && thread)
        void this.#sender.send(current, {
          body: text,
          replyTo,
          threadId: thread.rootId,
          uploads: this.threadUploads,
        });
    },
    draft: (text) => {
      const { thread } = this.#ui.model;
      if (thread) this.drafts.write(thread.rootId, text);
    },
  };
}
