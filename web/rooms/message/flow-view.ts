import { h, syncChildren } from '../../shared/dom.ts';
import { icon } from '../../shared/icons.ts';
import { closeButton } from '../../shared/shell/states.ts';
import { printDay, withLocalTimes } from '../shell/time-text.ts';
import type { Ui } from '../shell/ui.ts';
import { noticeWords } from '../text/server-words.ts';
import { t } from '../text/text.ts';
import { tickCards } from './alert-card-view.ts';
import type { Row } from './flow-rows.ts';
import { type MessageLook, renderMessage, renderPending, rewriteBody } from './view.ts';

/** Maximum rows in the document; others are made when they are scrolled to. */
const MAX_ROWS = 240;
const FIRST_ROWS = 120;
const STEP_ROWS = 60;
/** Within this distance of an end, in pixels, more rows are made or requested. */
const NEAR_PX = 800;
/** Within this distance of the end the flow follows new messages. */
const STICKY_PX = 60;

export interface FlowHooks {
  needBefore(): void;
  needAfter(): void;
  /** The end has come into view or left it, or has changed. */
  moved(isAtEnd: boolean): void;
}

export interface ShownFlow {
  readonly rows: readonly Row[];
  readonly look: MessageLook;
  readonly hasBefore: boolean;
  readonly hasAfter: boolean;
}

interface Made {
  readonly stamp: string;
  /** The shown length of a text that is being written. */
  readonly streamed: number;
  readonly element: HTMLElement;
}

/** Only rows of messages mark a position: others move when messages come before them. */
const isLasting = (row: Row | undefined): boolean => row?.kind === 'message' || row?.kind === 'pending';

const streamedOf = (row: Row, { entry }: MessageLook): number =>
  row.kind === 'message' && row.message.status === 'streaming'
    ? (entry.streaming.get(row.message.id)?.text.length ?? 0)
    : 0;

/** Scrolling rows: only those near the view are in the document. The view stays still while rows come and go. */
export class FlowView {
  readonly element: HTMLElement;
  readonly #rows = h('div', { class: 'rows' });
  readonly #ui: Ui;
  readonly #hooks: FlowHooks;
  #shown: ShownFlow | undefined;
  #made = new Map<string, Made>();
  #fromKey: string | undefined;
  #toKey: string | undefined;
  /** Whether the last of all rows is in the document. */
  #isWholeEnd = true;
  #isSticky = true;
  #height = 0;

  constructor(ui: Ui, hooks: FlowHooks, label: string) {
    this.#ui = ui;
    this.#hooks = hooks;
    // The announcer speaks whole messages; here every piece of a text would be spoken.
    this.element = h(
      'div',
      { class: 'flow', role: 'log', 'aria-live': 'off', 'aria-label': label, tabindex: 0 },
      this.#rows,
    );
    this.element.addEventListener('scroll', () => this.#onScroll(), { passive: true });
    this.element.addEventListener('keydown', (event) => this.#onKey(event));
    new ResizeObserver(() => this.#onResize()).observe(this.#rows);
    new ResizeObserver(() => this.#onResize()).observe(this.element);
    ui.clock.every(1000, () => tickCards(this.#rows, ui.clock.now()));
  }

  get isAtEnd(): boolean {
    return this.#isSticky && this.#shown?.hasAfter !== true;
  }

  /** Forgets the position, for another room or another part of it. */
  reset(isAtEnd = true): void {
    this.#made.clear();
    this.#rows.replaceChildren();
    this.#fromKey = undefined;
    this.#toKey = undefined;
    this.#isWholeEnd = false;
    this.#isSticky = isAtEnd;
  }

  show(shown: ShownFlow): void {
    this.#shown = shown;
    const { rows } = shown;
    const follows = this.isAtEnd;
    let { from, to } = this.#standing(rows);
    if (from === -1 || to === 0 || follows) {
      to = rows.length;
      from = from === -1 || to - from > MAX_ROWS ? Math.max(0, to - FIRST_ROWS) : from;
    } else to = Math.min(to, from + MAX_ROWS);
    this.#place(from, to, follows);
  }

  /** Scrolls a message into the middle, and focuses it. */
  reveal(id: string): boolean {
    const rows = this.#shown?.rows ?? [];
    const index = rows.findIndex(({ key }) => key === id);
    if (index === -1) return false;
    this.#isSticky = false;
    this.#place(Math.max(0, index - STEP_ROWS), Math.min(rows.length, index + STEP_ROWS), false);
    const element = this.#made.get(id)?.element;
    if (!element) return false;
    element.scrollIntoView({ block: 'center' });
    element.focus({ preventScroll: true });
    element.classList.remove('found');
    void element.offsetWidth;
    element.classList.add('found');
    return true;
  }

  /** Scrolls to a row that is not a message. */
  revealRow(key: string): void {
    this.#made.get(key)?.element.scrollIntoView({ block: 'center' });
    this.#isSticky = this.#isNearEnd();
    this.#hooks.moved(this.isAtEnd);
  }

  toEnd(): void {
    this.#isSticky = true;
    if (this.#shown) this.show(this.#shown);
  }

  /** Focuses the last message. */
  focusLast(): void {
    const last = this.#rows.querySelector<HTMLElement>('article:last-of-type');
    (last ?? this.element).focus();
  }

  scrollBy(pages: number): void {
    this.element.scrollBy({ top: pages * this.element.clientHeight * 0.9 });
  }

  /** The range of all rows that is in the document; -1 and 0 if none of them is. */
  #standing(rows: readonly Row[]): { readonly from: number; readonly to: number } {
    let from = this.#indexOf(rows, this.#fromKey);
    while (from > 0 && !isLasting(rows[from - 1])) from--;
    return { from, to: this.#isWholeEnd ? rows.length : this.#indexOf(rows, this.#toKey) + 1 };
  }

  #indexOf(rows: readonly Row[], key: string | undefined): number {
    return key === undefined ? -1 : rows.findIndex((row) => row.key === key);
  }

  /** Shows the rows `[from, to)`. */
  #place(from: number, to: number, follows: boolean): void {
    const { rows = [], look } = this.#shown ?? {};
    if (!look) return;
    const anchor = follows ? undefined : this.#anchor();
    const focused = document.activeElement?.closest<HTMLElement>('[data-key]')?.dataset.key;
    const hadFocus = focused !== undefined && this.#rows.contains(document.activeElement);
    const made = new Map<string, Made>();
    const elements = rows.slice(from, to).map((row) => {
      const stamp = this.#stampOf(row, look);
      const streamed = streamedOf(row, look);
      const known = this.#made.get(row.key);
      const element = known?.stamp === stamp ? known.element : this.#make(row, look);
      if (row.kind === 'message' && known?.stamp === stamp && known.streamed !== streamed)
        rewriteBody(element, row.message, look, this.#ui);
      element.dataset.key = row.key;
      made.set(row.key, { stamp, streamed, element });
      return element;
    });
    this.#made = made;
    const placed = rows.slice(from, to);
    this.#fromKey = placed.find(isLasting)?.key;
    this.#toKey = placed.findLast(isLasting)?.key;
    this.#isWholeEnd = to === rows.length;
    syncChildren(this.#rows, elements);
    if (hadFocus && !this.#rows.contains(document.activeElement))
      made.get(focused)?.element.focus({ preventScroll: true });
    if (follows) this.element.scrollTop = this.element.scrollHeight;
    else if (anchor) this.#hold(anchor);
    this.#height = this.#rows.offsetHeight;
    this.#hooks.moved(this.isAtEnd);
    this.#wantMore();
  }

  /** The first visible row and its position. */
  #anchor(): { readonly key: string; readonly top: number } | undefined {
    const edge = this.element.getBoundingClientRect().top;
    for (const child of this.#rows.querySelectorAll<HTMLElement>(':scope > article')) {
      const { top, bottom } = child.getBoundingClientRect();
      if (bottom > edge) return { key: child.dataset.key ?? '', top };
    }
    return undefined;
  }

  #hold({ key, top }: { readonly key: string; readonly top: number }): void {
    const element = this.#made.get(key)?.element;
    if (element) this.element.scrollTop += element.getBoundingClientRect().top - top;
  }

  #stampOf(row: Row, { entry, place }: MessageLook): string {
    if (row.kind === 'pending') return `${row.item.state}|${row.isGrouped}|${row.item.reason}`;
    if (row.kind !== 'message') return row.kind === 'day' ? printDay(row.at, this.#ui.clock.now()) : row.kind;
    const { message, isGrouped } = row;
    const quoted = message.replyTo === null ? 0 : entry.list.get(message.replyTo)?.version;
    return `${message.version}|${isGrouped}|${quoted}|${place}|${entry.room.copilot?.version}|${entry.members.size}`;
  }

  #make(row: Row, look: MessageLook): HTMLElement {
    const ui = this.#ui;
    switch (row.kind) {
      case 'message':
        return renderMessage(row, look, ui);
      case 'pending':
        return renderPending(row.item, row.isGrouped, look, ui);
      case 'day':
        return h('div', { class: 'day', role: 'separator' }, h('span', {}, printDay(row.at, ui.clock.now())));
      case 'new':
        return h('div', { class: 'new-mark', role: 'separator' }, h('span', {}, t('mark.new')));
      case 'notice':
        return h(
          'div',
          { class: 'private-notice', role: 'status' },
          icon('eye'),
          h(
            'div',
            {},
            h('p', { class: 'soft' }, t('notice.private')),
            h('p', {}, withLocalTimes(noticeWords(row.text))),
          ),
          closeButton(t('notice.dismiss'), () => ui.actions.dropNote(row.id)),
        );
    }
  }

  #isNearEnd(): boolean {
    const { scrollHeight, scrollTop, clientHeight } = this.element;
    return scrollHeight - scrollTop - clientHeight < STICKY_PX;
  }

  #onScroll(): void {
    const was = this.isAtEnd;
    this.#isSticky = this.#isNearEnd() && this.#isWholeEnd;
    if (was !== this.isAtEnd) this.#hooks.moved(this.isAtEnd);
    this.#wantMore();
  }

  /** Makes or requests more rows when the view comes near an end. */
  #wantMore(): void {
    const { rows = [], hasBefore = false, hasAfter = false } = this.#shown ?? {};
    if (rows.length === 0 || this.element.clientHeight === 0) return;
    const { from, to } = this.#standing(rows);
    const isNearStart = this.element.scrollTop < NEAR_PX;
    const isNearEnd = this.element.scrollHeight - this.element.scrollTop - this.element.clientHeight < NEAR_PX;
    if (isNearStart && from > 0)
      this.#place(Math.max(0, from - STEP_ROWS), Math.min(to, from - STEP_ROWS + MAX_ROWS), false);
    else if (isNearEnd && to < rows.length)
      this.#place(Math.max(from, to + STEP_ROWS - MAX_ROWS), Math.min(rows.length, to + STEP_ROWS), false);
    else {
      if (isNearStart && hasBefore) this.#hooks.needBefore();
      if (isNearEnd && hasAfter) this.#hooks.needAfter();
    }
  }

  /** After a picture has loaded or the composer has grown: a view at the end stays at the end. */
  #onResize(): void {
    const height = this.#rows.offsetHeight;
    if (this.isAtEnd) this.element.scrollTop = this.element.scrollHeight;
    else if (height !== this.#height) this.#wantMore();
    this.#height = height;
  }

  #onKey(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const articles = [...this.#rows.querySelectorAll<HTMLElement>('article')];
    const at = articles.indexOf(event.target as HTMLElement);
    const isInside = at === -1 && event.target !== this.element;
    if (isInside) return;
    const next =
      event.key === 'ArrowUp'
        ? at === -1
          ? articles.length - 1
          : at - 1
        : event.key === 'ArrowDown'
          ? at + 1
          : event.key === 'Home'
            ? 0
            : event.key === 'End'
              ? articles.length - 1
              : undefined;
    const article = next === undefined ? undefined : articles[next];
    if (!article) return;
    event.preventDefault();
    article.focus({ preventScroll: true });
    article.scrollIntoView({ block: 'nearest' });
  }
}
