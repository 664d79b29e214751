import type { TableColumn, TablePage } from '../../../src/dashboard/domain/table-page.ts';
import type { EventRow } from '../../../src/dashboard/domain/view.ts';
import { h, setText } from '../../shared/dom.ts';
import { Field, fillSelect, iconButton } from '../controls/controls.ts';
import type { PopoverSwitch } from '../controls/popover-switch.ts';
import type { MaxModeFilter, PageState, RequestFilters } from '../data/state.ts';
import { hasFilters, MAX_MODES, NO_FILTERS, parseDollars, UNMARKED } from '../data/state.ts';
import type { Ui } from '../shell/ui.ts';
import type { Palette } from './cells.ts';
import { costText, dressMarkerRow, modelCell, projectCell } from './cells.ts';
import type { Column, Order } from './data-table.ts';
import { barCell, DataTable } from './data-table.ts';
import { TableCard } from './table-card.ts';

export interface RequestsTableParts {
  readonly palette: Palette;
  readonly popovers: PopoverSwitch;
  onFilters(filters: RequestFilters): void;
  onPage(page: number): void;
  onOrder(order: Order<TableColumn>): void;
}

/** Every request of the selection, fifty at a time, with filters of its own. */
export class RequestsTable {
  readonly element: HTMLElement;
  readonly #ui: Ui;
  readonly #parts: RequestsTableParts;
  readonly #card: TableCard;
  readonly #table: DataTable<EventRow, TableColumn>;
  readonly #project: Field<HTMLSelectElement>;
  readonly #minCost: Field<HTMLInputElement>;
  readonly #maxMode: Field<HTMLSelectElement>;
  readonly #model: Field<HTMLSelectElement>;
  readonly #kind: Field<HTMLSelectElement>;
  readonly #reset: HTMLButtonElement;
  readonly #position = h('p', { class: 'pager-position', role: 'status' });
  readonly #buttons: readonly HTMLButtonElement[];
  #filters: RequestFilters = NO_FILTERS;
  #page = 1;
  #pages = 1;
  #basis = 'reported';
  #most = 0;

  constructor(ui: Ui, parts: RequestsTableParts) {
    this.#ui = ui;
    this.#parts = parts;
    const { t } = ui;
    const select = (name: keyof RequestFilters) => {
      const element = h('select', {});
      element.addEventListener('change', () => this.#change({ [name]: element.value }));
      return element;
    };
    this.#project = new Field(t('filter.project'), select('project'));
    this.#maxMode = new Field(t('filter.max-mode'), select('maxMode'), { class: 'narrow' });
    this.#model = new Field(t('filter.model'), select('model'));
    this.#kind = new Field(t('filter.kind'), select('kind'));
    const cost = h('input', {
      type: 'text',
      inputmode: 'decimal',
      placeholder: ui.language === 'de' ? '0,00' : '0.00',
      autocomplete: 'off',
    });
    cost.addEventListener('change', () => this.#onMinCost());
    this.#minCost = new Field(t('filter.min-cost'), cost, { class: 'narrow' });
    this.#reset = h('button', { type: 'button', onclick: () => this.#change(NO_FILTERS) }, t('filter.reset'));
    this.#table = new DataTable<EventRow, TableColumn>({
      id: 'table-requests',
      caption: t('individual'),
      order: { by: 'time', descending: true },
      sortLabel: (column) => t('sort-by', { column }),
      onOrder: (order) => parts.onOrder(order),
      columns: this.#columns(),
      dress: (element, row) =>
        dressMarkerRow(
          element,
          row.markerId,
          row.project === undefined ? undefined : parts.palette.project(row.project),
        ),
    });
    const pageButton = (label: string, target: () => number, name: 'left' | 'right') =>
      iconButton(name, label, () => parts.onPage(target()));
    this.#buttons = [
      pageButton(t('page.previous'), () => Math.max(1, this.#page - 1), 'left'),
      pageButton(t('page.next'), () => Math.min(this.#pages, this.#page + 1), 'right'),
    ];
    this.#card = new TableCard('individual', t('individual'), t('individual.what'));
    this.element = this.#build();
  }

  focusFilter(): void {
    this.#project.control.focus();
  }

  showState(state: PageState): void {
    // The requested page, so that pressing twice moves two pages on.
    this.#page = state.page;
    this.#filters = state.filters;
    this.#basis = state.basis;
    this.#reset.hidden = !hasFilters(state.filters);
    const { t } = this.#ui;
    const cost = this.#minCost.control;
    if (document.activeElement !== cost || state.filters.minCost === '') cost.value = state.filters.minCost;
    fillSelect(
      this.#maxMode.control,
      MAX_MODES.map((value) => ({ value, label: t(`max.${value}`) })),
      state.filters.maxMode,
    );
  }

  show(page: TablePage): void {
    const { t, format } = this.#ui;
    this.#page = page.page;
    this.#pages = page.pages;
    const named = (values: readonly string[]) => values.map((value) => ({ value, label: value }));
    const all = { value: '', label: t('filter.all') };
    const unmarked = { value: UNMARKED, label: t('unmarked') };
    fillSelect(this.#project.control, [all, unmarked, ...named(page.projects)], this.#filters.project);
    fillSelect(this.#model.control, [all, ...named(page.models)], this.#filters.model);
    fillSelect(this.#kind.control, [all, ...named(page.kinds)], this.#filters.kind);
    this.#most = Math.max(0, ...page.rows.map((row) => row.basisCents));
    this.#table.show(page.rows);
    const first = (page.page - 1) * 50 + 1;
    const range = `${format.count(first)}–${format.count(first + page.rows.length - 1)}`;
    setText(this.#position, page.total === 0 ? '' : t('page.position', { range, n: page.total }));
    const [previous, next] = this.#buttons;
    if (previous) previous.disabled = page.page <= 1;
    if (next) next.disabled = page.page >= this.#pages;
    if (page.total > 0) this.#card.showEmpty(undefined);
    else if (hasFilters(this.#filters)) {
      const onclick = () => this.#change(NO_FILTERS);
      this.#card.showEmpty(t('empty.filters'), '', h('button', { type: 'button', onclick }, t('filter.reset')));
    } else this.#card.showEmpty(t('empty.selection'));
  }

  #build(): HTMLElement {
    const { t } = this.#ui;
    const fields = [this.#project, this.#minCost, this.#maxMode, this.#model, this.#kind];
    this.#card.tools.append(this.#parts.popovers.create(t('popover.switch'), t('individual')));
    this.#card.element.insertBefore(
      h(
        'div',
        { class: 'filters', role: 'search', 'aria-label': t('filters') },
        fields.map((field) => field.element),
        this.#reset,
      ),
      this.#card.body,
    );
    this.#card.body.append(
      this.#table.element,
      h('nav', { class: 'pager', 'aria-label': t('pages') }, this.#position, this.#buttons),
    );
    return this.#card.element;
  }

  #change(change: Partial<RequestFilters> | { readonly maxMode: MaxModeFilter }): void {
    if (change === NO_FILTERS) {
      this.#minCost.control.value = '';
      this.#minCost.showError(undefined);
      if (document.activeElement?.closest('.card') === this.#card.element) this.#project.control.focus();
    }
    this.#parts.onFilters({ ...this.#filters, ...change });
  }

  #onMinCost(): void {
    const typed = this.#minCost.control.value.trim();
    const isAmount = typed === '' || parseDollars(typed) !== undefined;
    this.#minCost.showError(isAmount ? undefined : this.#ui.t('error.min-cost'));
    if (isAmount) this.#change({ minCost: typed });
  }

  #columns(): readonly Column<EventRow, TableColumn>[] {
    const { t, format } = this.#ui;
    const { palette } = this.#parts;
    const outside = 'outside' as const;
    const plain = (key: string, title: string, cell: Column<EventRow>['cell'], isNumber = false) =>
      ({ key: key as TableColumn, title, cell, isNumber }) satisfies Column<EventRow, TableColumn>;
    return [
      { key: 'time', title: t('column.time'), sort: outside, cell: (row) => format.dateTime(row.at) },
      { key: 'user', title: t('column.user'), sort: outside, cell: (row) => row.user },
      { key: 'model', title: t('column.model'), sort: outside, cell: (row) => modelCell(row.model, palette) },
      { key: 'project', title: t('column.project'), sort: outside, cell: (row) => projectCell(row, palette) },
      plain('kind', t('column.kind'), (row) => row.kind),
      plain('max', t('column.max-mode'), (row) =>
        row.maxMode ? t('max.yes') : h('span', { class: 'soft' }, t('max.no')),
      ),
      plain('input', t('column.input'), (row) => format.count(row.tokens.input + row.tokens.cacheWrite), true),
      plain('cache', t('column.cache-read'), (row) => format.count(row.tokens.cacheRead), true),
      plain('output', t('column.output'), (row) => format.count(row.tokens.output), true),
      {
        key: 'tokens',
        title: t('column.tokens'),
        isNumber: true,
        sort: outside,
        cell: (row) => format.count(row.tokens.total),
      },
      {
        key: 'cost',
        title: t('column.cost'),
        isNumber: true,
        sort: outside,
        cell: (row) => {
          const [bar] = barCell('', this.#most > 0 ? row.basisCents / this.#most : 0);
          return [bar, h('span', { class: 'cell-text' }, costText(row, this.#basis, this.#ui))];
        },
      },
    ];
  }
}
