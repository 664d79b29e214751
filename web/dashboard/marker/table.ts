import type { MarkerView, View } from '../../../src/dashboard/domain/view.ts';
import { h } from '../../shared/dom.ts';
import { placeholders } from '../charts-host.ts';
import { iconButton } from '../controls/controls.ts';
import type { PopoverSwitch } from '../controls/popover-switch.ts';
import type { Ui } from '../shell/ui.ts';
import type { Palette } from '../table/cells.ts';
import { dressMarkerRow } from '../table/cells.ts';
import { barCell, DataTable } from '../table/data-table.ts';
import { TableCard } from '../table/table-card.ts';
import { projectText, userText } from './texts.ts';

export interface MarkerTableParts {
  readonly palette: Palette;
  readonly popovers: PopoverSwitch;
  onNew(): void;
  onEdit(markerId: string): void;
  onEndNow(markerId: string): void;
}

/** The project markers of the user filter, below their charts. */
export class MarkerTable {
  readonly element: HTMLElement;
  /** Holds the charts of markers. */
  readonly charts: HTMLElement;
  readonly #ui: Ui;
  readonly #card: TableCard;
  readonly #table: DataTable<MarkerView>;
  #most = 0;

  constructor(ui: Ui, parts: MarkerTableParts) {
    this.#ui = ui;
    const { t } = ui;
    this.#table = new DataTable<MarkerView>({
      id: 'table-markers',
      caption: t('markers'),
      order: { by: 'from', descending: true },
      sortLabel: (column) => t('sort-by', { column }),
      columns: this.#columns(parts),
      dress: (element, { marker }) => dressMarkerRow(element, marker.id, parts.palette.project(marker.project)),
    });
    this.#card = new TableCard('markers', t('markers'), t('markers.what'));
    this.#card.tools.append(
      parts.popovers.create(t('popover.switch'), t('markers')),
      iconButton('flag', t('marker.new'), () => parts.onNew(), { text: true, class: 'primary', key: 'm' }),
    );
    this.charts = h('div', { class: 'charts-pair', 'data-charts': 'markers' }, placeholders(2));
    this.#card.element.insertBefore(this.charts, this.#card.body);
    this.#card.body.append(this.#table.element, h('p', { class: 'card-hint' }, t('markers.open-hint')));
    this.element = this.#card.element;
  }

  show(view: View): void {
    this.#most = Math.max(0, ...view.markers.map(({ raw }) => raw.cost));
    this.#table.show(view.markers);
    const { t } = this.#ui;
    this.#card.showEmpty(view.markers.length === 0 ? t('empty.markers') : undefined, t('empty.markers.text'));
  }

  #columns(parts: MarkerTableParts) {
    const { t, format } = this.#ui;
    return [
      {
        key: 'project',
        title: t('column.project'),
        sort: ({ marker }: MarkerView) => marker.project,
        cell: ({ marker }: MarkerView) => {
          const dot = h('span', { class: 'dot square', 'aria-hidden': 'true' });
          dot.style.background = parts.palette.project(marker.project);
          return h('span', { class: 'with-dot' }, dot, projectText(marker, t));
        },
      },
      {
        key: 'task',
        title: t('column.task'),
        sort: ({ marker }: MarkerView) => marker.task,
        cell: ({ marker }: MarkerView) => h('span', { class: 'clip', title: marker.task }, marker.task || '–'),
      },
      {
        key: 'user',
        title: t('column.user'),
        sort: ({ marker }: MarkerView) => marker.user,
        cell: ({ marker }: MarkerView) => userText(marker.user, t),
      },
      {
        key: 'from',
        title: t('from'),
        sort: ({ from }: MarkerView) => from,
        cell: ({ from }: MarkerView) => format.dateTime(from),
      },
      {
        key: 'to',
        title: t('to'),
        sort: ({ to }: MarkerView) => to,
        cell: ({ to, isOpen }: MarkerView) =>
          isOpen
            ? h('span', { title: t('marker.open') }, '*', h('span', { class: 'off-screen' }, t('marker.open')))
            : format.dateTime(to),
      },
      {
        key: 'requests',
        title: t('column.requests'),
        isNumber: true,
        sort: ({ raw }: MarkerView) => raw.requests,
        cell: ({ raw }: MarkerView) => format.count(raw.requests),
      },
      {
        key: 'tokens',
        title: t('column.tokens'),
        isNumber: true,
        sort: ({ raw }: MarkerView) => raw.tokens,
        cell: ({ raw }: MarkerView) => format.count(raw.tokens),
      },
      {
        key: 'cost',
        title: t('column.cost'),
        isNumber: true,
        sort: ({ raw }: MarkerView) => raw.cost,
        cell: ({ raw }: MarkerView) => barCell(format.money(raw.cost), this.#most > 0 ? raw.cost / this.#most : 0),
      },
      {
        key: 'actions',
        title: t('column.actions'),
        cell: ({ marker, isOpen }: MarkerView) =>
          h(
            'span',
            { class: 'row-actions' },
            isOpen &&
              iconButton('check', `${t('marker.end-now')}: ${projectText(marker, t)}`, () => parts.onEndNow(marker.id)),
            iconButton('edit', `${t('marker.edit')}: ${projectText(marker, t)}`, () => parts.onEdit(marker.id)),
          ),
      },
    ];
  }
}
