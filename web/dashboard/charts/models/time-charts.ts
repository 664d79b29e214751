import type { Buckets, View } from '../../../../src/dashboard/domain/view.ts';
import type { Chart, Detail, ModelContext, Series, TimeAxis } from '../model.ts';
import { costLabel } from '../model.ts';
import { summarizeRunning, summarizeTime } from '../text/summary.ts';
import { bucketName, mergedNote, tickText } from '../text/time-text.ts';

/** Input tokens stacked, output as a line, cost on an axis of its own; cache reads and total in a row below. */
export const overview: Chart = {
  key: 'overview',
  title: { en: 'Tokens and cost over time', de: 'Tokens und Kosten im Verlauf' },
  section: 'overview',
  model(view, context) {
    const { translate, format } = context;
    const { buckets } = view;
    return {
      ...timeBase(overview, view, context),
      series: overviewSeries(buckets, context),
      axes: { first: translate('chart.tokens'), second: costLabel(context), row: translate('chart.cacheRow') },
      details: (index) => [
        { label: translate('chart.requests'), value: format.count(buckets.requests[index] ?? 0) },
        ...modelDetail(buckets, index, context),
      ],
      get summary() {
        return summarizeTime(view, context);
      },
    };
  },
};

function overviewSeries(buckets: Buckets, context: ModelContext): readonly Series[] {
  const { translate } = context;
  const tokens = (key: 'input' | 'cacheWrite' | 'cacheRead' | 'output' | 'total', color: string) =>
    ({ key, label: translate(`chart.${key}`), color, values: buckets[key], unit: 'tokens', axis: 'first' }) as const;
  // Cache reads are mostly ten times all others, and most of the total.
  const row = { axis: 'row' } as const;
  const stacked = { form: 'bar', stacked: true } as const;
  const cost = { key: 'cost', label: costLabel(context), color: '--chart-cost', values: buckets.cost } as const;
  return [
    { ...tokens('input', '--chart-input'), ...stacked },
    { ...tokens('cacheWrite', '--chart-cache-write'), ...stacked },
    { ...tokens('cacheRead', '--chart-cache-read'), ...stacked, ...row },
    { ...tokens('output', '--chart-output'), form: 'line' },
    { ...tokens('total', '--chart-total'), form: 'line', dashed: true, ...row },
    { ...cost, unit: 'usd', form: 'line', axis: 'second' },
  ];
}

/** The running cost over the overview's buckets, with budget and the previous period where they apply. */
export const cumulative: Chart = {
  key: 'cumulative',
  title: { en: 'Running cost', de: 'Aufgelaufene Kosten' },
  section: 'overview',
  model(view, context) {
    const { translate, format, state } = context;
    const { buckets, interval } = view;
    const line = { unit: 'usd', axis: 'first' } as const;
    const series: Series[] = [
      {
        key: 'running',
        label: costLabel(context),
        color: '--chart-cost',
        values: buckets.cumulativeCost,
        form: 'area',
        ...line,
      },
    ];
    if (buckets.previousCumulative)
      series.push({
        key: 'previous',
        label: translate('chart.previous'),
        color: '--chart-previous',
        values: buckets.previousCumulative,
        form: 'line',
        dashed: true,
        ...line,
      });
    const budget = interval.isCurrentMonth ? state.budgetCents : undefined;
    return {
      ...timeBase(cumulative, view, context),
      series,
      axes: { first: costLabel(context) },
      details: (index) => [
        { label: translate('chart.increment'), value: format.usd(buckets.cost[index] ?? 0) },
        { label: translate('chart.requests'), value: format.count(buckets.requests[index] ?? 0) },
        ...modelDetail(buckets, index, context),
      ],
      get summary() {
        return summarizeRunning(view, context);
      },
      ...(budget
        ? { level: { value: budget, label: translate('chart.budgetLine', { amount: format.usd(budget) }) } }
        : {}),
    };
  },
};

function timeBase(chart: Chart, view: View, context: ModelContext) {
  const { translate, state } = context;
  const { buckets } = view;
  const time: TimeAxis = { buckets, markers: shownMarkers(view, context), note: mergedNote(buckets, context) };
  return {
    key: chart.key,
    title: context.say(chart.title),
    shape: 'columns' as const,
    length: buckets.length,
    head: translate('chart.time'),
    name: (index: number) => bucketName(buckets, index, context.format, state.zone),
    tick: (index: number) => tickText(buckets, index, context.format, state.zone),
    time,
    ...(view.counts.selected === 0 ? { empty: translate('chart.empty') } : {}),
  };
}

function shownMarkers(view: View, { state: { markers } }: ModelContext) {
  if (!markers.show) return [];
  return view.markers.filter(
    ({ place, marker }) => place !== undefined && (markers.project === 'all' || marker.project === markers.project),
  );
}

function modelDetail(buckets: Buckets, index: number, { translate }: ModelContext): readonly Detail[] {
  if (!buckets.eventModels) return [];
  return [{ label: translate('chart.model'), value: buckets.modelNames[buckets.eventModels[index] ?? -1] ?? '' }];
}
