import type { EventRow, View } from '../../../src/dashboard/domain/view.ts';
import { h } from '../../shared/dom.ts';
import type { PopoverSwitch } from '../controls/popover-switch.ts';
import type { Ui } from '../shell/ui.ts';
import type { Palette } from './cells.ts';
import { costText, dressMarkerRow, modelCell, projectCell } from './cells.ts';
import { barCell, DataTable } from './data-table.ts';
import { TableCard } from './table-card.ts';

export interface TopTableParts {
  readonly palette: Palette;
  readonly popovers: PopoverSwitch;
  /** Ranks by list value if nothing was billed. */
  onRankByList(): void;
}

/** The fifteen most expensive requests. */
export class TopTable {
  readonly element: HTMLElement;
  readonly #ui: Ui;
  readonly #card: TableCard;
  readonly #table: DataTable<EventRow>;
  readonly #byList: HTMLButtonElement;
  #basis = 'reported';
  #most = 0;

  constructor(ui: Ui, parts: TopTableParts) {
    this.#ui = ui;
    const { t } = ui;
    const { palette } = parts;
    this.#byList = h('button', { type: 'button', onclick: () => parts.onRankByList() }, t('top.by-list'));
    this.#table = new DataTable<EventRow>({
      id: 'table-top',
      caption: t('top'),
      order: { by: 'cost', descending: true },
      sortLabel: (column) => t('sort-by', { column }),
      columns: this.#columns(palette),
      dress: (element, row) =>
        dressMarkerRow(element, row.markerId, row.project === undefined ? undefined : palette.project(row.project)),
    });
    this.#card = new TableCard('top', t('top'), t('top.what'));
    this.#card.tools.append(parts.popovers.create(t('popover.switch'), t('top')));
    this.#card.body.append(this.#table.element);
    this.element = this.#card.element;
  }

  show(view: View, basis: string): void {
    this.#basis = basis;
    this.#most = Math.max(0, ...view.top.map((row) => this.#cents(row)));
    this.#table.show(view.top);
    const isFree = view.top.length === 0 && view.counts.selected > 0;
    const { t } = this.#ui;
    if (isFree) this.#card.showEmpty(t('top.free'), '', this.#byList);
    else this.#card.showEmpty(view.top.length === 0 ? t('empty.selection') : undefined);
  }

  /** Ranked by list value, no request has a cost on the basis: shows list values. */
  #cents(row: EventRow): number {
    return row.basisCents > 0 ? row.basisCents : row.listCents;
  }

  #columns(palette: Palette) {
    const { t, format } = this.#ui;
    return [
      {
        key: 'time',
        title: t('column.time'),
        sort: (row: EventRow) => row.at,
        cell: (row: EventRow) => format.shortDateTime(row.at),
      },
      { key: 'user', title: t('column.user'), sort: (row: EventRow) => row.user, cell: (row: EventRow) => row.user },
      {
        key: 'model',
        title: t('column.model'),
        sort: (row: EventRow) => row.model,
        cell: (row: EventRow) => modelCell(row.model, palette),
      },
      {
        key: 'project',
        title: t('column.project'),
        sort: (row: EventRow) => row.project ?? '',
        cell: (row: EventRow) => projectCell(row, palette),
      },
      {
        key: 'tokens',
        title: t('column.tokens'),
        isNumber: true,
        sort: (row: EventRow) => row.tokens.total,
        cell: (row: EventRow) => format.count(row.tokens.total),
      },
      {
        key: 'cost',
        title: t('column.cost'),
        isNumber: true,
        sort: (row: EventRow) => this.#cents(row),
        cell: (row: EventRow) => this.#costCell(row),
      },
    ];
  }

  #costCell(row: EventRow) {
    const share = this.#most > 0 ? this.#cents(row) / this.#most : 0;
    if (row.basisCents > 0) return barCell(this.#ui.format.money(row.basisCents), share);
    const [bar] = barCell('', share);
    return [bar, costText(row, this.#basis, this.#ui)];
  }
}
