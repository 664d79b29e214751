import type { WireUnreadThread } from '../../../src/rooms/contract/inbox.ts';
import type { WireMessage } from '../../../src/rooms/contract/message.ts';
import { h } from '../../shared/dom.ts';
import { loadingBox, stateBox } from '../../shared/shell/states.ts';
import { reasonOf } from '../api-error.ts';
import { summaryOf } from '../message/body.ts';
import { roomName } from '../room/name.ts';
import { avatar } from '../shell/avatar.ts';
import type { Drawer } from '../shell/drawer.ts';
import { timeAgo } from '../shell/time-text.ts';
import type { Ui } from '../shell/ui.ts';
import { t } from '../text/text.ts';

const RETRY_MS = 5000;

/** The unread mentions and threads of all rooms, in the drawer. */
export class InboxPanel {
  readonly #element = h('div', { class: 'panel inbox' });
  readonly #ui: Ui;
  readonly #drawer: Drawer;

  constructor(ui: Ui, drawer: Drawer) {
    this.#ui = ui;
    this.#drawer = drawer;
    ui.topics.on('inbox', () => this.#draw());
  }

  /** Reads the inbox of the server, until it answers. */
  async load(): Promise<void> {
    const { api, model, topics, clock } = this.#ui;
    try {
      await model.inbox.read(() => api.inbox());
      topics.changed('inbox');
    } catch {
      clock.after(RETRY_MS, () => void this.load());
    }
  }

  toggle(): void {
    if (this.#drawer.name === 'inbox') {
      this.#drawer.close();
      return;
    }
    this.#drawer.show('inbox', t('inbox'), this.#element);
    this.#draw();
  }

  #draw(): void {
    if (this.#drawer.name !== 'inbox') return;
    const { threads, mentions, size, isRead } = this.#ui.model.inbox;
    const focused = (document.activeElement as HTMLElement | null)?.dataset.id;
    this.#element.replaceChildren(
      ...(size > 0
        ? []
        : [isRead ? stateBox(t('inbox.empty'), t('inbox.empty.text')) : loadingBox(t('inbox.loading'))]),
      ...part(
        'inbox.threads',
        threads.map((thread) => this.#threadRow(thread)),
      ),
      ...part(
        'inbox.mentions',
        mentions.map((message) => this.#row(message, summaryOf(message, 200))),
      ),
      ...(size > 0 ? [h('button', { type: 'button', onclick: () => void this.#readAll() }, t('inbox.read'))] : []),
    );
    if (focused) this.#element.querySelector<HTMLElement>(`[data-id="${CSS.escape(focused)}"]`)?.focus();
  }

  #threadRow({ root, last, unread }: WireUnreadThread): HTMLElement {
    return this.#row(
      last,
      summaryOf(last, 160),
      h('span', { class: 'inbox-root' }, t('inbox.replies', { n: unread, root: summaryOf(root, 80) })),
    );
  }

  #row(message: WireMessage, text: string, above?: HTMLElement): HTMLElement {
    const { model, clock } = this.#ui;
    const { author, roomId, createdAt, id } = message;
    const room = model.entry(roomId)?.room;
    return h(
      'li',
      {},
      h(
        'button',
        { type: 'button', class: 'inbox-row', 'data-id': id, onclick: () => this.#open(message) },
        avatar(author, 'small'),
        h(
          'span',
          { class: 'inbox-text' },
          h(
            'span',
            { class: 'inbox-meta' },
            h('strong', {}, author.name),
            h(
              'span',
              { class: 'soft' },
              room ? `${roomName(room, model.account)}, ` : '',
              timeAgo(createdAt, clock.now()),
            ),
          ),
          above,
          h('span', { class: 'inbox-words' }, text),
        ),
      ),
    );
  }

  #open({ id, roomId, seq, threadId }: WireMessage): void {
    const { actions, api } = this.#ui;
    this.#drawer.close();
    actions.showMessage(id, roomId);
    // An open thread reports what is read in it.
    if (threadId === null) api.read(roomId, { seq }).catch(actions.fail);
  }

  async #readAll(): Promise<void> {
    const { api, model, actions } = this.#ui;
    const { threads, mentions } = model.inbox;
    const all = [...threads.map(({ last }) => last), ...mentions];
    try {
      for (const roomId of new Set(all.map((message) => message.roomId))) {
        const messages = all.filter((message) => message.roomId === roomId);
        const replies = messages.flatMap(({ threadId, seq }) => (threadId === null ? [] : [[threadId, seq] as const]));
        const seqs = messages.flatMap(({ threadId, seq }) => (threadId === null ? [seq] : []));
        await api.read(roomId, {
          ...(replies.length > 0 ? { threadReads: Object.fromEntries(replies) } : {}),
          ...(seqs.length > 0 ? { seq: Math.max(...seqs) } : {}),
        });
      }
    } catch (error) {
      actions.say(reasonOf(error));
    }
  }
}

const part = (title: 'inbox.threads' | 'inbox.mentions', rows: readonly HTMLElement[]): readonly HTMLElement[] =>
  rows.length === 0
    ? []
    : [h('section', { class: 'panel-part' }, h('h2', {}, t(title, { n: rows.length })), h('ul', {}, rows))];
