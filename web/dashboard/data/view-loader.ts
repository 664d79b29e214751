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
  #askedTable = 0;
  #query: ViewQuery | undefined;
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

  /** Loads only a page of the requests, of the selection that the view shows. */
  async refreshTable(): Promise<void> {
    if (this.#pending || !this.#query) return this.refresh();
    await this.#askTable(this.#query);
  }

  async #ask(): Promise<void> {
    const { worker, onBusy, onView } = this.#parts;
    this.#asked += 1;
    const asked = this.#asked;
    const query = this.query();
    this.#query = query;
    onBusy();
    // The view first: the worker fills the table's page while the charts are painted.
    const answer = worker.ask({ type: 'view', query });
    const page = this.#askTable(query);
    const view = await answer;
    if (view && asked === this.#asked) {
      this.#view = view;
      onView();
    }
    await page;
  }

  async #askTable(view: ViewQuery): Promise<void> {
    const { worker, state, onTable } = this.#parts;
    this.#askedTable += 1;
    const asked = this.#askedTable;
    const page = await worker.ask({ type: 'table', query: tableQueryOf(state(), view, this.order) });
    if (page && asked === this.#askedTable) onTable(page);
  }
}
