import type { WireMessage } from '../../../src/rooms/contract/message.ts';
import { h } from '../../shared/dom.ts';
import { COMMON_EMOJI } from '../composer/emoji-names.ts';
import { type IconName, icon } from '../shell/icons.ts';
import type { Ui } from '../shell/ui.ts';

export interface ToolsHooks {
  /** The message of an article; `undefined`: it is not sent yet, or deleted. */
  messageOf(id: string): WireMessage | undefined;
  chooseEmoji(message: WireMessage, near: HTMLElement): void;
  readonly isThread: boolean;
}

/** One row of buttons for all messages of a flow, moved into the one under the pointer or with the focus. */
export class MessageTools {
  readonly element = h('div', { class: 'tools', role: 'toolbar', 'aria-label': 'Message' });
  readonly #ui: Ui;
  readonly #hooks: ToolsHooks;
  #shownFor = '';

  constructor(ui: Ui, flow: HTMLElement, hooks: ToolsHooks) {
    this.#ui = ui;
    this.#hooks = hooks;
    const follow = ({ target }: Event) => {
      const article = target instanceof Element ? target.closest<HTMLElement>('article') : null;
      if (article && flow.contains(article)) this.#stand(article);
    };
    flow.addEventListener('pointerover', follow);
    flow.addEventListener('focusin', follow);
    flow.addEventListener('pointerleave', () => {
      if (!this.element.contains(document.activeElement)) this.element.remove();
    });
  }

  #stand(article: HTMLElement): void {
    const message = this.#hooks.messageOf(article.dataset.id ?? '');
    if (!message || message.deleted) {
      this.element.remove();
      return;
    }
    const stamp = `${message.id} ${message.version}`;
    if (stamp !== this.#shownFor) this.#fill(message);
    this.#shownFor = stamp;
    if (this.element.parentElement !== article) article.append(this.element);
  }

  #fill(message: WireMessage): void {
    const { actions, model } = this.#ui;
    const entry = model.entry(message.roomId);
    const isMine = message.author.id === model.account.id;
    const mayModerate = entry?.isModerator === true || model.account.admin;
    const isPosted = message.status !== 'streaming';
    const quick = COMMON_EMOJI.slice(0, 3).map((emoji) =>
      h(
        'button',
        {
          type: 'button',
          class: 'tool',
          'aria-label': `React with ${emoji}`,
          onclick: () => actions.react(message, emoji),
        },
        emoji,
      ),
    );
    const react = tool('react', 'React', 'e', () => this.#hooks.chooseEmoji(message, react));
    this.element.replaceChildren(
      ...quick,
      react,
      tool('reply', 'Reply', 'r', () => actions.reply(message)),
      ...(this.#hooks.isThread || message.threadId
        ? []
        : [tool('thread', 'Reply in a thread', 't', () => actions.openThread(message.id))]),
      tool('link', 'Copy the link', 'c', () => actions.copyLink(message)),
      ...(mayModerate ? [tool('pin', message.pinned ? 'Unpin' : 'Pin', undefined, () => actions.pin(message))] : []),
      ...(isMine && isPosted && message.type === 'text'
        ? [tool('edit', 'Edit', undefined, () => actions.edit(message))]
        : []),
      ...(isMine || mayModerate ? [tool('trash', 'Delete', undefined, () => actions.remove(message))] : []),
    );
  }
}

function tool(name: IconName, label: string, key: string | undefined, action: () => void): HTMLButtonElement {
  const title = key ? `${label} (${key})` : label;
  return h('button', { type: 'button', class: 'tool', 'aria-label': label, title, onclick: action }, icon(name));
}
