import { familyRows, markerGroups, modelRows, tallyAssigned, topByTokens } from './breakdown.ts';
import { suggestGranularity } from './bucket.ts';
import { spendOfMonth } from './budget.ts';
import { eventRowOf } from './event/row.ts';
import type { SourceIndex } from './event/source-index.ts';
import { kpisOf, previousKpisOf } from './kpi.ts';
import type { MarkerInterval, ProjectMarker } from './marker/marker.ts';
import { markerViews } from './marker/view.ts';
import { rankByCost } from './ranking.ts';
import { lowerBound, upperBound } from './row-order.ts';
import { isCountMode, type Selected, select } from './selection.ts';
import { buildBuckets } from './series.ts';
import { type FlagTally, sumTokens, type TallyInput, tallyCalendar, tallyFlags, tallyModels } from './tally.ts';
import type { Buckets, Granularity, ResolvedInterval, View, ViewCounts, ViewQuery } from './view.ts';
import { monthAt } from './zone.ts';

/** The input of a view. */
export interface ViewInput {
  readonly index: SourceIndex;
  readonly query: ViewQuery;
  readonly intervals: readonly MarkerInterval[];
  readonly categories: ReadonlyMap<ProjectMarker, string | undefined>;
  readonly endsNow: boolean;
  readonly skipped: number;
}

/** The events of the filters of user and project, by time. */
function filteredRows({ index, query, intervals }: Pick<ViewInput, 'index' | 'query' | 'intervals'>): Uint32Array {
  const { user, project } = query;
  return project === undefined ? index.rowsOf(user) : index.rowsOfProject(user, project, intervals);
}

export function selectEvents(filter: Pick<ViewInput, 'index' | 'query' | 'intervals' | 'endsNow'>): Selected {
  const { index, query, endsNow } = filter;
  const { zone, set } = index;
  const input = { rows: filteredRows(filter), at: set.at, zone, now: query.now, endsNow };
  return select(query.selection, input);
}

/** Answers a query with every number of the page. */
export function answerView(input: ViewInput): View {
  const { index, query, intervals, categories } = input;
  const { columns, names, set, zone } = index;
  const selected = selectEvents(input);
  const cost = index.costOf(query.costBasis);
  const tally: TallyInput = { columns, rows: selected.rows, at: set.at, cost };
  const modelKeys = names.modelKeys();
  const ofModels = tallyModels(tally, modelKeys);
  const flags = tallyFlags(tally);
  const models = modelRows(ofModels, names);
  const calendar = tallyCalendar(tally, zone, { users: names.users, models: names.models.texts(), modelKeys });
  const buckets = bucketsOf(input, selected, tally);
  const ofMarkers = tallyAssigned(tally, index.assignedTo(intervals), intervals.length, names.projects.size);
  const rankCost = query.rankBy === 'list' ? columns.list : cost;
  const filterEnd = selected.span?.to ?? query.now;
  const kpis = kpisOf(selected, ofModels, flags, previousOf(input, selected));
  return {
    counts: countsOf(input, selected, flags),
    interval: intervalOf(input, selected),
    kpis: query.costBasis === 'reported' ? kpis : { ...kpis, exactCents: undefined },
    budget: spendOfMonth({ rows: set.rows, at: set.at, cost }, zone, query.now),
    buckets,
    models,
    topCost: models.slice(0, query.topN),
    topTokens: topByTokens(models, query.topN),
    tokenTypes: sumTokens(ofModels),
    families: familyRows(models),
    byHour: calendar.byHour,
    byWeekday: calendar.byWeekday,
    markerByProject: markerGroups(intervals, ofMarkers, ({ project }) => project, names.projects.texts()),
    markerByCategory: markerGroups(intervals, ofMarkers, (marker) => categories.get(marker)),
    maxMode: { yes: flags.yes, no: flags.no },
    markers: markerViews({ index, query, intervals, categories, buckets, rows: selected.rows, filterEnd }),
    projects: index.projectsOf(query.user),
    daily: calendar.daily,
    top: rankByCost(tally, rankCost).map((row) => eventRowOf(index, intervals, query, row)),
  };
}

function granularityOf(query: ViewQuery): Granularity {
  return isCountMode(query.selection) ? 'event' : query.granularity;
}

function bucketsOf(input: ViewInput, selected: Selected, tally: TallyInput): Buckets {
  const { index, query } = input;
  const { previous, span } = selected;
  const before = query.compare && previous && span;
  return buildBuckets({
    ...tally,
    granularity: granularityOf(query),
    zone: index.zone,
    window: span,
    visible: query.visible,
    columnCap: query.columnCap,
    previous: before ? { rows: rowsWithin(input, previous), shiftMs: span.from - previous.from } : undefined,
    models: index.names.models.texts(),
  });
}

function rowsWithin(input: ViewInput, { from, to }: { from: number; to: number }): Uint32Array {
  const rows = filteredRows(input);
  const { at } = input.index.set;
  return rows.subarray(lowerBound(rows, at, from), upperBound(rows, at, to));
}

function previousOf(input: ViewInput, { previous, days }: Selected) {
  if (!previous) return undefined;
  const { index, query } = input;
  const rows = rowsWithin(input, previous);
  return previousKpisOf({ columns: index.columns, rows, cost: index.costOf(query.costBasis) }, previous, days);
}

function countsOf(input: ViewInput, selected: Selected, flags: FlagTally): ViewCounts {
  const { index, skipped } = input;
  const { set, live } = index;
  const [oldest, newest] = [set.rows[0], set.rows[set.rows.length - 1]];
  return {
    loaded: set.rows.length,
    duplicatesRemoved: set.duplicatesRemoved,
    skipped,
    ofUser: filteredRows(input).length,
    selected: selected.rows.length,
    included: flags.included,
    estimated: flags.estimated,
    oldestAt: oldest === undefined ? undefined : set.at[oldest],
    newestAt: newest === undefined ? undefined : set.at[newest],
    bySource: { csv: set.rows.length - live, live },
  };
}

function intervalOf({ index, query }: ViewInput, { span, endsBy, notes, rows }: Selected): ResolvedInterval {
  const month = monthAt(index.zone, query.now);
  return {
    span,
    endsBy,
    notes,
    isCurrentMonth: span !== undefined && span.from === month.start && span.to < month.end,
    suggestedGranularity: isCountMode(query.selection)
      ? undefined
      : suggestGranularity(query.granularity, span, rows.length),
  };
}
