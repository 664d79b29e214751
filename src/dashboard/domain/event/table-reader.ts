import type { MarkerInterval } from '../marker/marker.ts';
import type { TablePage, TableQuery } from '../table-page.ts';
import type { SourceIndex } from './source-index.ts';
import { cutPage, filterOffers, filterRows, orderRows } from './table.ts';

/** The events of a selection, by time. */
export interface SelectedEvents {
  readonly index: SourceIndex;
  readonly intervals: readonly MarkerInterval[];
  readonly rows: Uint32Array;
}

type Offers = ReturnType<typeof filterOffers>;

/**
 * Pages of the requests. Keeps what pages of one selection share: the values of its filters, the rows that pass them,
 * and their order. Another page only cuts.
 */
export class TableReader {
  #selected: SelectedEvents | undefined;
  #offers: Offers | undefined;
  #filtered = new Kept<Uint32Array>();
  #ordered = new Kept<Uint32Array>();

  read(selected: SelectedEvents, query: TableQuery): TablePage {
    this.#follow(selected);
    const { index, intervals, rows } = selected;
    const { page: _page, sort, view, ...filters } = query;
    const filterKey = JSON.stringify([filters, view.costBasis]);
    const filtered = this.#filtered.get(filterKey, () => filterRows(index, intervals, rows, query));
    const ordered = this.#ordered.get(filterKey + JSON.stringify(sort), () =>
      orderRows(index, intervals, filtered, query),
    );
    this.#offers ??= filterOffers(index, intervals, rows);
    return { ...cutPage(index, intervals, ordered, query), ...this.#offers };
  }

  #follow(selected: SelectedEvents): void {
    const before = this.#selected;
    this.#selected = selected;
    if (before && isSame(before, selected)) return;
    this.#offers = undefined;
    this.#filtered = new Kept();
    this.#ordered = new Kept();
  }
}

/** A selection of the same data is the same part of the same array. */
function isSame(one: SelectedEvents, other: SelectedEvents): boolean {
  return (
    one.index === other.index &&
    one.intervals === other.intervals &&
    one.rows.buffer === other.rows.buffer &&
    one.rows.byteOffset === other.rows.byteOffset &&
    one.rows.length === other.rows.length
  );
}

/** The last computed value and its key. */
class Kept<Value> {
  #entry: { readonly key: string; readonly value: Value } | undefined;

  get(key: string, compute: () => Value): Value {
    if (this.#entry?.key !== key) this.#entry = { key, value: compute() };
    return this.#entry.value;
  }
}
