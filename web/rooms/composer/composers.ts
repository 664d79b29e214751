import type { Ui } from '../shell/ui.ts';
import type { ComposerHooks } from './composer.ts';
import { browserStorage, Drafts } from './drafts.ts';
import type { Outbox } from './outbox.ts';
import { Sender, type SenderHooks } from './sender.ts';
import { Uploads } from './uploads.ts';

type Hooks = Pick<ComposerHooks, 'send' | 'typing' | 'draft'>;

const TYPING_EVERY_MS = 4000;

/** The composers of the room and of its thread: their uploads and drafts, and what they send. */
export class Composers {
  readonly uploads: Uploads;
  readonly threadUploads: Uploads;
  readonly drafts: Drafts;
  readonly #ui: Ui;
  readonly #sender: Sender;
  #typedAt = 0;

  constructor(ui: Ui, outbox: Outbox, { jumpToLatest, toEnd }: SenderHooks) {
    this.#ui = ui;
    const { api, actions, model } = ui;
    this.uploads = new Uploads(api, actions.say);
    this.threadUploads = new Uploads(api, actions.say);
    this.drafts = new Drafts(browserStorage(), model.account.id);
    this.#sender = new Sender(ui, outbox, {
      jumpToLatest,
      toEnd: (place) => {
        // A message ends the typing that was announced.
        this.#typedAt = 0;
        toEnd(place);
      },
    });
  }

  readonly room: Hooks = {
    send: (text, { replyTo, edits }) => {
      const { current } = this.#ui.model;
      if (edits) void this.#sender.saveEdit(edits, text);
      else if (current) void this.#sender.send(current, { body: text, replyTo, threadId: null, uploads: this.uploads });
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
    send: (text, { replyTo, edits }) => {
      const { current, thread } = this.#ui.model;
      if (edits) void this.#sender.saveEdit(edits, text);
      else if (current && thread)
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
