import type { View } from '../../../../src/dashboard/domain/view.ts';
import type { ModelContext, Unit } from '../model.ts';
import { costLabel, formatUnit, sumOf } from '../model.ts';
import type { ChartFormat } from './terms.ts';
import { bucketName } from './time-text.ts';

// Summaries of charts for screen readers.

/** A share of one half above this is a trend. */
const TREND_FROM = 0.6;
/** Parts that are named; the others are counted. */
const NAMED_PARTS = 6;

export function summarizeTime(view: View, context: ModelContext): string {
  const { translate } = context;
  if (view.buckets.length === 0) return translate('chart.empty');
  return [
    `${translate('chart.type.time')}.`,
    rangeText(view, context),
    seriesText(view, 'tokens', translate('chart.total'), view.buckets.total, context),
    seriesText(view, 'usd', costLabel(context), view.buckets.cost, context),
    trendText(view.buckets.total, context),
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

export function summarizeRunning(view: View, context: ModelContext): string {
  const { translate, format } = context;
  const { cumulativeCost, length } = view.buckets;
  if (length === 0) return translate('chart.empty');
  const total = format.usd(cumulativeCost[length - 1] ?? 0);
  return [
    `${translate('chart.type.line')}.`,
    rangeText(view, context),
    translate('chart.summaryRunning', { total }),
    trendText(view.buckets.cost, context),
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

export interface SummaryPart {
  readonly name: string;
  readonly value: number;
}

/** Bars and rings: each part with value and share, the largest first. */
export function summarizeParts(
  kind: 'bar' | 'doughnut',
  parts: readonly SummaryPart[],
  unit: Unit,
  { translate, format }: Pick<ModelContext, 'translate' | 'format'>,
): string {
  const whole = parts.reduce((sum, { value }) => sum + value, 0);
  if (whole === 0) return `${translate(`chart.type.${kind}`)}. ${translate('chart.empty')}.`;
  const largest = parts.filter(({ value }) => value > 0).sort((a, b) => b.value - a.value);
  const named = largest.slice(0, NAMED_PARTS).map((part) => partText(part, whole, unit, translate, format));
  const more = largest.length - named.length;
  if (more > 0) named.push(translate('chart.summaryMore', { count: more }));
  return `${translate(`chart.type.${kind}`)}. ${named.join(', ')}.`;
}

function partText(
  { name, value }: SummaryPart,
  whole: number,
  unit: Unit,
  translate: ModelContext['translate'],
  format: ChartFormat,
): string {
  return translate('chart.summaryParts', {
    name,
    value: formatUnit(format, unit, value),
    share: format.percent(value / whole),
  });
}

function rangeText({ buckets }: View, { translate, format, state }: ModelContext): string {
  const from = buckets.starts[0] ?? 0;
  const to = buckets.ends[buckets.length - 1] ?? from;
  const isFine = buckets.granularity === 'event' || buckets.granularity === 'quarter' || buckets.granularity === 'hour';
  const range = format.dateRange(from, isFine ? to : Math.max(from, to - 1), state.zone, isFine ? 'minute' : 'day');
  return translate('chart.summaryRange', { range });
}

function seriesText(
  { buckets }: View,
  unit: Unit,
  series: string,
  values: ArrayLike<number>,
  { translate, format, state }: ModelContext,
): string {
  let peak = 0;
  for (let index = 1; index < buckets.length; index++) if ((values[index] ?? 0) > (values[peak] ?? 0)) peak = index;
  return translate('chart.summaryTotal', {
    series,
    total: formatUnit(format, unit, sumOf(values)),
    max: formatUnit(format, unit, values[peak] ?? 0),
    at: bucketName(buckets, peak, format, state.zone),
  });
}

/** Which half of the columns holds more; empty for fewer than four. */
export function trendText(
  values: ArrayLike<number>,
  { translate, format }: Pick<ModelContext, 'translate' | 'format'>,
): string {
  const whole = sumOf(values);
  if (values.length < 4 || whole <= 0) return '';
  let second = 0;
  for (let index = Math.ceil(values.length / 2); index < values.length; index++) second += values[index] ?? 0;
  // The column in the middle of an odd number belongs to neither half.
  const middle = values.length % 2 === 1 ? (values[(values.length - 1) / 2] ?? 0) : 0;
  const part = whole === middle ? 0.5 : second / (whole - middle);
  const share = format.percent(part);
  if (part > TREND_FROM) return translate('chart.trendUp', { share });
  return part < 1 - TREND_FROM ? translate('chart.trendDown', { share }) : translate('chart.trendFlat');
}
