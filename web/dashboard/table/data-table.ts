import type { Child } from '../../shared/dom.ts';
import { h, setAttribute, syncChildren } from '../../shared/dom.ts';

export interface Column<Row, Key extends string = string> {
  readonly key: Key;
  readonly title: string;
  readonly isNumber?: boolean;
  /** The value to sort by; without it there is no sort button. `outside`: the page sorts. */
  readonly sort?: ((row: Row) => string | number) | 'outside';
  cell(row: Row): Child | readonly Child[];
}

export interface Order<Key extends string = string> {
  readonly by: Key;
  readonly descending: boolean;
}

export interface DataTableParts<Row, Key extends string> {
  readonly id: string;
  readonly caption: string;
  readonly columns: readonly Column<Row, Key>[];
  readonly order: Order<Key>;
  /** The label of a sort button for screen readers. */
  sortLabel(title: string): string;
  /** Called for columns that the page sorts. */
  onOrder?(order: Order<Key>): void;
  /** Adds marker and colour to a row. */
  dress?(element: HTMLTableRowElement, row: Row): void;
}

/** A table with sort buttons in its head, in a box that scrolls sideways with a fixed first column. */
export class DataTable<Row, Key extends string = string> {
  readonly element: HTMLElement;
  readonly #parts: DataTableParts<Row, Key>;
  readonly #body = h('tbody');
  readonly #heads = new Map<Key, HTMLTableCellElement>();
  #rows: readonly Row[] = [];
  #order: Order<Key>;

  constructor(parts: DataTableParts<Row, Key>) {
    this.#parts = parts;
    this.#order = parts.order;
    const heads = parts.columns.map((column) => this.#head(column));
    const table = h(
      'table',
      { id: parts.id },
      h('caption', { class: 'off-screen' }, parts.caption),
      h('thead', {}, h('tr', {}, heads)),
      this.#body,
    );
    this.element = h('div', { class: 'table-box', tabindex: 0, role: 'group', 'aria-label': parts.caption }, table);
    this.#showOrder();
  }

  show(rows: readonly Row[]): void {
    this.#rows = rows;
    const before = [...this.#body.children];
    const now = this.#sorted().map((row) => this.#row(row));
    // Unchanged rows are kept, for the focus.
    syncChildren(
      this.#body,
      now.map((row, index) => (before[index]?.isEqualNode(row) ? before[index] : row)),
    );
  }

  showOrder(order: Order<Key>): void {
    this.#order = order;
    this.#showOrder();
  }

  #head(column: Column<Row, Key>): HTMLTableCellElement {
    const head = h('th', { scope: 'col', class: classOf(column) });
    this.#heads.set(column.key, head);
    if (!column.sort) {
      head.append(column.title);
      return head;
    }
    const arrow = h('span', { class: 'arrow', 'aria-hidden': 'true' });
    const title = this.#parts.sortLabel(column.title);
    head.append(
      h('button', { type: 'button', class: 'sort', title, onclick: () => this.#sortBy(column) }, column.title, arrow),
    );
    return head;
  }

  #sortBy(column: Column<Row, Key>): void {
    const same = this.#order.by === column.key;
    const order = { by: column.key, descending: same ? !this.#order.descending : column.isNumber === true };
    this.#order = order;
    this.#showOrder();
    if (column.sort === 'outside') this.#parts.onOrder?.(order);
    else this.show(this.#rows);
  }

  #showOrder(): void {
    for (const [key, head] of this.#heads) {
      const sorted = key === this.#order.by && (this.#order.descending ? 'descending' : 'ascending');
      setAttribute(head, 'aria-sort', sorted);
    }
  }

  #sorted(): readonly Row[] {
    const sort = this.#parts.columns.find(({ key }) => key === this.#order.by)?.sort;
    if (typeof sort !== 'function') return this.#rows;
    const sign = this.#order.descending ? -1 : 1;
    const keyed = this.#rows.map((row) => ({ row, key: sort(row) }));
    keyed.sort((one, other) => sign * compare(one.key, other.key));
    return keyed.map(({ row }) => row);
  }

  #row(row: Row): HTMLTableRowElement {
    const cells = this.#parts.columns.map((column, index) => {
      const content = column.cell(row);
      const children = Array.isArray(content) ? (content as readonly Child[]) : [content as Child];
      const attributes = { class: classOf(column) };
      return index === 0 ? h('th', { scope: 'row', ...attributes }, ...children) : h('td', attributes, ...children);
    });
    const element = h('tr', {}, cells);
    this.#parts.dress?.(element, row);
    return element;
  }
}

/** Costs stay in sight in narrow windows. */
const classOf = ({ key, isNumber }: Pick<Column<never>, 'key' | 'isNumber'>): string | false =>
  isNumber === true && (key === 'cost' ? 'number cost' : 'number');

function compare(one: string | number, other: string | number): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return String(one).localeCompare(String(other));
}

/** A number with a bar behind it that shows its share of the largest. */
export function barCell(text: string, share: number): readonly Child[] {
  const bar = h('span', { class: 'cell-bar', 'aria-hidden': 'true' });
  bar.style.setProperty('--share', String(Math.max(0, Math.min(1, share))));
  return [bar, h('span', { class: 'cell-text' }, text)];
}
