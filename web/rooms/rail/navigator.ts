import type { WireMessage } from '../../../src/rooms/contract/message.ts';
import { reasonOf } from '../api-error.ts';
import { EventStream } from '../live/event-stream.ts';
import type { RoomEntry } from '../room/entry.ts';
import { parsePath, pathOfMessage, pathOfRoom } from '../route.ts';
import type { Ui } from '../shell/ui.ts';
import { ThreadModel } from '../thread/model.ts';

/** The parts of the page that the navigator moves. */
export interface NavigatorHooks {
  /** Another room, or another part of it, is open. */
  roomOpened(entry: RoomEntry, isAtEnd: boolean): void;
  /** The open room has been read up to its end. */
  roomRead(entry: RoomEntry): void;
  revealInRoom(id: string): boolean;
  threadOpened(root: WireMessage | undefined): void;
  revealInThread(id: string): boolean;
  toEnd(): void;
}

/** Opens rooms, threads and messages, and reads what they need. */
export class Navigator {
  readonly #ui: Ui;
  readonly #hooks: NavigatorHooks;
  /** The stream of an open room that the user has not joined: the stream of all rooms leaves it out. */
  #visit: { readonly roomId: string; readonly stream: EventStream } | undefined;
  #loading: 'before' | 'after' | undefined;

  constructor(ui: Ui, hooks: NavigatorHooks) {
    this.#ui = ui;
    this.#hooks = hooks;
  }

  async openRoom(idOrSlug: string, { remember = true } = {}): Promise<RoomEntry | undefined> {
    const { model, actions, topics } = this.#ui;
    const entry = model.entry(idOrSlug) ?? (await this.#find(idOrSlug));
    if (!entry) return undefined;
    this.#enter(entry);
    const path = pathOfRoom(entry.room.slug);
    if (remember && location.pathname !== path) history.pushState(null, '', path);
    this.#hooks.roomOpened(entry, true);
    if (!entry.isLoaded || entry.list.hasAfter) {
      entry.failure = undefined;
      try {
        await this.load(entry);
        if (model.current === entry) this.#hooks.roomRead(entry);
      } catch (error) {
        if (entry.isLoaded) actions.fail(error);
        else entry.failure = reasonOf(error);
      }
    }
    topics.changed('rooms', 'room', 'flow');
    return entry;
  }

  /** Shows the room that came with the page. */
  openFirst(entry: RoomEntry, isAtEnd: boolean, cursor: string): void {
    this.#enter(entry);
    this.#watch(entry, cursor);
    this.#hooks.roomOpened(entry, isAtEnd);
    void this.#readPresence(entry);
  }

  /** Reads the end of a room; messages that arrive meanwhile are kept. */
  async load(entry: RoomEntry): Promise<void> {
    const { api, model } = this.#ui;
    entry.early ??= [];
    try {
      const opened = await api.room(entry.room.id);
      model.putOpened(opened);
      this.#watch(entry, opened.cursor);
    } finally {
      entry.early = undefined;
    }
    void this.#readPresence(entry);
  }

  /** Shows the room or message of the address, after the browser's back or forward. */
  followAddress(): void {
    const { room, message } = parsePath(location.pathname);
    const { model, actions } = this.#ui;
    const entry = room === undefined ? undefined : model.entry(room);
    if (!entry) return;
    if (message !== undefined) actions.showMessage(message, entry.room.id);
    else void this.openRoom(entry.room.id, { remember: false });
  }

  /** Reads all rooms again, after the log has forgotten events that the page has not seen. */
  async reload(): Promise<void> {
    const { model, api, clock } = this.#ui;
    try {
      const { rooms } = await api.rooms();
      for (const room of rooms) model.put(room);
      for (const entry of model.entries) if (entry !== model.current) entry.isLoaded = false;
      if (model.current) await this.load(model.current);
    } catch {
      clock.after(2000, () => void this.reload());
    }
  }

  async needBefore(entry: RoomEntry): Promise<void> {
    if (this.#loading || !entry.isLoaded) return;
    this.#loading = 'before';
    const { api, topics, actions } = this.#ui;
    try {
      const { firstSeq } = entry.list;
      entry.list.prepend(await api.page(entry.room.id, { before: String(firstSeq), limit: '100' }), firstSeq);
      topics.changed('flow');
    } catch (error) {
      actions.fail(error);
    }
    this.#loading = undefined;
  }

  async needAfter(entry: RoomEntry): Promise<void> {
    if (this.#loading || !entry.isLoaded) return;
    this.#loading = 'after';
    const { api, model, topics, actions } = this.#ui;
    try {
      const { lastSeq } = entry.list;
      entry.list.append(await api.page(entry.room.id, { after: String(lastSeq), limit: '100' }), lastSeq);
      model.reachEnd(entry);
      topics.changed('flow');
    } catch (error) {
      actions.fail(error);
    }
    this.#loading = undefined;
  }

  async jumpToLatest(entry: RoomEntry): Promise<void> {
    if (entry.list.hasAfter) {
      try {
        await this.load(entry);
      } catch (error) {
        return this.#ui.actions.fail(error);
      }
      if (this.#ui.model.current !== entry) return;
      this.#hooks.roomRead(entry);
    }
    this.#hooks.toEnd();
  }

  async showMessage(id: string, roomId: string): Promise<void> {
    const { model, api, actions } = this.#ui;
    try {
      if (model.current?.room.id !== roomId) await this.openRoom(roomId);
      const entry = model.current;
      if (!entry || entry.room.id !== roomId) return;
      if (this.#hooks.revealInRoom(id)) return;
      const message = entry.list.get(id) ?? (await api.message(id));
      if (model.current !== entry) return;
      if (message.threadId !== null && !message.alsoInRoom) {
        await this.openThread(message.threadId);
        this.#hooks.revealInThread(id);
        return;
      }
      const page = await api.page(roomId, { around: id });
      if (model.current !== entry) return;
      entry.list.replace(page);
      model.reachEnd(entry);
      this.#hooks.roomOpened(entry, false);
      this.#hooks.revealInRoom(id);
      history.replaceState(null, '', pathOfMessage(entry.room.slug, id));
    } catch (error) {
      actions.fail(error);
    }
  }

  async openThread(rootId: string): Promise<void> {
    const { model, api, topics, actions } = this.#ui;
    const entry = model.current;
    if (!entry) return;
    const thread = new ThreadModel(entry.room.id, rootId);
    model.thread = thread;
    let root = entry.list.get(rootId);
    this.#hooks.threadOpened(root);
    try {
      const page = await api.page(entry.room.id, { thread: rootId, limit: '200' });
      for (const message of page.messages) thread.apply(message);
      if (!root) root = await api.message(rootId);
      if (model.thread !== thread) return;
      this.#hooks.threadOpened(root);
      topics.changed('thread');
      const read = { threadReads: { [rootId]: thread.lastSeq } };
      if (entry.me && thread.lastSeq > 0) entry.updateMe(await api.read(entry.room.id, read));
    } catch (error) {
      actions.fail(error);
    }
  }

  async join({ room }: RoomEntry): Promise<void> {
    const { model, api, topics, actions } = this.#ui;
    try {
      model.put(await api.send('POST', `/api/room/${room.id}/join`));
      this.endVisit();
      topics.changed('room', 'rooms');
    } catch (error) {
      actions.fail(error);
    }
  }

  /** Closes the stream of a room that the user has joined or left for another. */
  endVisit(): void {
    this.#visit?.stream.stop();
    this.#visit = undefined;
  }

  #enter(entry: RoomEntry): void {
    const { model } = this.#ui;
    if (model.current === entry) return;
    model.current = entry;
    model.thread = undefined;
    entry.newAfterSeq = entry.unread > 0 ? entry.me?.lastReadSeq : undefined;
    if (this.#visit?.roomId !== entry.room.id) this.endVisit();
    if (entry.isLoaded) void this.#readPresence(entry);
  }

  #watch(entry: RoomEntry, cursor: string): void {
    const { clock, api, model } = this.#ui;
    if (entry.me || this.#visit?.roomId === entry.room.id || model.current !== entry) return;
    this.endVisit();
    const stream = new EventStream({
      clock,
      path: `/api/room/${entry.room.id}/event`,
      headers: api.identity,
      cursor,
      take: (event) => {
        if (event.event === 'reset') void this.load(entry).catch(() => {});
        else if (event.event !== 'hello' && event.event !== 'shutdown') model.take(event);
        if (entry.me) this.endVisit();
      },
      connection: () => {},
      signedOut: () => {},
      random: Math.random,
      isOnline: () => navigator.onLine,
    });
    this.#visit = { roomId: entry.room.id, stream };
    stream.start();
  }

  async #readPresence(entry: RoomEntry): Promise<void> {
    const { api, topics } = this.#ui;
    const here = await api.presence(entry.room.id).catch(() => undefined);
    if (!here) return;
    entry.online.clear();
    for (const { userId } of here.online) entry.online.add(userId);
    topics.changed('members');
  }

  async #find(idOrSlug: string): Promise<RoomEntry | undefined> {
    const { api, model, actions } = this.#ui;
    try {
      const opened = await api.room(idOrSlug);
      const entry = model.putOpened(opened);
      return entry;
    } catch (error) {
      actions.fail(error);
      return undefined;
    }
  }
}
