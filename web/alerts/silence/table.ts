import type { Silence } from '../../../src/alerts/contract/wire.ts';
import { h, setAttribute, syncChildren } from '../../shared/dom.ts';
import type { PageContext } from '../page.ts';
import type { SilenceTab } from '../route.ts';
import { t } from '../text.ts';
import { nextOrder, type SilenceOrder, SORT_COLUMNS, type SortColumn } from './list.ts';
import { silenceRow } from './row.ts';
import { Selection } from './selection.ts';

interface TableParts {
  readonly context: PageContext;
  onSelect(count: number): void;
  onOrder(order: SilenceOrder | undefined): void;
  onChanged(): Promise<void>;
}

interface DrawnRow {
  readonly signature: string;
  readonly element: HTMLTableRowElement;
}

const COLUMNS = ['state', 'text', 'alerts', 'creator', 'starts', 'ends'] as const;
const isSortColumn = (column: string): column is SortColumn => (SORT_COLUMNS as readonly string[]).includes(column);

/** The silences as a table with selection; narrow pages show its rows as cards, hence the explicit roles. */
export class SilenceTable {
  readonly element: HTMLElement;
  readonly #parts: TableParts;
  readonly #selection = new Selection();
  readonly #selectAll = h('input', { type: 'checkbox', 'aria-label': t('silence.select-all') });
  readonly #headings = new Map<SortColumn, HTMLElement>();
  readonly #body = h('tbody', { role: 'rowgroup' });
  #rows = new Map<string, DrawnRow>();
  #silences: readonly Silence[] = [];
  #order: SilenceOrder | undefined;

  constructor(parts: TableParts) {
    this.#parts = parts;
    this.#selectAll.addEventListener('click', () => {
      this.#selection.setAll(this.#selectAll.checked ? this.#selectable() : []);
      this.#showSelection();
    });
    const heading = (column: (typeof COLUMNS)[number]) => {
      const title = t(`silence.column.${column}`);
      const cell = h('th', { role: 'columnheader', scope: 'col', class: `silence-${column}` });
      cell.append(isSortColumn(column) ? this.#sortButton(column, title, cell) : title);
      return cell;
    };
    const head = h(
      'tr',
      { role: 'row' },
      h('th', { role: 'columnheader', class: 'silence-select' }, h('label', {}, this.#selectAll)),
      COLUMNS.map(heading),
      h(
        'th',
        { role: 'columnheader', class: 'silence-actions' },
        h('span', { class: 'off-screen' }, t('silence.actions')),
      ),
    );
    this.element = h(
      'table',
      { role: 'table', class: 'silences', 'aria-label': t('silence.title') },
      h('thead', { role: 'rowgroup' }, head),
      this.#body,
    );
  }

  get order(): SilenceOrder | undefined {
    return this.#order;
  }

  /** The selected silences, in the order of the table. */
  get selected(): readonly Silence[] {
    return this.#silences.filter(({ id }) => this.#selection.ids.has(id));
  }

  /** The silence whose row has the focus. */
  get focused(): Silence | undefined {
    const id = document.activeElement?.closest<HTMLElement>('tr.silence')?.dataset.id;
    return this.#silences.find((silence) => silence.id === id);
  }

  /** Draws what differs, so that focus and selection stay. */
  show(tab: SilenceTab, silences: readonly Silence[], affected: ReadonlyMap<string, number>): void {
    setAttribute(this.element, 'data-tab', tab);
    const focused = this.focused;
    const at = focused ? this.#silences.indexOf(focused) : -1;
    this.#silences = silences;
    this.#selection.keep(new Set(silences.map(({ id }) => id)));
    const rows = new Map<string, DrawnRow>();
    for (const silence of silences) {
      const count = affected.get(silence.id) ?? 0;
      const signature = JSON.stringify([silence, count]);
      const known = this.#rows.get(silence.id);
      rows.set(silence.id, known?.signature === signature ? known : { signature, element: this.#row(silence, count) });
    }
    this.#rows = rows;
    const elements = [...rows.values()].map(({ element }) => element);
    syncChildren(this.#body, elements);
    // The row with the focus is another one, or gone: its successor takes the focus.
    if (focused && document.activeElement === document.body) {
      const next = rows.get(focused.id)?.element ?? elements[at] ?? elements.at(-1);
      next?.querySelector<HTMLElement>('.matchers')?.focus({ preventScroll: true });
    }
    this.#showSelection();
  }

  clearSelection(): void {
    this.#selection.clear();
    this.#showSelection();
  }

  /** Moves the focus to the row that is `by` rows further. */
  move(by: number): void {
    const links = [...this.#body.querySelectorAll<HTMLElement>('.matchers')];
    const at = links.findIndex((link) => link.closest('tr')?.contains(document.activeElement));
    links[Math.max(0, Math.min(links.length - 1, at < 0 ? 0 : at + by))]?.focus();
  }

  /** Selects the focused row, or takes the selection back. */
  toggleFocused(): void {
    const silence = this.focused;
    if (!silence || silence.status.state === 'expired') return;
    this.#select(silence.id, !this.#selection.ids.has(silence.id), false);
  }

  #row(silence: Silence, affected: number): HTMLTableRowElement {
    return silenceRow(silence, {
      context: this.#parts.context,
      affected,
      select: (isSelected, isRange) => this.#select(silence.id, isSelected, isRange),
      onChanged: () => this.#parts.onChanged(),
    });
  }

  #select(id: string, isSelected: boolean, isRange: boolean): void {
    this.#selection.set(id, isSelected, isRange, this.#selectable());
    this.#showSelection();
  }

  /** Expired silences can be neither extended nor expired. */
  #selectable(): readonly string[] {
    return this.#silences.filter(({ status }) => status.state !== 'expired').map(({ id }) => id);
  }

  #showSelection(): void {
    const { ids } = this.#selection;
    for (const [id, { element }] of this.#rows) {
      const box = element.querySelector('input');
      if (box) box.checked = ids.has(id);
      setAttribute(element, 'aria-selected', ids.has(id) && 'true');
    }
    const selectable = this.#selectable();
    this.#selectAll.disabled = selectable.length === 0;
    this.#selectAll.checked = ids.size > 0 && ids.size === selectable.length;
    this.#selectAll.indeterminate = ids.size > 0 && ids.size < selectable.length;
    this.#parts.onSelect(ids.size);
  }

  #sortButton(column: SortColumn, title: string, cell: HTMLElement): HTMLElement {
    this.#headings.set(column, cell);
    const onclick = () => {
      this.#order = nextOrder(this.#order, column);
      for (const [name, heading] of this.#headings) setAttribute(heading, 'aria-sort', this.#sortOf(name));
      this.#parts.onOrder(this.#order);
    };
    return h('button', { type: 'button', class: 'sort', onclick }, title);
  }

  #sortOf(column: SortColumn): string | undefined {
    if (this.#order?.column !== column) return undefined;
    return this.#order.isDescending ? 'descending' : 'ascending';
  }
}
