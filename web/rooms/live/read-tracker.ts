import type { CancelTimer } from '../../shared/clock.ts';
import type { RoomEntry } from '../room/entry.ts';
import type { Ui } from '../shell/ui.ts';

const AFTER_MS = 500;

/** Reports the read position to the server: messages count as read at the end of a room in a focused window. */
export class ReadTracker {
  readonly #ui: Ui;
  readonly #isAtEnd: () => boolean;
  #cancelTimer: CancelTimer | undefined;

  constructor(ui: Ui, isAtEnd: () => boolean) {
    this.#ui = ui;
    this.#isAtEnd = isAtEnd;
    ui.topics.on('flow', () => this.look());
    window.addEventListener('focus', () => this.look());
    document.addEventListener('visibilitychange', () => this.look());
  }

  /** To be called when the visible messages may have changed. */
  look(): void {
    if (this.#cancelTimer || !this.#hasUnread(this.#ui.model.current)) return;
    this.#cancelTimer = this.#ui.clock.after(AFTER_MS, () => {
      this.#cancelTimer = undefined;
      void this.#mark();
    });
  }

  #hasUnread(entry: RoomEntry | undefined): entry is RoomEntry {
    if (!entry?.me || document.hidden || !document.hasFocus() || !this.#isAtEnd()) return false;
    return entry.list.lastSeq > entry.me.lastReadSeq || entry.unread > 0;
  }

  async #mark(): Promise<void> {
    const { model, api, topics } = this.#ui;
    const entry = model.current;
    if (!this.#hasUnread(entry)) return;
    const seq = entry.list.lastSeq;
    const me = await api.read(entry.room.id, { seq }).catch(() => undefined);
    if (!me) return;
    entry.updateMe(me);
    if (entry.lastSeq === seq) {
      entry.unread = 0;
      entry.mentions = 0;
    }
    topics.changed('rooms');
  }
}
