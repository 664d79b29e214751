import type { WireMessage } from '../../../src/rooms/contract/message.ts';
import { h } from '../../shared/dom.ts';
import { type IconName, icon } from '../../shared/icons.ts';
import { COMMON_EMOJI } from '../composer/emoji-names.ts';
import type { Ui } from '../shell/ui.ts';
import { t } from '../text/text.ts';
import { openToolSheet } from './tool-sheet.ts';

export interface ToolsHooks {
  /** The message of an article; `undefined`: it is not sent yet, or deleted. */
  messageOf(id: string): WireMessage | undefined;
  chooseEmoji(message: WireMessage, near: HTMLElement): void;
  readonly isThread: boolean;
}

/** One action at a message. */
export interface Tool {
  readonly icon: IconName;
  readonly label: string;
  readonly key?: string;
  /** `near`: the pressed button. */
  act(near: HTMLElement): void;
}

/**
 * The actions of all messages of a flow, moved into the one under the pointer or with the focus: a row of buttons, or
 * where a finger points, one button that opens them as a list.
 */
export class MessageTools {
  readonly element = h('div', { class: 'tools', role: 'toolbar', 'aria-label': t('tools') });
  readonly #ui: Ui;
  readonly #hooks: ToolsHooks;
  readonly #touch = matchMedia('(hover: none)');
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
    flow.addEventListener('pointerleave', ({ pointerType }) => {
      // A finger leaves when it is lifted.
      if (pointerType !== 'touch' && !this.element.contains(document.activeElement)) this.element.remove();
    });
  }

  #stand(article: HTMLElement): void {
    const message = this.#hooks.messageOf(article.dataset.id ?? '');
    if (!message || message.deleted) {
      this.element.remove();
      return;
    }
    const stamp = `${message.id} ${message.version} ${this.#touch.matches}`;
    if (stamp !== this.#shownFor) this.element.replaceChildren(...this.#buttons(message));
    this.#shownFor = stamp;
    if (this.element.parentElement !== article) article.append(this.element);
  }

  #buttons(message: WireMessage): readonly HTMLElement[] {
    const { actions } = this.#ui;
    const quick = COMMON_EMOJI.slice(0, this.#touch.matches ? 6 : 3).map((emoji) =>
      h(
        'button',
        {
          type: 'button',
          class: 'tool',
          'aria-label': t('tools.react-with', { emoji }),
          onclick: () => actions.react(message, emoji),
        },
        emoji,
      ),
    );
    const tools = this.#toolsFor(message);
    if (!this.#touch.matches) return [...quick, ...tools.map(toolButton)];
    const open = (near: HTMLElement) => openToolSheet(message, quick, tools, near);
    return [toolButton({ icon: 'more', label: t('tools.open'), act: open })];
  }

  #toolsFor(message: WireMessage): readonly Tool[] {
    const { actions, model } = this.#ui;
    const isMine = message.author.id === model.account.id;
    const mayModerate = model.entry(message.roomId)?.isModerator === true || model.account.admin;
    const isOwnText = isMine && message.status !== 'streaming' && message.type === 'text';
    const tools: readonly (Tool | false)[] = [
      { icon: 'react', label: t('tools.react'), key: 'e', act: (near) => this.#hooks.chooseEmoji(message, near) },
      { icon: 'reply', label: t('tools.reply'), key: 'r', act: () => actions.reply(message) },
      !this.#hooks.isThread &&
        !message.threadId && {
          ...{ icon: 'thread', label: t('tools.thread'), key: 't' },
          act: () => actions.openThread(message.id),
        },
      { icon: 'link', label: t('tools.link'), key: 'c', act: () => actions.copyLink(message) },
      mayModerate && {
        icon: 'pin',
        label: t(message.pinned ? 'tools.unpin' : 'tools.pin'),
        act: () => actions.pin(message),
      },
      isOwnText && { icon: 'edit', label: t('tools.edit'), act: () => actions.edit(message) },
      (isMine || mayModerate) && { icon: 'trash', label: t('tools.delete'), act: () => actions.remove(message) },
    ];
    return tools.filter((tool) => tool !== false);
  }
}

function toolButton({ icon: name, label, key, act }: Tool): HTMLButtonElement {
  const title = key ? `${label} (${key})` : label;
  const button = h(
    'button',
    { type: 'button', class: 'tool', 'aria-label': label, title, onclick: () => act(button) },
    icon(name),
  );
  return button;
}
