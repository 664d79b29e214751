import { UNMARKED } from '../marker/assignment.ts';
import type { MarkerInterval } from '../marker/marker.ts';
import { newestFirst, sortRows } from '../row-order.ts';
import { EVENTS_PER_PAGE, type TableColumn, type TablePage, type TableQuery } from '../table-page.ts';
import { IS_MAX_MODE } from './columns.ts';
import { eventRowOf } from './row.ts';
import type { SourceIndex } from './source-index.ts';

/** The rows of the selection that pass every filter, by time. */
export function filterRows(
  index: SourceIndex,
  intervals: readonly MarkerInterval[],
  rows: Uint32Array,
  query: TableQuery,
): Uint32Array {
  const { columns, names } = index;
  const assigned = index.assignedTo(intervals);
  const cost = index.costOf(query.view.costBasis);
  const { project, minCents, maxMode } = query;
  const isOfProject = typeof project === 'object' ? index.projectTest(project.name, intervals) : undefined;
  const isOfModel = query.model === undefined ? undefined : names.models.texts().map((text) => text === query.model);
  const isOfKind = query.kind === undefined ? undefined : names.kinds.texts().map((text) => text === query.kind);
  return rows.filter((row) => {
    if (minCents !== undefined && (cost[row] as number) < minCents) return false;
    if (maxMode !== 'all' && (((columns.flags[row] as number) & IS_MAX_MODE) !== 0) !== (maxMode === 'yes'))
      return false;
    if (isOfModel && !isOfModel[columns.model[row] as number]) return false;
    if (isOfKind && !isOfKind[columns.kind[row] as number]) return false;
    return isOfProject ? isOfProject(row) : project === 'all' || assigned[row] === UNMARKED;
  });
}

/** In the requested order; equal rows stay newest first. */
export function orderRows(
  index: SourceIndex,
  intervals: readonly MarkerInterval[],
  rows: Uint32Array,
  query: TableQuery,
): Uint32Array {
  const { by, descending } = query.sort;
  if (by === 'time' && !descending) return rows;
  const ranked = newestFirst(rows, index.set.at);
  if (by === 'time') return ranked;
  const keyOf = sortKeyOf(index, intervals, query, by);
  const keys = new Float64Array(ranked.length);
  for (let place = 0; place < keys.length; place++) {
    const key = keyOf(ranked[place] as number);
    keys[place] = descending ? -key : key;
  }
  return sortRows(ranked, keys);
}

function sortKeyOf(
  index: SourceIndex,
  intervals: readonly MarkerInterval[],
  query: TableQuery,
  by: Exclude<TableColumn, 'time'>,
): (row: number) => number {
  const { columns, names } = index;
  switch (by) {
    case 'cost': {
      const cost = index.costOf(query.view.costBasis);
      return (row) => cost[row] as number;
    }
    case 'tokens':
      return (row) => columns.total[row] as number;
    case 'model': {
      const ranks = ranksOf(names.models.texts());
      return (row) => ranks[columns.model[row] as number] ?? 0;
    }
    case 'user': {
      const ranks = ranksOf(names.users);
      return (row) => ranks[columns.user[row] as number] ?? 0;
    }
    case 'project': {
      const own = names.projects.texts();
      const ranks = ranksOf([...intervals.map(({ marker }) => marker.project), ...own]);
      const assigned = index.assignedTo(intervals);
      // Events without a project come behind all projects.
      return (row) => {
        const marker = assigned[row] as number;
        const project = columns.project[row] as number;
        if (marker !== UNMARKED) return ranks[marker] as number;
        return project === 0 ? ranks.length : (ranks[intervals.length + project] as number);
      };
    }
  }
}

/** The rank of each text; equal texts share one. */
function ranksOf(texts: readonly string[]): readonly number[] {
  const order = [...new Set(texts)].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
  const ranks = new Map(order.map((text, rank) => [text, rank]));
  return texts.map((text) => ranks.get(text) ?? 0);
}

/** The values for the filters: the names in the selection, sorted. */
export function filterOffers(
  index: SourceIndex,
  intervals: readonly MarkerInterval[],
  rows: Uint32Array,
): Pick<TablePage, 'models' | 'kinds' | 'projects'> {
  const { columns, names } = index;
  const assigned = index.assignedTo(intervals);
  const models = new Uint8Array(names.models.size);
  const kinds = new Uint8Array(names.kinds.size);
  const markers = new Uint8Array(intervals.length);
  const projects = new Uint8Array(names.projects.size);
  for (let place = 0; place < rows.length; place++) {
    const row = rows[place] as number;
    models[columns.model[row] as number] = 1;
    kinds[columns.kind[row] as number] = 1;
    const marker = assigned[row] as number;
    if (marker !== UNMARKED) markers[marker] = 1;
    else projects[columns.project[row] as number] = 1;
  }
  const present = (texts: readonly string[], seen: Uint8Array) =>
    [...new Set(texts.filter((text, at) => seen[at] === 1 && text !== ''))].sort();
  return {
    models: present(names.models.texts(), models),
    kinds: present(names.kinds.texts(), kinds),
    projects: present(
      [...intervals.map(({ marker }) => marker.project), ...names.projects.texts()],
      Uint8Array.from([...markers, ...projects]),
    ),
  };
}

/** One page of sorted rows; beyond the last page, the last. */
export function cutPage(
  index: SourceIndex,
  intervals: readonly MarkerInterval[],
  ordered: Uint32Array,
  query: TableQuery,
): Pick<TablePage, 'page' | 'pages' | 'total' | 'rows'> {
  const pages = Math.max(1, Math.ceil(ordered.length / EVENTS_PER_PAGE));
  const page = Math.min(pages, Math.max(1, Math.trunc(query.page) || 1));
  const slice = ordered.subarray((page - 1) * EVENTS_PER_PAGE, page * EVENTS_PER_PAGE);
  const rows = Array.from(slice, (row) => eventRowOf(index, intervals, query.view, row));
  return { page, pages, total: ordered.length, rows };
}
