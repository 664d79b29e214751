import type { WireMessage } from '../../../src/rooms/contract/message.ts';
import { h } from '../../shared/dom.ts';
import { Composer, type ComposerHooks } from '../composer/composer.ts';
import { chooseEmoji } from '../composer/emoji-picker.ts';
import type { Outbox } from '../composer/outbox.ts';
import type { Uploads } from '../composer/uploads.ts';
import { rowsOf } from '../message/flow-rows.ts';
import { FlowView } from '../message/flow-view.ts';
import { MessageTools } from '../message/tools.ts';
import { dayOf } from '../shell/time-text.ts';
import type { Ui } from '../shell/ui.ts';
import { t } from '../text/text.ts';

export interface ThreadHooks extends Pick<ComposerHooks, 'send' | 'save' | 'draft' | 'people'> {
  close(): void;
}

/** A thread: its root, the replies and a composer. */
export class ThreadPanel {
  readonly element: HTMLElement;
  readonly composer: Composer;
  readonly flow: FlowView;
  readonly #ui: Ui;
  readonly #outbox: Outbox;
  /** The root, if the room's list does not hold it. */
  root: WireMessage | undefined;

  constructor(ui: Ui, outbox: Outbox, uploads: Uploads, hooks: ThreadHooks) {
    this.#ui = ui;
    this.#outbox = outbox;
    const ignore = () => {};
    this.flow = new FlowView(ui, { needBefore: ignore, needAfter: ignore, moved: ignore }, t('thread'));
    this.composer = new Composer(
      {
        ...hooks,
        commands: (arrived) => ui.commands.get(arrived),
        typing: ignore,
        lastOwn: () => this.#lastOwn(),
        leave: () => hooks.close(),
      },
      uploads,
      t('thread.reply'),
    );
    this.composer.placeholder = t('thread.reply');
    this.element = h(
      'div',
      { class: 'thread' },
      h('div', { class: 'flow-frame' }, this.flow.element),
      h('div', { class: 'foot' }, this.composer.element),
    );
    new MessageTools(ui, this.flow.element, {
      messageOf: (id) => this.#messages().find((message) => message.id === id),
      isThread: true,
      chooseEmoji: async (message, near) => {
        const emoji = await chooseEmoji(near);
        if (emoji) ui.actions.react(message, emoji);
      },
    });
    ui.topics.on('thread', () => this.draw());
    ui.topics.on('flow', () => this.draw());
  }

  draw(): void {
    const { model } = this.#ui;
    const { thread } = model;
    const entry = thread && model.entry(thread.roomId);
    if (!entry) return;
    const rows = rowsOf(
      {
        messages: this.#messages(),
        isAtEnd: true,
        pending: this.#outbox.items.filter(({ threadId }) => threadId === thread.rootId),
        notices: [],
        newAfterSeq: undefined,
        userId: model.account.id,
        dayOf,
      },
      () => true,
    );
    this.flow.show({ rows, look: { entry, place: 'thread' }, hasBefore: false, hasAfter: false });
  }

  #messages(): readonly WireMessage[] {
    const { thread, current } = this.#ui.model;
    if (!thread) return [];
    const root = current?.list.get(thread.rootId) ?? (this.root?.id === thread.rootId ? this.root : undefined);
    return root ? [root, ...thread.replies] : thread.replies;
  }

  #lastOwn(): WireMessage | undefined {
    const { account } = this.#ui.model;
    return this.#messages().findLast(
      ({ author, deleted, type }) => author.id === account.id && !deleted && type === 'text',
    );
  }
}
