import type { FamilyRow, ModelRow } from '../../../../src/dashboard/domain/view.ts';
import { familyColour } from '../colours.ts';
import type { Chart, ChartModel, Detail, ModelContext, Unit } from '../model.ts';
import { costLabel } from '../model.ts';
import { summarizeParts } from '../text/summary.ts';

/** The models that cost most. */
export const topCost: Chart = {
  key: 'topCost',
  title: { en: 'Models by cost', de: 'Modelle nach Kosten' },
  section: 'details',
  model(view, context) {
    const { translate, format } = context;
    return topModel(topCost, view.topCost, 'usd', view.kpis.costCents, context, (row) => [
      { label: translate('chart.requests'), value: format.count(row.requests) },
      { label: translate('chart.perRequest'), value: format.usd(row.requests > 0 ? row.cost / row.requests : 0) },
    ]);
  },
};

/** The models that used most tokens. */
export const topTokens: Chart = {
  key: 'topTokens',
  title: { en: 'Models by tokens', de: 'Modelle nach Tokens' },
  section: 'details',
  model(view, context) {
    const { translate, format } = context;
    return topModel(topTokens, view.topTokens, 'tokens', view.kpis.tokens.total, context, ({ tokensByType }) => [
      { label: translate('chart.input'), value: format.count(tokensByType.input) },
      { label: translate('chart.cacheWrite'), value: format.count(tokensByType.cacheWrite) },
      { label: translate('chart.cacheRead'), value: format.count(tokensByType.cacheRead) },
      { label: translate('chart.output'), value: format.count(tokensByType.output) },
    ]);
  },
};

function topModel(
  chart: Chart,
  rows: readonly ModelRow[],
  unit: Unit,
  whole: number,
  context: ModelContext,
  more: (row: ModelRow) => readonly Detail[],
): ChartModel {
  const { translate, format } = context;
  const values = rows.map(({ cost, tokens }) => (unit === 'usd' ? cost : tokens));
  const label = unit === 'usd' ? costLabel(context) : translate('chart.tokens');
  const nothing = values.every((value) => value === 0);
  return {
    key: chart.key,
    title: context.say(chart.title),
    shape: 'rows',
    length: rows.length,
    head: translate('chart.model'),
    name: (index) => rows[index]?.model ?? '',
    tick: (index) => rows[index]?.model ?? '',
    parts: rows.map(({ model, family }) => ({ key: model, label: model, color: familyColour(family) })),
    series: [{ key: unit, label, color: '--chart-bar', unit, values, form: 'bar', axis: 'first' }],
    axes: { first: label },
    details: (index) => {
      const row = rows[index];
      if (!row) return [];
      const share = whole > 0 ? (values[index] ?? 0) / whole : 0;
      return [{ label: translate('chart.share'), value: format.percent(share) }, ...more(row)];
    },
    summary: summarizeParts(
      'bar',
      rows.map(({ model }, index) => ({ name: model, value: values[index] ?? 0 })),
      unit,
      context,
    ),
    ...(nothing ? { empty: translate(unit === 'usd' && rows.length > 0 ? 'chart.emptyCost' : 'chart.empty') } : {}),
  };
}

/** Model families by cost or tokens. */
export const modelFamily: Chart = {
  key: 'modelFamily',
  title: { en: 'Model families', de: 'Modellfamilien' },
  section: 'details',
  model(view, context) {
    const { translate } = context;
    const { families } = view;
    const metric = context.metric(modelFamily.key) === 'tokens' ? 'tokens' : 'cost';
    const unit = metric === 'cost' ? 'usd' : 'tokens';
    const values = families.map((row) => row[metric]);
    const label = metric === 'cost' ? costLabel(context) : translate('chart.tokens');
    const nameOf = ({ family }: FamilyRow) => (family === 'Other families' ? translate('chart.otherFamilies') : family);
    return {
      key: modelFamily.key,
      title: context.say(modelFamily.title),
      shape: 'columns',
      length: families.length,
      head: translate('chart.family'),
      name: (index) => nameAt(families, index, nameOf),
      tick: (index) => nameAt(families, index, nameOf).split(' '),
      parts: families.map((row) => ({ key: row.family, label: nameOf(row), color: familyColour(row.family) })),
      series: [{ key: metric, label, color: '--chart-bar', unit, values, form: 'bar', axis: 'first' }],
      axes: { first: label },
      metrics: [
        { key: 'cost', label: translate('chart.cost') },
        { key: 'tokens', label: translate('chart.tokens') },
      ],
      metric,
      details: (index) => familyDetails(families[index], metric, context),
      summary: summarizeParts(
        'bar',
        families.map((row, index) => ({ name: nameOf(row), value: values[index] ?? 0 })),
        unit,
        context,
      ),
      ...(families.length === 0 ? { empty: translate('chart.empty') } : {}),
    };
  },
};

function familyDetails(
  row: FamilyRow | undefined,
  metric: 'cost' | 'tokens',
  context: ModelContext,
): readonly Detail[] {
  if (!row) return [];
  const { translate, format } = context;
  return [
    metric === 'cost'
      ? { label: translate('chart.tokens'), value: format.count(row.tokens) }
      : { label: costLabel(context), value: format.usd(row.cost) },
    { label: translate('chart.requests'), value: format.count(row.requests) },
    { label: translate('chart.members'), value: row.members.join(', ') },
  ];
}

function nameAt<Row>(rows: readonly Row[], index: number, nameOf: (row: Row) => string): string {
  const row = rows[index];
  return row ? nameOf(row) : '';
}
