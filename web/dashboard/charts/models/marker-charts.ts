import type { MarkerGroupRow } from '../../../../src/dashboard/domain/view.ts';
import { categoryName } from '../../marker/category-names.ts';
import { groupColours } from '../colours.ts';
import type { Chart, ChartModel, ModelContext, Shape } from '../model.ts';
import { costLabel } from '../model.ts';
import { summarizeParts } from '../text/summary.ts';

/** With more slices, bars are easier to read. */
const MAX_SLICES = 6;

/** Assigned events by project. */
export const markerByProject: Chart = {
  key: 'markerByProject',
  title: { en: 'Marked projects', de: 'Markierte Projekte' },
  section: 'markers',
  model(view, context) {
    const colours = groupColours(view.markers.map(({ marker }) => marker.project).filter((name) => name !== ''));
    return groupModel(markerByProject, 'rows', view.markerByProject, colours, context);
  },
};

/** Assigned events by category. */
export const markerByCategory: Chart = {
  key: 'markerByCategory',
  title: { en: 'Marked categories', de: 'Markierte Kategorien' },
  section: 'markers',
  model(view, context) {
    const rows = view.markerByCategory;
    const colours = groupColours(rows.map(({ name }) => name).filter((name) => name !== ''));
    return groupModel(markerByCategory, rows.length > MAX_SLICES ? 'rows' : 'ring', rows, colours, context);
  },
};

/** Keys of the groups without a name; the leading blank sets them apart from projects. */
const NAMELESS_KEY = ' nameless';
const UNMARKED_KEY = ' unmarked';

function groupModel(
  chart: Chart,
  shape: Shape,
  rows: readonly MarkerGroupRow[],
  colours: ReadonlyMap<string, string>,
  context: ModelContext,
): ChartModel {
  const { translate, format } = context;
  const metric = context.metric(chart.key) === 'cost' ? 'cost' : 'tokens';
  const unit = metric === 'cost' ? 'usd' : 'tokens';
  const values = rows.map((row) => row[metric]);
  const label = metric === 'cost' ? costLabel(context) : translate('chart.tokens');
  const names = rows.map((row) => groupName(chart, row, context));
  const marked = rows.reduce((sum, row) => (row.kind === 'unmarked' ? sum : sum + row[metric]), 0);
  const centre = metric === 'cost' ? format.usd(marked) : format.compact(marked);
  const hasMarkers = rows.some(({ kind }) => kind !== 'unmarked');
  return {
    key: chart.key,
    title: context.say(chart.title),
    shape,
    length: rows.length,
    head: translate(chart === markerByProject ? 'chart.project' : 'chart.category'),
    name: (index) => names[index] ?? '',
    tick: (index) => names[index] ?? '',
    parts: rows.map((row, index) => ({
      key: keyOf(row),
      label: names[index] ?? '',
      color: colours.get(row.name) ?? '--chart-muted',
    })),
    quietKey: UNMARKED_KEY,
    series: [{ key: metric, label, color: '--chart-bar', unit, values, form: 'bar', axis: 'first' }],
    axes: { first: label },
    metrics: (['tokens', 'cost'] as const).map((one) => ({ key: one, label: translate(`chart.${one}`) })),
    metric,
    details: (index) => groupDetails(rows[index], metric, marked, context),
    ...(shape === 'ring' ? { centre: { value: centre, caption: label } } : {}),
    summary: summarizeParts(
      shape === 'ring' ? 'doughnut' : 'bar',
      rows.flatMap((row, index) => (row.kind === 'unmarked' ? [] : [{ name: names[index] ?? '', value: row[metric] }])),
      unit,
      context,
    ),
    ...(hasMarkers ? {} : { empty: translate('chart.emptyMarkers') }),
  };
}

function keyOf({ kind, name }: MarkerGroupRow): string {
  if (kind === 'named') return name;
  return kind === 'nameless' ? NAMELESS_KEY : UNMARKED_KEY;
}

function groupName(chart: Chart, row: MarkerGroupRow, { translate, say }: ModelContext): string {
  if (row.kind === 'unmarked') return translate('chart.unmarked');
  if (row.kind === 'named')
    return chart === markerByProject ? row.name : say({ en: categoryName(row.name, 'en'), de: row.name });
  return translate(chart === markerByProject ? 'chart.noProject' : 'chart.noCategory');
}

/** Shares are of marked events only. */
function groupDetails(
  row: MarkerGroupRow | undefined,
  metric: 'tokens' | 'cost',
  marked: number,
  context: ModelContext,
) {
  if (!row) return [];
  const { translate, format } = context;
  const share = row.kind === 'unmarked' || marked === 0 ? '—' : format.percent(row[metric] / marked);
  return [
    { label: translate('chart.shareMarked'), value: share },
    metric === 'cost'
      ? { label: translate('chart.tokens'), value: format.count(row.tokens) }
      : { label: costLabel(context), value: format.usd(row.cost) },
    { label: translate('chart.events'), value: format.count(row.requests) },
  ];
}
