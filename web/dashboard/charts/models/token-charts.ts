import type { Sums } from '../../../../src/dashboard/domain/view.ts';
import type { Chart, ChartModel, Detail, ModelContext, Part } from '../model.ts';
import { costLabel } from '../model.ts';
import { summarizeParts } from '../text/summary.ts';

interface TokenPart extends Part {
  readonly value: number;
}

/** The four types of token. */
export const tokenTypes: Chart = {
  key: 'tokenTypes',
  title: { en: 'Token types', de: 'Token-Arten' },
  section: 'details',
  model(view, context) {
    const { input, cacheWrite, cacheRead, output, total } = view.tokenTypes;
    const { translate, format } = context;
    const parts: readonly TokenPart[] = [
      { key: 'input', label: translate('chart.input'), color: '--chart-input', value: input },
      { key: 'cacheWrite', label: translate('chart.cacheWrite'), color: '--chart-cache-write', value: cacheWrite },
      { key: 'cacheRead', label: translate('chart.cacheRead'), color: '--chart-cache-read', value: cacheRead },
      { key: 'output', label: translate('chart.output'), color: '--chart-output', value: output },
    ];
    return {
      ...tokenBase(tokenTypes, 'ring', parts, context),
      centre: { value: format.compact(total), caption: translate('chart.tokensCentre') },
    };
  },
};

/** The share of input from the cache. */
export const cacheEfficiency: Chart = {
  key: 'cacheEfficiency',
  title: { en: 'Cache efficiency', de: 'Cache-Nutzung' },
  section: 'details',
  model(view, context) {
    const { input, cacheWrite, cacheRead } = view.tokenTypes;
    const { translate, format } = context;
    const parts: readonly TokenPart[] = [
      { key: 'cacheRead', label: translate('chart.cacheRead'), color: '--chart-cache-read', value: cacheRead },
      { key: 'cacheWrite', label: translate('chart.cacheWrite'), color: '--chart-cache-write', value: cacheWrite },
      { key: 'input', label: translate('chart.freshInput'), color: '--chart-input', value: input },
    ];
    const whole = input + cacheWrite + cacheRead;
    const value = whole > 0 ? format.percent(cacheRead / whole) : '—';
    return {
      ...tokenBase(cacheEfficiency, 'ring', parts, context),
      centre: { value, caption: translate('chart.hitRate') },
    };
  },
};

/** Input, output and cache reads; input includes cache writes. */
export const inputOutput: Chart = {
  key: 'inputOutput',
  title: { en: 'Input and output', de: 'Eingabe und Ausgabe' },
  section: 'details',
  model(view, context) {
    const { input, cacheWrite, cacheRead, output } = view.tokenTypes;
    const { translate, format } = context;
    const parts: readonly TokenPart[] = [
      { key: 'input', label: translate('chart.input'), color: '--chart-input', value: input + cacheWrite },
      { key: 'output', label: translate('chart.output'), color: '--chart-output', value: output },
      { key: 'cacheRead', label: translate('chart.cacheRead'), color: '--chart-cache-read', value: cacheRead },
    ];
    const ratio = (value: number) => (output > 0 ? format.decimal(value / output) : '—');
    const base = tokenBase(inputOutput, 'columns', parts, context, ({ value }) => [
      { label: translate('chart.ratio'), value: ratio(value) },
    ]);
    return { ...base, isLogarithmic: true, axes: { first: translate('chart.logarithmic', { axis: base.axes.first }) } };
  },
};

function tokenBase(
  chart: Chart,
  shape: 'ring' | 'columns',
  parts: readonly TokenPart[],
  context: ModelContext,
  more: (part: TokenPart) => readonly Detail[] = () => [],
): ChartModel {
  const { translate, format } = context;
  const whole = parts.reduce((sum, { value }) => sum + value, 0);
  const measure = { key: 'tokens', label: translate('chart.tokens'), color: '--chart-bar' };
  const named = parts.map(({ label, value }) => ({ name: label, value }));
  return {
    key: chart.key,
    title: context.say(chart.title),
    shape,
    length: parts.length,
    head: translate('chart.kind'),
    name: (index) => parts[index]?.label ?? '',
    tick: (index) => parts[index]?.label ?? '',
    parts,
    series: [{ ...measure, unit: 'tokens', values: parts.map(({ value }) => value), form: 'bar', axis: 'first' }],
    axes: { first: measure.label },
    details: (index) => {
      const part = parts[index];
      if (!part) return [];
      const share = { label: translate('chart.share'), value: whole > 0 ? format.percent(part.value / whole) : '—' };
      return [share, ...more(part)];
    },
    summary: summarizeParts(shape === 'ring' ? 'doughnut' : 'bar', named, 'tokens', context),
    ...(whole === 0 ? { empty: translate('chart.empty') } : {}),
  };
}

/** Requests in max mode beside the others, tokens and cost on an axis each. */
export const maxMode: Chart = {
  key: 'maxMode',
  title: { en: 'Max mode', de: 'Max-Modus' },
  section: 'details',
  model(view, context) {
    const { translate } = context;
    const groups = [view.maxMode.yes, view.maxMode.no];
    const names = [translate('chart.yes'), translate('chart.no')];
    const tokens = { key: 'tokens', label: translate('chart.tokens'), color: '--chart-total', unit: 'tokens' } as const;
    const cost = { key: 'cost', label: costLabel(context), color: '--chart-cost', unit: 'usd' } as const;
    const parts = groups.map((group, index) => ({ name: names[index] ?? '', value: group.tokens }));
    return {
      key: maxMode.key,
      title: context.say(maxMode.title),
      shape: 'columns',
      length: 2,
      head: translate('chart.kind'),
      name: (index) => names[index] ?? '',
      tick: (index) => names[index] ?? '',
      series: [
        { ...tokens, values: groups.map((group) => group.tokens), form: 'bar', axis: 'first' },
        { ...cost, values: groups.map((group) => group.cost), form: 'bar', axis: 'second' },
      ],
      axes: { first: tokens.label, second: cost.label },
      details: (index) => requestDetails(groups[index], context),
      summary: summarizeParts('bar', parts, 'tokens', context),
      ...(groups.every(({ requests }) => requests === 0) ? { empty: translate('chart.empty') } : {}),
    };
  },
};

function requestDetails(group: Sums | undefined, { translate, format }: ModelContext): readonly Detail[] {
  if (!group) return [];
  const mean = group.requests > 0 ? format.usd(group.cost / group.requests) : '—';
  return [
    { label: translate('chart.requests'), value: format.count(group.requests) },
    { label: translate('chart.perRequest'), value: mean },
  ];
}
