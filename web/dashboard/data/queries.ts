import type { TableColumn, TableQuery } from '../../../src/dashboard/domain/table-page.ts';
import type { Selection, TimeSpan, ViewQuery } from '../../../src/dashboard/domain/view.ts';
import type { ChartState } from '../charts/contract.ts';
import type { Order } from '../table/data-table.ts';
import type { Settings } from './settings.ts';
import type { PageState } from './state.ts';
import { parseDollars, UNMARKED } from './state.ts';

const MAX_COLUMNS = 2000;

/** The parameters of a query beside the state of the address. */
export interface QueryContext {
  readonly zone: string;
  readonly now: number;
  readonly visible: TimeSpan | undefined;
  /** Width of a chart in pixels of the screen, the maximum of visible columns. */
  readonly plotWidth: number;
  readonly rankByList: boolean;
}

export function selectionOf({ mode, time, count }: PageState): Selection {
  if (mode === 'count') {
    if (count.mode === 'rank') return { mode: 'rank', from: count.from, to: count.to };
    return { mode: 'count', count: count.mode === 'all' ? 'all' : count.count };
  }
  if (time.mode === 'hours') return { mode: 'hours', hours: time.hours };
  if (time.mode === 'all') return { mode: 'all' };
  return { mode: 'custom', from: time.customFrom, to: time.customTo };
}

export function viewQueryOf(state: PageState, context: QueryContext): ViewQuery {
  return {
    source: state.source,
    user: state.user,
    project: state.project || undefined,
    selection: selectionOf(state),
    granularity: state.granularity,
    zone: context.zone,
    now: context.now,
    costBasis: state.basis,
    visible: context.visible,
    columnCap: Math.max(50, Math.min(MAX_COLUMNS, Math.round(context.plotWidth))),
    compare: state.compare,
    topN: state.topModels,
    rankBy: context.rankByList ? 'list' : 'cost',
  };
}

export function tableQueryOf(state: PageState, view: ViewQuery, order: Order<TableColumn>): TableQuery {
  const { project, minCost, maxMode, model, kind } = state.filters;
  const dollars = minCost === '' ? undefined : parseDollars(minCost);
  return {
    view,
    page: state.page,
    project: project === '' ? 'all' : project === UNMARKED ? 'unmarked' : { name: project },
    minCents: dollars === undefined ? undefined : Math.round(dollars * 100),
    maxMode,
    model: model || undefined,
    kind: kind || undefined,
    sort: order,
  };
}

/** The state for the charts. `zone` is an IANA name. */
export function chartStateOf(
  state: PageState,
  { markerDisplay, budget }: Pick<Settings, 'markerDisplay' | 'budget'>,
  { zone, zoom }: { readonly zone: string; readonly zoom: TimeSpan | undefined },
): ChartState {
  const { showMarkers, showLabels, projectFilter } = markerDisplay;
  return {
    zone,
    costBasis: state.basis,
    zoom,
    markers: { show: showMarkers, labels: showLabels, project: projectFilter },
    budgetCents: budget > 0 ? budget * 100 : undefined,
    busy: false,
  };
}
