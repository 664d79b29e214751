import type { Boot } from '../../src/rooms/contract/boot.ts';
import type { WireStorage } from '../../src/rooms/contract/feed.ts';
import type { WireMessage } from '../../src/rooms/contract/message.ts';
import type { Clock } from '../shared/clock.ts';
import { h } from '../shared/dom.ts';
import { Toasts } from '../shared/shell/states.ts';
import { CommandList } from './composer/command-list.ts';
import { Composers } from './composer/composers.ts';
import { chooseEmoji } from './composer/emoji-picker.ts';
import type { Outbox, OutboxStorage } from './composer/outbox.ts';
import { sawPanel } from './copilot/panel.ts';
import { InboxPanel } from './inbox/panel.ts';
import { Announcer } from './live/announcer.ts';
import { ConnectionPill } from './live/connection-pill.ts';
import { LiveLink } from './live/live-link.ts';
import { ReadTracker } from './live/read-tracker.ts';
import { Navigator } from './rail/navigator.ts';
import { Rail } from './rail/rail.ts';
import { Topics } from './rail/topics.ts';
import { createActions } from './room/actions.ts';
import type { RoomEntry } from './room/entry.ts';
import { followInvite } from './room/invitation.ts';
import { RoomsModel } from './room/model.ts';
import { noRoom } from './room/no-room.ts';
import { RoomPane } from './room/pane.ts';
import { RoomPanels } from './room/panels.ts';
import { ROOT } from './root.ts';
import { parsePath } from './route.ts';
import { Palette } from './search/palette.ts';
import { createApi, createOutbox, freshId } from './session.ts';
import { askForRoom, rememberRoom, showSettings } from './shell/dialogs.ts';
import { Drawer } from './shell/drawer.ts';
import { Notifier } from './shell/notifier.ts';
import { pageHeader } from './shell/page-header.ts';
import { listenToKeys } from './shell/shortcuts.ts';
import type { Actions, Ui } from './shell/ui.ts';
import { t } from './text/text.ts';
import { ThreadPanel } from './thread/panel.ts';

/** The page of a user: its parts, and how they work together. */
export class App {
  readonly #boot: Boot;
  readonly #clock: Clock;
  readonly #element = h('div', { class: 'app', 'data-pane': 'room' });
  readonly #announcer = new Announcer(() => this.#ui.model.current);
  readonly #toasts: Toasts;
  readonly #ui: Ui;
  readonly #outbox: Outbox;
  readonly #link: LiveLink;
  readonly #pill: ConnectionPill;
  readonly #notifier: Notifier;
  readonly #navigator: Navigator;
  readonly #composers: Composers;
  readonly #pane: RoomPane;
  readonly #thread: ThreadPanel;
  readonly #drawer = new Drawer(
    (isOpen) => this.#drawerChanged(isOpen),
    (name) => this.#panels.dismissed(name),
  );
  readonly #panels: RoomPanels;
  readonly #inbox: InboxPanel;
  readonly #rail: Rail;
  readonly #palette: Palette;
  #reads: ReadTracker | undefined;
  #noRoom: HTMLElement | undefined;

  constructor(boot: Boot, clock: Clock, storage: OutboxStorage, signedOut: () => void) {
    this.#boot = boot;
    this.#clock = clock;
    this.#toasts = new Toasts(clock, () => t('close'));
    const api = createApi(clock, boot);
    api.onSignedOut = signedOut;
    const topics = new Topics((action) => requestAnimationFrame(action));
    const model = new RoomsModel({
      clock,
      api,
      topics,
      account: boot.user,
      arrived: (entry, message) => this.#arrived(entry, message),
      seen: (message) => this.#seen(message),
      reset: () => void Promise.all([this.#navigator.reload(), this.#inbox.load()]),
      discovered: () => void this.#inbox.load(),
      left: (entry) => this.#left(entry),
    });
    const say: Actions['say'] = (text, offer) => this.#toasts.show(text, offer);
    const actions = createActions(
      {
        reply: (message) =>
          (message.threadId !== null && model.thread ? this.#thread.composer : this.#pane.composer).replyTo(message),
        edit: (message) => (model.thread?.holds(message) ? this.#thread.composer : this.#pane.composer).edit(message),
        openThread: (id) => {
          void this.#navigator.openThread(id);
          // At once: when its messages are read, the user may already write elsewhere.
          this.#thread.composer.focus();
        },
        showMessage: (id, roomId) => {
          if (model.current) this.#element.dataset.pane = 'room';
          void this.#navigator.showMessage(id, roomId);
        },
        openRoom: (id) => void this.#navigator.openRoom(id),
        showSaw: (run) =>
          model.current && this.#drawer.show('saw', t('run.saw'), sawPanel(run.saw, model.current, this.#ui)),
        retrySend: (id) => this.#outbox.retry(id),
        editSend: (id) => this.#composers.takeBack(id, true),
        writeAgain: (message) => this.#composers.writeAgain(message),
        discardSend: (id) => this.#outbox.discard(id),
        say,
        newId: () => freshId(clock),
      },
      () => this.#ui,
    );
    this.#ui = { clock, api, model, topics, actions, commands: new CommandList(api) };
    this.#outbox = createOutbox({
      clock,
      api,
      userId: boot.user.id,
      storage,
      model: () => model,
      refused: ({ id }) => this.#composers.takeBack(id, false),
      changed: () => {
        topics.changed('flow', 'thread');
        this.#pill?.draw();
      },
    });
    this.#link = new LiveLink({
      clock,
      api,
      name: `opsdeck-rooms:${ROOT}${boot.user.id}`,
      cursor: boot.cursor,
      take: ({ event, data, id }) => {
        if (event === 'storage') this.#pill.showStorage(JSON.parse(data) as WireStorage);
        else if (event !== 'hello' && event !== 'shutdown') model.take({ event, data, id });
      },
      connection: (state) => {
        this.#pill.show(state);
        if (state.kind === 'live') void this.#outbox.flush();
      },
      signedOut,
    });
    this.#pill = new ConnectionPill(
      clock,
      () => this.#outbox.waiting,
      () => this.#reconnect(),
    );
    this.#notifier = new Notifier(model, this.#link, ({ id, roomId }) => actions.showMessage(id, roomId));
    this.#composers = new Composers(this.#ui, this.#outbox, {
      jumpToLatest: (entry) => this.#navigator.jumpToLatest(entry),
      toEnd: (place) => (place === 'room' ? this.#pane : this.#thread).flow.toEnd(),
      composerAt: (place) => (place === 'room' ? this.#pane : this.#thread).composer,
    });
    this.#panels = new RoomPanels(this.#ui, this.#drawer);
    this.#inbox = new InboxPanel(this.#ui, this.#drawer);
    this.#pane = this.#createPane();
    this.#thread = this.#createThread();
    this.#navigator = this.#createNavigator();
    this.#rail = new Rail(this.#ui, this.#pill.element, {
      newRoom: () => askForRoom(this.#ui),
      search: () => this.#palette.open(),
      inbox: () => this.#inbox.toggle(),
      newDirect: () => this.#palette.open('@'),
      settings: () => showSettings(boot, this.#ui),
    });
    this.#palette = new Palette(this.#ui);
  }

  start(): void {
    const { model, topics } = this.#ui;
    document.body.append(
      pageHeader(this.#clock, this.#pane.flow.element),
      this.#element,
      this.#announcer.element,
      this.#toasts.element,
    );
    this.#element.append(this.#rail.element, this.#pane.element, this.#drawer.element);
    for (const room of this.#boot.rooms) model.put(room);
    topics.on('rooms', () => this.#notifier.draw());
    this.#reads = new ReadTracker(this.#ui, {
      room: () => this.#pane.flow.isAtEnd,
      thread: () => this.#thread.flow.isAtEnd,
    });
    void this.#inbox.load();
    this.#openFirst();
    topics.flush();
    this.#link.start();
    void this.#outbox.restore();
    this.#listen();
  }

  #openFirst(): void {
    const { room, focus, asked } = this.#boot;
    const { model, actions } = this.#ui;
    if (room) {
      const entry = model.putOpened(room);
      const isAtEnd = room.hasAfter !== true && focus === null;
      this.#navigator.openFirst(entry, isAtEnd, room.cursor);
      if (focus !== null) actions.showMessage(focus, room.id);
    } else {
      this.#showNoRoom(asked);
      this.#rail.show();
    }
    const { invite } = parsePath(location.pathname);
    if (invite) void followInvite(invite, this.#ui);
  }

  #listen(): void {
    window.addEventListener('online', () => this.#reconnect());
    // A cut connection is silent for a while before it is noticed.
    window.addEventListener('offline', () => this.#pill.show({ kind: 'offline' }));
    window.addEventListener('popstate', () => this.#navigator.followAddress());
    listenToKeys(this.#ui, {
      search: () => this.#palette.open(),
      inbox: () => this.#inbox.toggle(),
      compose: () => (this.#drawer.name === 'thread' ? this.#thread.composer : this.#pane.composer).focus(),
      messageOf: (id) => this.#ui.model.current?.list.get(id),
      react: async (message, near) => {
        const emoji = await chooseEmoji(near);
        if (emoji) this.#ui.actions.react(message, emoji);
      },
    });
  }

  #reconnect(): void {
    this.#link.retry();
    void this.#outbox.flush();
  }

  #createPane(): RoomPane {
    return new RoomPane(this.#ui, this.#outbox, this.#composers.uploads, {
      ...this.#composers.room,
      needBefore: (entry) => void this.#navigator.needBefore(entry),
      needAfter: (entry) => void this.#navigator.needAfter(entry),
      jumpToLatest: (entry) => void this.#navigator.jumpToLatest(entry),
      moved: () => this.#reads?.look(),
      back: () => {
        this.#element.dataset.pane = 'rail';
        this.#rail.element.querySelector<HTMLElement>('[aria-current]')?.focus();
      },
      togglePanel: (name) => this.#panels.toggle(name),
      join: (entry) => void this.#navigator.join(entry),
    });
  }

  #createThread(): ThreadPanel {
    return new ThreadPanel(this.#ui, this.#outbox, this.#composers.threadUploads, {
      ...this.#composers.thread,
      close: () => this.#drawer.close(),
      people: () => [...(this.#ui.model.current?.members.values() ?? [])].map(({ user }) => user),
    });
  }

  #createNavigator(): Navigator {
    const { model, topics } = this.#ui;
    return new Navigator(this.#ui, {
      roomRead: (entry) => {
        this.#pane.read();
        if (entry.newAfterSeq !== undefined) this.#pane.flow.revealRow('new');
      },
      roomOpened: (entry, isAtEnd) => {
        if (this.#drawer.name !== '') this.#drawer.close();
        this.#element.dataset.pane = 'room';
        this.#element.classList.remove('no-room');
        this.#noRoom?.remove();
        rememberRoom(entry.room.slug);
        this.#pane.open(isAtEnd);
        this.#pane.composer.text = this.#composers.drafts.read(entry.room.id);
        if (isAtEnd && entry.newAfterSeq !== undefined) this.#pane.flow.revealRow('new');
        if (matchMedia('(pointer: fine)').matches && isAtEnd) this.#pane.composer.focus();
        this.#panels.fill();
        topics.changed('rooms');
      },
      revealInRoom: (id) => this.#pane.flow.reveal(id),
      threadOpened: (root) => {
        this.#thread.root = root ?? this.#thread.root;
        if (this.#drawer.name !== 'thread') {
          this.#thread.flow.reset();
          this.#drawer.show('thread', t('thread'), this.#thread.element);
          this.#thread.composer.text = this.#composers.drafts.read(model.thread?.rootId ?? '');
        }
        this.#thread.draw();
      },
      revealInThread: (id) => this.#thread.flow.reveal(id),
      toEnd: () => this.#pane.flow.toEnd(),
    });
  }

  #drawerChanged(isOpen: boolean): void {
    this.#element.classList.toggle('with-drawer', isOpen);
    if (this.#drawer.name !== 'thread') this.#ui.model.thread = undefined;
    const { dataset } = this.#element;
    if (isOpen && dataset.pane !== 'drawer') dataset.behind = dataset.pane;
    if (isOpen) dataset.pane = 'drawer';
    else if (dataset.pane === 'drawer') dataset.pane = dataset.behind;
    if (!isOpen) this.#panels.fill();
  }

  #arrived(entry: RoomEntry, message: WireMessage): void {
    this.#notifier.arrived(entry, message, this.#clock.now());
    this.#announcer.arrived(entry, message);
  }

  #seen(message: WireMessage): void {
    this.#outbox.confirm(message.id);
    this.#announcer.seen(this.#ui.model.entry(message.roomId), message);
  }

  #left(entry: RoomEntry): void {
    const { model, actions } = this.#ui;
    if (model.current !== entry) return;
    actions.say(t('room.lost', { room: entry.room.name }));
    const next = model.entries.find(({ me }) => me !== undefined) ?? model.entries[0];
    if (next) actions.openRoom(next.room.id);
    else this.#showNoRoom(null);
  }

  #showNoRoom(asked: string | null): void {
    this.#noRoom = noRoom(asked, {
      newRoom: () => askForRoom(this.#ui),
      showAll: () => {
        this.#element.dataset.pane = 'rail';
      },
    });
    this.#pane.element.append(this.#noRoom);
    this.#element.classList.add('no-room');
  }
}
