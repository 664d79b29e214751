import type { ReadBody } from '../../../src/rooms/contract/member.ts';
import type { CancelTimer } from '../../shared/clock.ts';
import type { RoomEntry } from '../room/entry.ts';
import type { Ui } from '../shell/ui.ts';

const AFTER_MS = 500;

/** Whether the end of the open room, and of the open thread, is in view. */
export interface EndsInView {
  readonly room: () => boolean;
  readonly thread: () => boolean;
}

/** Reports read positions to the server: messages count as read at the end of a room or thread in a focused window. */
export class ReadTracker {
  readonly #ui: Ui;
  readonly #ends: EndsInView;
  #cancelTimer: CancelTimer | undefined;

  constructor(ui: Ui, ends: EndsInView) {
    this.#ui = ui;
    this.#ends = ends;
    ui.topics.on('flow', () => this.look());
    ui.topics.on('thread', () => this.look());
    window.addEventListener('focus', () => this.look());
    document.addEventListener('visibilitychange', () => this.look());
  }

  /** To be called when the visible messages may have changed. */
  look(): void {
    if (this.#cancelTimer || !this.#unread()) return;
    this.#cancelTimer = this.#ui.clock.after(AFTER_MS, () => {
      this.#cancelTimer = undefined;
      void this.#mark();
    });
  }

  /** The positions to report; `undefined`: none. */
  #unread(): { readonly entry: RoomEntry; readonly body: ReadBody } | undefined {
    const { current: entry, thread } = this.#ui.model;
    if (!entry?.me || document.hidden || !document.hasFocus()) return undefined;
    const { lastReadSeq, threadReads } = entry.me;
    const isRoomRead = this.#ends.room() && (entry.list.lastSeq > lastReadSeq || entry.unread > 0);
    const isThreadRead =
      thread?.roomId === entry.room.id && this.#ends.thread() && thread.lastSeq > (threadReads[thread.rootId] ?? 0);
    if (!isRoomRead && !isThreadRead) return undefined;
    const body = {
      ...(isRoomRead ? { seq: entry.list.lastSeq } : {}),
      ...(isThreadRead ? { threadReads: { [thread.rootId]: thread.lastSeq } } : {}),
    };
    return { entry, body };
  }

  async #mark(): Promise<void> {
    const { api, topics } = this.#ui;
    const { entry, body } = this.#unread() ?? {};
    if (!entry || !body) return;
    const me = await api.read(entry.room.id, body).catch(() => undefined);
    if (!me) return;
    entry.updateMe(me);
    if (entry.lastSeq === body.seq) {
      entry.unread = 0;
      entry.mentions = 0;
    }
    topics.changed('rooms');
  }
}
