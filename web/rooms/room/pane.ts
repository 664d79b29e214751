import { h, setText } from '../../shared/dom.ts';
import { icon } from '../../shared/icons.ts';
import { loadingBox, stateBox } from '../../shared/shell/states.ts';
import { Composer, type ComposerHooks } from '../composer/composer.ts';
import { chooseEmoji } from '../composer/emoji-picker.ts';
import type { Outbox } from '../composer/outbox.ts';
import type { Uploads } from '../composer/uploads.ts';
import { copilotHandle } from '../copilot/handle.ts';
import { rowsOf } from '../message/flow-rows.ts';
import { FlowView } from '../message/flow-view.ts';
import { MessageTools } from '../message/tools.ts';
import { dayOf, withLocalTimes } from '../shell/time-text.ts';
import type { Ui } from '../shell/ui.ts';
import { t } from '../text/text.ts';
import { emptyRoom } from './empty-room.ts';
import type { RoomEntry } from './entry.ts';
import { roomName } from './name.ts';

export interface RoomPaneHooks extends Omit<ComposerHooks, 'people' | 'commands' | 'lastOwn' | 'leave'> {
  needBefore(entry: RoomEntry): void;
  needAfter(entry: RoomEntry): void;
  jumpToLatest(entry: RoomEntry): void;
  /** The last message has come into view or left it. */
  moved(isAtEnd: boolean): void;
  back(): void;
  togglePanel(panel: 'members' | 'copilot'): void;
  join(entry: RoomEntry): void;
}

/** The open room: its head, its messages and its composer. */
export class RoomPane {
  readonly element: HTMLElement;
  readonly flow: FlowView;
  readonly composer: Composer;
  readonly #ui: Ui;
  readonly #outbox: Outbox;
  readonly #title = h('h1', { tabindex: -1 });
  readonly #topic = h('p', { class: 'topic' });
  readonly #members: HTMLButtonElement;
  readonly #copilot: HTMLButtonElement;
  readonly #typing = h('p', { class: 'typing' });
  readonly #jump: HTMLButtonElement;
  readonly #jumpText = h('span', {});
  readonly #empty = h('div', { class: 'empty-place' });
  readonly #join: HTMLElement;

  constructor(ui: Ui, outbox: Outbox, uploads: Uploads, hooks: RoomPaneHooks) {
    this.#ui = ui;
    this.#outbox = outbox;
    const { model } = ui;
    const current = (act: (entry: RoomEntry) => void) => () => model.current && act(model.current);
    this.flow = new FlowView(
      ui,
      {
        needBefore: current(hooks.needBefore),
        needAfter: current(hooks.needAfter),
        moved: (isAtEnd) => {
          this.drawJump();
          hooks.moved(isAtEnd);
        },
      },
      t('room.messages'),
    );
    this.composer = new Composer(
      {
        ...hooks,
        people: () => this.#people(),
        commands: (arrived) => ui.commands.get(arrived),
        lastOwn: () => this.#lastOwn(),
        leave: () => this.flow.focusLast(),
      },
      uploads,
      t('room.message'),
    );
    new MessageTools(ui, this.flow.element, {
      messageOf: (id) => model.current?.list.get(id),
      isThread: false,
      chooseEmoji: async (message, near) => {
        const emoji = await chooseEmoji(near);
        if (emoji) ui.actions.react(message, emoji);
      },
    });
    this.#members = h(
      'button',
      { type: 'button', class: 'head-button', onclick: () => hooks.togglePanel('members') },
      icon('people'),
      h('span', {}),
    );
    this.#copilot = h(
      'button',
      { type: 'button', class: 'head-button', onclick: () => hooks.togglePanel('copilot') },
      icon('spark'),
      h('span', {}),
    );
    this.#jump = h(
      'button',
      { type: 'button', class: 'jump', hidden: true, onclick: current(hooks.jumpToLatest) },
      icon('down'),
      this.#jumpText,
    );
    this.#join = h(
      'div',
      { class: 'join-bar', hidden: true },
      h('span', {}, t('room.guest')),
      h('button', { type: 'button', class: 'primary', onclick: current(hooks.join) }, t('room.join')),
    );
    this.element = h(
      'main',
      { class: 'room', id: 'main' },
      h(
        'header',
        { class: 'room-head' },
        h(
          'button',
          { type: 'button', class: 'icon-button back', 'aria-label': t('room.all'), onclick: () => hooks.back() },
          icon('left'),
        ),
        h('div', { class: 'room-title' }, this.#title, this.#topic),
        this.#copilot,
        this.#members,
      ),
      h('div', { class: 'flow-frame' }, this.flow.element, this.#empty, this.#jump),
      h('div', { class: 'foot' }, this.#join, this.composer.element, this.#typing),
    );
    this.element.addEventListener('dragover', (event) => event.preventDefault());
    this.element.addEventListener('drop', (event) => {
      event.preventDefault();
      uploads.add([...(event.dataTransfer?.files ?? [])]);
    });
    ui.topics.on('room', () => this.drawHead());
    ui.topics.on('members', () => this.drawHead());
    ui.topics.on('flow', () => this.drawFlow());
    ui.topics.on('typing', () => this.drawTyping());
    ui.clock.every(1000, () => this.drawTyping());
  }

  /** Another room was opened. */
  open(isAtEnd: boolean): void {
    this.composer.replyTo(undefined);
    this.read(isAtEnd);
  }

  /** Other messages of the open room have been read. */
  read(isAtEnd = true): void {
    this.flow.reset(isAtEnd);
    this.drawHead();
    this.drawFlow();
    this.drawTyping();
  }

  drawHead(): void {
    const { model } = this.#ui;
    const { current } = model;
    if (!current) return;
    const { room, me, online } = current;
    const name = roomName(room, model.account);
    setText(this.#title, name);
    setText(this.#topic, withLocalTimes(room.topic));
    const here = online.size > 0 ? `, ${t('room.here', { n: online.size })}` : '';
    setText(this.#members.querySelector('span') as HTMLElement, String(room.memberCount));
    this.#members.setAttribute('aria-label', t('room.members.label', { n: room.memberCount }) + here);
    this.#members.title = t('room.members', { n: room.memberCount }) + here;
    const { copilot } = room;
    const named = { name: copilot?.name ?? '', provider: copilot?.provider ?? '' };
    setText(this.#copilot.querySelector('span') as HTMLElement, copilot?.enabled ? copilot.name : t('copilot'));
    this.#copilot.dataset.on = String(copilot?.enabled === true);
    // The user can see which provider gets the messages.
    this.#copilot.title = copilot?.enabled ? t('copilot.answers', named) : t('copilot.set-up');
    this.#copilot.setAttribute('aria-label', copilot?.enabled ? t('copilot.label', named) : t('copilot.set-up'));
    const isGuest = me === undefined && !model.account.admin;
    this.#join.hidden = !isGuest;
    this.composer.element.hidden = isGuest;
    this.composer.closed = this.#closedBecause(current);
    if (!this.composer.element.inert) this.composer.placeholder = t('room.write', { name });
  }

  drawFlow(): void {
    const { model } = this.#ui;
    const { current } = model;
    if (!current) return;
    const { list } = current;
    const rows = rowsOf(
      {
        messages: list.messages,
        isAtEnd: !list.hasAfter,
        pending: this.#outbox.items.filter(({ roomId, threadId }) => roomId === current.room.id && threadId === null),
        notices: current.notices,
        // The first new message is not known before it has been read.
        newAfterSeq: list.hasBefore && list.firstSeq > (current.newAfterSeq ?? 0) + 1 ? undefined : current.newAfterSeq,
        userId: model.account.id,
        dayOf,
      },
      ({ threadId, alsoInRoom }) => threadId === null || alsoInRoom,
    );
    this.#showState(current, rows.length > 0 || list.hasBefore);
    this.flow.show({
      rows,
      look: { entry: current, place: 'room' },
      hasBefore: list.hasBefore,
      hasAfter: list.hasAfter,
    });
    this.drawJump();
  }

  /** Shows the state of a pane without messages: an empty room, loading, or a failure with its reason. */
  #showState({ room, isLoaded, failure }: RoomEntry, hasMessages: boolean): void {
    this.#empty.hidden = hasMessages;
    const stamp = JSON.stringify([room.id, isLoaded, failure]);
    if (hasMessages || this.#empty.dataset.stamp === stamp) return;
    this.#empty.dataset.stamp = stamp;
    const again = () => this.#ui.actions.openRoom(room.id);
    this.#empty.replaceChildren(
      isLoaded
        ? emptyRoom(room, this.#ui)
        : failure === undefined
          ? loadingBox(t('room.loading'))
          : stateBox(t('room.failed'), failure, h('button', { type: 'button', onclick: again }, t('room.try-again'))),
    );
  }

  drawTyping(): void {
    const { model, clock } = this.#ui;
    const names = model.current?.typingNames(model.account.id, clock.now()) ?? [];
    const [first = '', second = ''] = names;
    setText(
      this.#typing,
      names.length === 0
        ? ''
        : t(names.length === 1 ? 'room.typing.one' : names.length === 2 ? 'room.typing.two' : 'room.typing.many', {
            first,
            second,
          }),
    );
  }

  drawJump(): void {
    const { current } = this.#ui.model;
    this.#jump.hidden = !current || this.flow.isAtEnd || (current.list.messages.length === 0 && !current.list.hasAfter);
    const unread = current?.unread ?? 0;
    setText(this.#jumpText, unread > 0 ? t('room.new', { n: unread }) : t('room.latest'));
  }

  #closedBecause({ room, me, isModerator }: RoomEntry): string | undefined {
    if (room.archived) return t('room.archived');
    if (this.#ui.model.account.admin || isModerator) return undefined;
    if (me?.role === 'guest') return t('room.guests-read');
    return room.readOnly ? t('room.admins-write') : undefined;
  }

  #people() {
    const { current } = this.#ui.model;
    if (!current) return [];
    const handle = copilotHandle(current);
    const people = [...current.members.values()].map(({ user }) => user);
    return [
      ...(handle ? [{ id: handle, name: current.room.copilot?.name ?? '' }] : []),
      ...people,
      { id: 'all', name: t('room.everybody') },
    ];
  }

  #lastOwn() {
    const { current, account } = this.#ui.model;
    return current?.list.messages.findLast(
      ({ author, deleted, type, threadId }) =>
        author.id === account.id && !deleted && type === 'text' && threadId === null,
    );
  }
}
