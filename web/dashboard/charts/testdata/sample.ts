import type { Buckets, GroupSeries, View } from '../../../../src/dashboard/domain/view.ts';
import type { ModelContext } from '../model.ts';
import { chartFormat } from '../text/format.ts';
import type { ChartState } from '../text/terms.ts';
import { chartTexts } from '../text/texts.ts';

const HOUR = 3_600_000;
const START = Date.UTC(2026, 5, 8);

const STATE: ChartState = {
  zone: 'UTC',
  costBasis: 'reported',
  zoom: undefined,
  markers: { show: true, labels: true, project: 'all' },
  budgetCents: undefined,
  busy: false,
};

/** The inputs of models, in English; `metrics` by chart. */
export function sampleContext(
  state: Partial<ChartState> = {},
  metrics: Readonly<Record<string, string>> = {},
): ModelContext {
  return {
    translate: (key, values = {}) =>
      chartTexts.en[key].replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? '')),
    say: (text) => text.en,
    format: chartFormat('en-GB'),
    state: { ...STATE, ...state },
    metric: (chart) => metrics[chart],
  };
}

/** Four hours from 8 June 2026 on: the third is the busiest. */
export function sampleBuckets(): Buckets {
  const starts = Float64Array.from([0, 1, 2, 3], (hour) => START + hour * HOUR);
  return {
    granularity: 'hour',
    merged: 1,
    length: 4,
    starts,
    ends: starts.map((at) => at + HOUR),
    offsets: new Int16Array(4),
    repeated: new Uint8Array(4),
    input: Float64Array.of(10, 20, 300, 40),
    cacheWrite: Float64Array.of(1, 2, 30, 4),
    cacheRead: Float64Array.of(100, 200, 3000, 400),
    output: Float64Array.of(5, 6, 70, 8),
    total: Float64Array.of(116, 228, 3400, 452),
    cost: Float64Array.of(10, 20, 300, 40),
    requests: Uint32Array.of(1, 2, 3, 4),
    cumulativeCost: Float64Array.of(10, 30, 330, 370),
    previousCumulative: undefined,
    eventModels: undefined,
    modelNames: [],
    full: { from: START, to: START + 4 * HOUR },
  };
}

const NO_SUMS = { requests: 0, tokens: 0, cost: 0 };
const NO_TOKENS = { input: 0, cacheWrite: 0, cacheRead: 0, output: 0, total: 0 };

function group(length: number): GroupSeries {
  return {
    requests: new Float64Array(length),
    tokens: new Float64Array(length),
    cost: new Float64Array(length),
    days: new Uint32Array(length),
  };
}

/** A view of the sample's buckets and little else. */
export function sampleView(more: Partial<View> = {}): View {
  const span = { from: START, to: START + 4 * HOUR };
  const view: View = {
    counts: {
      loaded: 10,
      duplicatesRemoved: 0,
      skipped: 0,
      ofUser: 10,
      selected: 10,
      included: 0,
      estimated: 0,
      oldestAt: span.from,
      newestAt: span.to,
      bySource: { csv: 10, live: 0 },
    },
    interval: { span, endsBy: 'newest-event', notes: [], isCurrentMonth: false, suggestedGranularity: undefined },
    kpis: {
      costCents: 370,
      days: 1,
      averagePerDayCents: 370,
      forecastCents: 11_100,
      tokens: { input: 370, cacheWrite: 37, cacheRead: 3700, output: 89, total: 4196 },
      requests: 10,
      included: 0,
      centsPerRequest: 37,
      cacheHit: 0.9,
      exactCents: undefined,
      previous: undefined,
    },
    budget: {
      monthStart: START,
      monthEnd: START + 30 * 24 * HOUR,
      spentCents: 370,
      requests: 4,
      isPartial: false,
      partialSince: undefined,
      dayOfMonth: 8,
      daysInMonth: 30,
      elapsed: 0.25,
      paceCents: 1480,
    },
    buckets: sampleBuckets(),
    models: [],
    topCost: [],
    topTokens: [],
    tokenTypes: NO_TOKENS,
    families: [],
    byHour: group(24),
    byWeekday: group(7),
    markerByProject: [],
    markerByCategory: [],
    maxMode: { yes: NO_SUMS, no: NO_SUMS },
    markers: [],
    projects: [],
    daily: [],
    top: [],
  };
  return { ...view, ...more };
}
