import type { WireMessage } from '../../../src/rooms/contract/message.ts';
import { EventStream } from '../live/event-stream.ts';
import type { RoomEntry } from '../room/entry.ts';
import { pathOfMessage, pathOfRoom } from '../route.ts';
import type { Ui } from '../shell/ui.ts';
import { ThreadModel } from '../thread/model.ts';

/** What the navigator moves. */
export interface Stage {
  /** Another room is open, or another part of it. */
  roomOpened(entry: RoomEntry, isAtEnd: boolean): void;
  /** The room that is open already has been read up to its end. */
  roomRead(entry: RoomEntry): void;
  revealInRoom(id: string): boolean;
  threadOpened(root: WireMessage | undefined): void;
  revealInThread(id: string): boolean;
  toEnd(): void;
}

/** Goes to rooms, threads and messages, and reads what is needed to show them. */
export class Navigator {
  readonly #ui: Ui;
  readonly #stage: Stage;
  /** Of a room that is read without being in it: it is not told with the others. */
  #visit: { readonly roomId: string; readonly stream: EventStream } | undefined;
  #loading: 'before' | 'after' | undefined;

  constructor(ui: Ui, stage: Stage) {
    this.#ui = ui;
    this.#stage = stage;
  }

  async openRoom(idOrSlug: string, { remember = true } = {}): Promise<RoomEntry | undefined> {
    const { model, actions, topics } = this.#ui;
    const entry = model.entry(idOrSlug) ?? (await this.#find(idOrSlug));
    if (!entry) return undefined;
    this.#enter(entry);
    if (remember) history.pushState(null, '', pathOfRoom(entry.room.slug));
    this.#stage.roomOpened(entry, true);
    if (!entry.isLoaded || entry.list.hasAfter) {
      try {
        await this.load(entry);
        if (model.current === entry) this.#stage.roomRead(entry);
      } catch (error) {
        actions.fail(error);
      }
    }
    topics.changed('rooms', 'room');
    return entry;
  }

  /** What came with the page. */
  openFirst(entry: RoomEntry, isAtEnd: boolean, cursor: string): void {
    this.#enter(entry);
    this.#watch(entry, cursor);
    this.#stage.roomOpened(entry, isAtEnd);
    void this.#readPresence(entry);
  }

  /** Reads a room from its end on, while what happens meanwhile is kept. */
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
      this.#stage.roomRead(entry);
    }
    this.#stage.toEnd();
  }

  async showMessage(id: string, roomId: string): Promise<void> {
    const { model, api, actions } = this.#ui;
    try {
      if (model.current?.room.id !== roomId) await this.openRoom(roomId);
      const entry = model.current;
      if (!entry || entry.room.id !== roomId) return;
      if (this.#stage.revealInRoom(id)) return;
      const message = entry.list.get(id) ?? (await api.message(id));
      if (model.current !== entry) return;
      if (message.threadId !== null && !message.alsoInRoom) {
        await this.openThread(message.threadId);
        this.#stage.revealInThread(id);
        return;
      }
      const page = await api.page(roomId, { around: id });
      if (model.current !== entry) return;
      entry.list.replace(page);
      model.reachEnd(entry);
      this.#stage.roomOpened(entry, false);
      this.#stage.revealInRoom(id);
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
    this.#stage.threadOpened(root);
    try {
      const page = await api.page(entry.room.id, { thread: rootId, limit: '200' });
      for (const message of page.messages) thread.apply(message);
      if (!root) root = await api.message(rootId);
      if (model.thread !== thread) return;
      this.#stage.threadOpened(root);
      topics.changed('thread');
      if (entry.me && thread.lastSeq > 0) await api.read(entry.room.id, { threadReads: { [rootId]: thread.lastSeq } });
    } catch (error) {
      actions.fail(error);
    }
  }

  /** The line that the leader has open tells of it now; or the reader has gone elsewhere. */
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
      line: () => {},
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
