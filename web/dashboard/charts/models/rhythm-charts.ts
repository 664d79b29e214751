import type { GroupSeries } from '../../../../src/dashboard/domain/view.ts';
import type { Chart, ChartModel, Detail, ModelContext, Unit } from '../model.ts';
import { costLabel, formatUnit, sumOf } from '../model.ts';
import { summarizeParts } from '../text/summary.ts';
import type { ChartFormat } from '../text/terms.ts';

const METRICS = ['requests', 'tokens', 'cost'] as const;
type Metric = (typeof METRICS)[number];
const UNITS: Readonly<Record<Metric, Unit>> = { requests: 'requests', tokens: 'tokens', cost: 'usd' };
const COLOURS: Readonly<Record<Metric, string>> = {
  requests: '--chart-bar',
  tokens: '--chart-bar',
  cost: '--chart-cost',
};

/** Requests, tokens or cost by hour of the day. */
export const byHour: Chart = {
  key: 'byHour',
  title: { en: 'Hour of day', de: 'Tageszeit' },
  section: 'details',
  model(view, context) {
    const hour = (index: number) => String(index).padStart(2, '0');
    return rhythmModel(byHour, view.byHour, 'requests', context, {
      head: context.translate('chart.hour'),
      name: (index) => `${hour(index)}:00 – ${hour(index)}:59`,
      tick: hour,
    });
  },
};

/** The same by weekday, Monday first. */
export const byWeekday: Chart = {
  key: 'byWeekday',
  title: { en: 'Weekday', de: 'Wochentag' },
  section: 'details',
  model(view, context) {
    return rhythmModel(byWeekday, view.byWeekday, 'tokens', context, {
      head: context.translate('chart.day'),
      name: (index) => context.format.weekday(index, 'long'),
      tick: (index) => context.format.weekday(index, 'short'),
    });
  },
};

function rhythmModel(
  chart: Chart,
  group: GroupSeries,
  standard: Metric,
  context: ModelContext,
  names: Pick<ChartModel, 'head' | 'name' | 'tick'>,
): ChartModel {
  const { translate, format } = context;
  const metric = METRICS.find((one) => one === context.metric(chart.key)) ?? standard;
  const labels = { requests: translate('chart.requests'), tokens: translate('chart.tokens'), cost: costLabel(context) };
  const unit = UNITS[metric];
  const values = group[metric];
  return {
    key: chart.key,
    title: context.say(chart.title),
    shape: 'columns',
    length: values.length,
    ...names,
    series: [{ key: metric, label: labels[metric], color: COLOURS[metric], unit, values, form: 'bar', axis: 'first' }],
    axes: { first: labels[metric] },
    metrics: METRICS.map((one) => ({ key: one, label: translate(`chart.${one}`) })),
    metric,
    details: (index) => rhythmDetails(group, metric, index, labels, format, translate('chart.perDay')),
    summary: summarizeParts(
      'bar',
      Array.from(values, (value, index) => ({ name: names.name(index), value })),
      unit,
      context,
    ),
    ...(sumOf(group.requests) === 0 ? { empty: translate('chart.empty') } : {}),
  };
}

function rhythmDetails(
  group: GroupSeries,
  metric: Metric,
  index: number,
  labels: Readonly<Record<Metric, string>>,
  format: ChartFormat,
  perDay: string,
): readonly Detail[] {
  const days = group.days[index] ?? 0;
  const textOf = (one: Metric, divisor: number) => formatUnit(format, UNITS[one], (group[one][index] ?? 0) / divisor);
  const others = METRICS.filter((other) => other !== metric);
  return [
    ...others.map((other) => ({ label: labels[other], value: textOf(other, 1) })),
    { label: perDay, value: days > 0 ? textOf(metric, days) : '—' },
  ];
}
