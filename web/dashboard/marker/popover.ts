import type { MarkerView } from '../../../src/dashboard/domain/view.ts';
import type { CancelTimer } from '../../shared/clock.ts';
import { h, setText } from '../../shared/dom.ts';
import { iconButton } from '../controls/controls.ts';
import type { Ui } from '../shell/ui.ts';
import type { Palette } from '../table/cells.ts';
import { projectText, userText } from './texts.ts';

const OPEN_MS = 120;
const CLOSE_MS = 250;
const GAP = 8;

export interface MarkerPopoverParts {
  readonly palette: Palette;
  find(markerId: string): MarkerView | undefined;
  onEdit(markerId: string): void;
  /** Whether table rows open it. */
  isOnForTables(): boolean;
}

/** The anchor: an element, or an area of a canvas. */
type Anchor = { readonly rect: DOMRect; readonly element?: HTMLElement };

/** The page's only popover: a marker's fields and sums. */
export class MarkerPopover {
  readonly element: HTMLElement;
  readonly #ui: Ui;
  readonly #parts: MarkerPopoverParts;
  readonly #title = h('h3', { id: 'popover-title' });
  readonly #dot = h('span', { class: 'dot square', 'aria-hidden': 'true' });
  readonly #body = h('dl', { class: 'facts' });
  readonly #note = h('p', { class: 'popover-note' });
  readonly #more = h('p', { class: 'kpi-caption' });
  readonly #edit: HTMLButtonElement;
  #timer: CancelTimer = () => {};
  #shown: string | undefined;
  #pinned = false;
  #ofTable = false;
  #anchor: HTMLElement | undefined;
  readonly #listening = new AbortController();

  constructor(ui: Ui, parts: MarkerPopoverParts) {
    this.#ui = ui;
    this.#parts = parts;
    this.#edit = iconButton('edit', ui.t('marker.edit'), () => this.#onEdit(), { text: true, class: 'small' });
    this.element = h(
      'div',
      { class: 'popover', role: 'dialog', 'aria-labelledby': 'popover-title', hidden: true },
      h('div', { class: 'popover-head' }, this.#dot, this.#title),
      this.#body,
      this.#note,
      this.#more,
      this.#edit,
    );
    this.#listen();
  }

  /** A marker of a chart is hovered or chosen; undefined: no longer. */
  hover(
    hit: { readonly markerIds: readonly string[]; readonly anchor: DOMRect; readonly pinned: boolean } | undefined,
  ): void {
    const [first] = hit?.markerIds ?? [];
    if (!hit || first === undefined) {
      this.#closeSoon();
      return;
    }
    this.#timer();
    const open = () => this.#open(hit.markerIds, { rect: hit.anchor }, hit.pinned, false);
    if (hit.pinned) open();
    else if (!this.#pinned) this.#timer = this.#ui.clock.after(OPEN_MS, open);
  }

  /** Closes the popover of a row, when the checkbox is cleared. */
  closeTables(): void {
    if (this.#ofTable) this.close();
  }

  close(): void {
    this.#timer();
    if (this.element.hidden) return;
    const hadFocus = this.element.contains(document.activeElement);
    this.element.hidden = true;
    this.#shown = undefined;
    this.#pinned = false;
    if (hadFocus) this.#anchor?.focus();
  }

  destroy(): void {
    this.#timer();
    this.#listening.abort();
    this.element.remove();
  }

  #listen(): void {
    const { signal } = this.#listening;
    const rowOf = (target: EventTarget | null) =>
      target instanceof Element ? target.closest<HTMLElement>('tr[data-marker-id]') : null;
    document.addEventListener('pointerover', (event) => this.#onRow(rowOf(event.target), OPEN_MS), { signal });
    document.addEventListener('pointerout', (event) => rowOf(event.target) && this.#closeSoon(), { signal });
    document.addEventListener('focusin', (event) => this.#onRow(rowOf(event.target), 0), { signal });
    document.addEventListener('focusout', (event) => rowOf(event.target) && this.#closeSoon(), { signal });
    this.element.addEventListener('pointerenter', () => this.#timer());
    this.element.addEventListener('pointerleave', () => this.#closeSoon());
    this.element.addEventListener('focusin', () => this.#timer());
    this.element.addEventListener('focusout', () => this.#closeSoon());
    const onPress = (event: Event) => {
      if (event.target instanceof Node && !this.element.contains(event.target)) this.close();
    };
    document.addEventListener('pointerdown', onPress, { signal, capture: true });
    document.addEventListener('scroll', () => this.element.hidden || this.close(), {
      signal,
      capture: true,
      passive: true,
    });
    // Before the chart's handler: Escape closes the popover first.
    document.addEventListener(
      'keydown',
      (event) => {
        if (event.key === 'Escape' && !this.element.hidden) {
          this.close();
          event.stopPropagation();
        } else if (event.key === 'Enter') this.#onEnter(event, rowOf(event.target));
      },
      { signal, capture: true },
    );
  }

  #onRow(row: HTMLElement | null, delayMs: number): void {
    const id = row?.dataset.markerId;
    if (!row || id === undefined || this.#pinned || !this.#parts.isOnForTables()) return;
    this.#timer();
    if (this.#shown === id && this.#anchor === row) return;
    this.#timer = this.#ui.clock.after(delayMs, () =>
      this.#open([id], { rect: row.getBoundingClientRect(), element: row }, false, true),
    );
  }

  /** Enter on a row moves the focus into its popover. */
  #onEnter(event: KeyboardEvent, row: HTMLElement | null): void {
    if (!row || event.target !== row || row !== this.#anchor || this.element.hidden) return;
    event.preventDefault();
    this.#edit.focus();
  }

  #onEdit(): void {
    const id = this.#shown;
    this.#anchor?.focus();
    this.close();
    if (id !== undefined) this.#parts.onEdit(id);
  }

  #closeSoon(): void {
    this.#timer();
    if (this.#pinned) return;
    this.#timer = this.#ui.clock.after(CLOSE_MS, () => {
      if (!this.element.matches(':hover') && !this.element.contains(document.activeElement)) this.close();
    });
  }

  #open(ids: readonly string[], anchor: Anchor, pinned: boolean, ofTable: boolean): void {
    const [id = ''] = ids;
    const found = this.#parts.find(id);
    if (!found) return;
    this.#shown = id;
    this.#pinned = pinned;
    this.#ofTable = ofTable;
    this.#anchor = anchor.element;
    this.#write(found, ids.length - 1);
    this.element.hidden = false;
    this.#place(anchor.rect);
    if (pinned && anchor.element === undefined && document.activeElement?.matches('canvas'))
      this.#anchor = document.activeElement as HTMLElement;
  }

  #write(view: MarkerView, others: number): void {
    const { t, format } = this.#ui;
    const { marker, raw, assigned } = view;
    setText(this.#title, projectText(marker, t));
    this.#dot.style.background = this.#parts.palette.project(marker.project);
    const facts: (readonly [string, string])[] = [
      [t('marker.task'), marker.task || '–'],
      [t('marker.user'), userText(marker.user, t)],
      [t('from'), format.dateTime(view.from)],
      [t('to'), view.isOpen ? `* ${t('marker.open')}` : format.dateTime(view.to)],
      [t('column.requests'), format.count(raw.requests)],
      [t('column.tokens'), format.count(raw.tokens)],
      [t('column.cost'), format.money(raw.cost)],
      [t('marker.average'), raw.requests > 0 ? format.money(raw.cost / raw.requests) : '–'],
    ];
    this.#body.replaceChildren(...facts.flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]));
    setText(this.#note, marker.note);
    this.#note.hidden = marker.note === '';
    const differs = raw.requests !== assigned.requests;
    const words = [
      differs ? t('marker.assigned', { n: assigned.requests, overlaps: view.overlaps }) : '',
      others > 0 ? t('marker.others', { n: others }) : '',
    ].filter((text) => text !== '');
    setText(this.#more, words.join(' '));
    this.#more.hidden = words.length === 0;
  }

  /** Above the anchor if there is room, else below; within the window. */
  #place(anchor: DOMRect): void {
    const { offsetWidth: width, offsetHeight: height } = this.element;
    const above = anchor.top - GAP - height;
    const below = Math.min(anchor.bottom + GAP, window.innerHeight - height - GAP);
    const top = above >= GAP ? above : below;
    const wanted = Math.max(anchor.left, 0) + Math.min(anchor.width, window.innerWidth) / 2 - width / 2;
    const left = Math.max(GAP, Math.min(wanted, window.innerWidth - width - GAP));
    this.element.style.top = `${Math.max(GAP, top)}px`;
    this.element.style.left = `${left}px`;
  }
}
