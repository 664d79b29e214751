import type { TableColumn, TablePage } from '../../../src/dashboard/domain/table-page.ts';
import type { TimeSpan, View, ViewQuery } from '../../../src/dashboard/domain/view.ts';
import type { Order } from '../table/data-table.ts';
import { tableQueryOf, viewQueryOf } from './queries.ts';
import type { PageState } from './state.ts';
import type { WorkerClient } from './worker-client.ts';

export interface ViewLoaderParts {
  readonly worker: WorkerClient;
  state(): PageState;
  /** IANA name. */
  zone(): string;
  now(): number;
  /** Pixels of the screen. */
  plotWidth(): number;
  onBusy(): void;
  onView(): void;
  onTable(page: TablePage): void;
}

/** Loads the view and the table's page from the worker; only the last of several requests counts. */
export class ViewLoader {
  zoom: TimeSpan | undefined;
  order: Order<TableColumn> = { by: 'time', descending: true };
  rankByList = false;
  readonly #parts: ViewLoaderParts;
  #view: View | undefined;
  #asked = 0;
  #pending: Promise<void> | undefined;

  constructor(parts: ViewLoaderParts) {
    this.#parts = parts;
  }

  /** The last answer. */
  get view(): View | undefined {
    return this.#view;
  }

  query(): ViewQuery {
    const { state, zone, now, plotWidth } = this.#parts;
    return viewQueryOf(state(), {
      zone: zone(),
      now: now(),
      visible: this.zoom,
      plotWidth: plotWidth(),
      rankByList: this.rankByList,
    });
  }

  /** Loads anew; changes of one turn share a request. */
  refresh(): Promise<void> {
    this.#pending ??= Promise.resolve().then(() => {
      this.#pending = undefined;
      return this.#ask();
    });
    return this.#pending;
  }

  async #ask(): Promise<void> {
    const { worker, state, onBusy, onView, onTable } = this.#parts;
    this.#asked += 1;
    const asked = this.#asked;
    const query = this.query();
    onBusy();
    // The view first: the worker fills the table's page while the charts are painted.
    const answer = worker.ask({ type: 'view', query });
    const page = worker.ask({ type: 'table', query: tableQueryOf(state(), query, this.order) });
    const view = await answer;
    if (view && asked === this.#asked) {
      this.#view = view;
      onView();
    }
    const table = await page;
    if (table && asked === this.#asked) onTable(table);
  }
}
