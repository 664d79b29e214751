import type { EventNames } from './event/columns.ts';
import { UNMARKED } from './marker/assignment.ts';
import { compareIds, type MarkerInterval, type ProjectMarker } from './marker/marker.ts';
import type { ModelTally, TallyInput } from './tally.ts';
import type { FamilyRow, MarkerGroupRow, ModelRow, Sums } from './view.ts';

const MAX_FAMILIES = 8;

type Named = Sums & { readonly name: string };

const byCost = (a: Named, b: Named) => b.cost - a.cost || b.tokens - a.tokens || compareNames(a, b);
const byTokens = (a: Named, b: Named) => b.tokens - a.tokens || b.cost - a.cost || compareNames(a, b);
const compareNames = (a: Named, b: Named) => compareIds({ id: a.name }, { id: b.name });

export function modelRows(tally: ModelTally, names: EventNames): readonly ModelRow[] {
  const rows: (ModelRow & Named)[] = [];
  for (const [key, requests] of tally.requests.entries()) {
    if (requests === 0) continue;
    const name = names.models.text(key);
    const tokensByType = {
      input: tally.input[key] as number,
      cacheWrite: tally.cacheWrite[key] as number,
      cacheRead: tally.cacheRead[key] as number,
      output: tally.output[key] as number,
      total: tally.total[key] as number,
    };
    const cost = tally.cost[key] as number;
    const family = names.familyOf(key);
    rows.push({ name, model: name, family, tokensByType, requests, tokens: tokensByType.total, cost });
  }
  return rows.sort(byCost).map(({ name: _, ...row }) => row);
}

/** By tokens, then cost, then name. */
export function topByTokens(rows: readonly ModelRow[], count: number): readonly ModelRow[] {
  const named = rows.map((row) => ({ row, name: row.model, requests: 0, tokens: row.tokens, cost: row.cost }));
  return named
    .sort(byTokens)
    .slice(0, count)
    .map(({ row }) => row);
}

/** The eight most expensive families; the others are one row. */
export function familyRows(models: readonly ModelRow[]): readonly FamilyRow[] {
  const families = new Map<string, Named & { readonly members: readonly string[] }>();
  for (const { family, model, requests, tokens, cost } of models) {
    const sums = families.get(family) ?? { name: family, requests: 0, tokens: 0, cost: 0, members: [] };
    families.set(family, {
      name: family,
      requests: sums.requests + requests,
      tokens: sums.tokens + tokens,
      cost: sums.cost + cost,
      members: [...sums.members, model],
    });
  }
  const ordered = [...families.values()].sort(byCost);
  const rest = ordered.slice(MAX_FAMILIES);
  const rows = ordered.slice(0, MAX_FAMILIES).map(({ name, ...row }) => ({ family: name, ...row }));
  if (rest.length === 0) return rows;
  const members = rest.flatMap((row) => row.members);
  return [...rows, { family: 'Other families', members, ...addSums(rest) }];
}

function addSums(rows: readonly Sums[]): Sums {
  const sum = (pick: (row: Sums) => number) => rows.reduce((total, row) => total + pick(row), 0);
  return { requests: sum((row) => row.requests), tokens: sum((row) => row.tokens), cost: sum((row) => row.cost) };
}

/** Sums by number of the assigned interval; behind these, events without one by the number of their log's project. */
export function tallyAssigned(
  { columns, rows, cost }: Omit<TallyInput, 'at'>,
  assigned: Int32Array,
  intervals: number,
  projects: number,
): readonly Sums[] {
  const requests = new Float64Array(intervals + projects);
  const tokens = new Float64Array(intervals + projects);
  const costs = new Float64Array(intervals + projects);
  for (let place = 0; place < rows.length; place++) {
    const row = rows[place] as number;
    const marker = assigned[row] as number;
    const slot = marker === UNMARKED ? intervals + (columns.project[row] as number) : marker;
    (requests[slot] as number)++;
    (tokens[slot] as number) += columns.total[row] as number;
    (costs[slot] as number) += cost[row] as number;
  }
  return Array.from(requests, (count, slot) => ({
    requests: count,
    tokens: tokens[slot] as number,
    cost: costs[slot] as number,
  }));
}

/**
 * Groups of the events by a name of their markers: by tokens, the nameless group and the unmarked events last. `nameOf`
 * returns undefined or '' for a marker without the name. `projects`: names for the events without a marker, by number.
 */
export function markerGroups(
  intervals: readonly MarkerInterval[],
  sums: readonly Sums[],
  nameOf: (marker: ProjectMarker) => string | undefined,
  projects: readonly string[] = [],
): readonly MarkerGroupRow[] {
  const groups = new Map<string, Named>();
  const add = (name: string, own: Sums | undefined) => {
    if (!own || own.requests === 0) return;
    groups.set(name, { name, ...addSums([own, ...(groups.has(name) ? [groups.get(name) as Sums] : [])]) });
  };
  for (const [index, { marker }] of intervals.entries()) add(nameOf(marker)?.trim() ?? '', sums[index]);
  for (const [number, name] of projects.entries()) if (name !== '') add(name, sums[intervals.length + number]);
  const rows: MarkerGroupRow[] = [...groups.values()]
    .sort((a, b) => Number(a.name === '') - Number(b.name === '') || byTokens(a, b))
    .map((row) => ({ ...row, kind: row.name === '' ? 'nameless' : 'named' }));
  const rest = sums.slice(intervals.length).filter((_, number) => !projects[number]);
  const unmarked = addSums(rest);
  return unmarked.requests > 0 ? [...rows, { name: '', kind: 'unmarked', ...unmarked }] : rows;
}
