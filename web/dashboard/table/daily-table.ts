import type { DailyRow, View } from '../../../src/dashboard/domain/view.ts';
import { h, setText } from '../../shared/dom.ts';
import type { Ui } from '../shell/ui.ts';
import type { Palette } from './cells.ts';
import { modelCell } from './cells.ts';
import { barCell, DataTable } from './data-table.ts';
import { TableCard } from './table-card.ts';

const ROWS = 31;

/** One row per day and user. */
export class DailyTable {
  readonly element: HTMLElement;
  readonly #ui: Ui;
  readonly #card: TableCard;
  readonly #table: DataTable<DailyRow>;
  readonly #more = h('button', { type: 'button', class: 'quiet', hidden: true, onclick: () => this.#showAll() });
  #rows: readonly DailyRow[] = [];
  #most = 0;
  #isAll = false;

  constructor(ui: Ui, palette: Palette) {
    this.#ui = ui;
    const { t, format } = ui;
    this.#table = new DataTable<DailyRow>({
      id: 'table-daily',
      caption: t('daily'),
      order: { by: 'day', descending: true },
      sortLabel: (column) => t('sort-by', { column }),
      columns: [
        { key: 'day', title: t('column.day'), sort: (row) => row.dayKey, cell: (row) => format.day(row.dayKey) },
        { key: 'user', title: t('column.user'), sort: (row) => row.user, cell: (row) => row.user },
        {
          key: 'requests',
          title: t('column.requests'),
          isNumber: true,
          sort: (row) => row.requests,
          cell: (row) => format.count(row.requests),
        },
        {
          key: 'tokens',
          title: t('column.tokens'),
          isNumber: true,
          sort: (row) => row.tokens,
          cell: (row) => format.count(row.tokens),
        },
        {
          key: 'cost',
          title: t('column.cost'),
          isNumber: true,
          sort: (row) => row.cost,
          cell: (row) => barCell(format.money(row.cost), this.#most > 0 ? row.cost / this.#most : 0),
        },
        {
          key: 'model',
          title: t('column.top-model'),
          sort: (row) => row.topModel,
          cell: (row) => modelCell(row.topModel, palette),
        },
      ],
    });
    this.#card = new TableCard('daily', t('daily'), t('daily.what'));
    this.#card.body.append(this.#table.element, this.#more);
    this.element = this.#card.element;
  }

  show(view: View): void {
    this.#rows = view.daily;
    this.#most = Math.max(0, ...this.#rows.slice(0, 5000).map((row) => row.cost));
    this.#draw();
  }

  #showAll(): void {
    this.#isAll = true;
    this.#draw();
  }

  #draw(): void {
    const { t } = this.#ui;
    const isCut = !this.#isAll && this.#rows.length > ROWS;
    this.#table.show(isCut ? this.#rows.slice(0, ROWS) : this.#rows);
    this.#card.showEmpty(this.#rows.length === 0 ? t('empty.selection') : undefined);
    this.#more.hidden = !isCut;
    setText(this.#more, t('daily.more', { n: this.#rows.length }));
  }
}
