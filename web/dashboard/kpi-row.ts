import type { Buckets, Kpis, PreviousKpis, View } from '../../src/dashboard/domain/view.ts';
import type { Child } from '../shared/dom.ts';
import { h } from '../shared/dom.ts';
import { svgElement } from '../shared/icons.ts';
import type { CostBasis } from './data/state.ts';
import type { Ui } from './shell/ui.ts';
import type { TextKey } from './text/en.ts';

const NAMES = ['total-cost', 'average-per-day', 'forecast', 'tokens', 'requests', 'cache-hit'] as const;
type KpiName = (typeof NAMES)[number];

interface Card {
  readonly value: string;
  readonly caption: string;
  readonly title?: string | undefined;
  /** Now and in the previous window; the difference is shown in per cent. */
  readonly change?: readonly [now: number, before: number] | undefined;
  readonly spark?: ArrayLike<number>;
}

/** The six key figures of the selection. */
export class KpiRow {
  readonly element: HTMLElement;
  readonly #ui: Ui;
  readonly #cards = new Map<KpiName, HTMLElement>();
  #course: Pick<Buckets, 'cost' | 'total' | 'requests'> | undefined;

  constructor(ui: Ui) {
    this.#ui = ui;
    const cards = NAMES.map((name) => {
      const card = h('div', { class: 'card kpi', 'data-kpi': name });
      this.#cards.set(name, card);
      return card;
    });
    this.element = h('section', { class: 'kpis', 'aria-label': ui.t('kpis') }, cards);
    this.show(undefined, 'reported');
  }

  /** Undefined: no data yet; the cards keep their places. `estimate` says what estimated costs are. */
  show(view: View | undefined, basis: CostBasis, estimate?: string): void {
    const cards = view ? this.#write(view, basis, estimate) : undefined;
    for (const [name, element] of this.#cards) {
      const label = h('p', { class: 'kpi-label' }, this.#ui.t(`kpi.${name}` as TextKey));
      element.classList.toggle('skeleton', !cards);
      element.replaceChildren(label, ...(cards ? this.#draw(cards[name]) : [h('p', { class: 'kpi-value' }, '\u00a0')]));
    }
  }

  #write(view: View, basis: CostBasis, estimate: string | undefined): Readonly<Record<KpiName, Card>> {
    const { t, format } = this.#ui;
    const { kpis } = view;
    this.#keepCourse(view.buckets);
    const { cost, total, requests } = this.#course ?? view.buckets;
    const before = kpis.previous;
    const basisText = t(`basis.${basis}`);
    const exact =
      kpis.exactCents === undefined ? undefined : t('kpi.exact', { cost: `$${(kpis.exactCents / 100).toFixed(4)}` });
    return {
      'total-cost': {
        value: format.money(kpis.costCents),
        caption: estimate ?? basisText,
        title: estimate === undefined ? exact : t('estimate.what'),
        change: change(kpis.costCents, before?.costCents),
        spark: cost,
      },
      'average-per-day': {
        value: format.money(kpis.averagePerDayCents),
        caption: t('kpi.over-days', { n: kpis.days, days: format.decimal(kpis.days, 1) }),
        change: change(kpis.averagePerDayCents, before?.averagePerDayCents),
      },
      forecast: { value: format.money(kpis.forecastCents), caption: t('kpi.forecast-how') },
      tokens: {
        value: format.compact(kpis.tokens.total),
        caption: t('kpi.output', { tokens: format.compact(kpis.tokens.output) }),
        title: t('kpi.tokens-exact', { tokens: format.count(kpis.tokens.total) }),
        change: change(kpis.tokens.total, before?.tokens),
        spark: total,
      },
      requests: {
        value: format.count(kpis.requests),
        caption: requestsCaption(this.#ui, kpis),
        change: change(kpis.requests, before?.requests),
        spark: requests,
      },
      'cache-hit': {
        value: kpis.cacheHit === undefined ? '—' : format.percent(kpis.cacheHit),
        caption: t('kpi.cache-what'),
        change: cacheChange(kpis, before),
      },
    };
  }

  /** Figures and sparklines cover the whole selection: a zoom does not change them. */
  #keepCourse(buckets: Buckets): void {
    const { starts, ends, full, length } = buckets;
    const isWhole = !full || ((starts[0] ?? 0) <= full.from && (ends[length - 1] ?? 0) >= full.to);
    if (isWhole) this.#course = buckets;
  }

  #draw(card: Card): readonly Child[] & readonly Node[] {
    const { t, format } = this.#ui;
    const value = h('p', { class: 'kpi-value', title: card.title }, card.value);
    const nodes: Node[] = [value];
    const foot = h('p', { class: 'kpi-caption' });
    if (card.change) {
      const [now, before] = card.change;
      const share = (now - before) / before;
      const direction = share > 0 ? 'up' : share < 0 ? 'down' : 'same';
      const text = t(`change.${direction}`, { percent: format.percent(Math.abs(share)) });
      foot.append(h('span', { class: 'change', title: t('change.what') }, text), ' ');
    }
    foot.append(card.caption);
    nodes.push(foot);
    if (card.title) nodes.push(h('span', { class: 'off-screen' }, card.title));
    if (card.spark && card.spark.length > 1 && Array.prototype.some.call(card.spark, (value) => value > 0))
      nodes.push(sparkline(card.spark));
    return nodes;
  }
}

function requestsCaption({ t, format }: Ui, kpis: Kpis): string {
  if (kpis.centsPerRequest === undefined) return t('kpi.none');
  return t('kpi.per-request', { cost: format.money(kpis.centsPerRequest), included: kpis.included });
}

const change = (now: number, before: number | undefined): Card['change'] =>
  before === undefined || before === 0 ? undefined : [now, before];

function cacheChange(kpis: Kpis, before: PreviousKpis | undefined): Card['change'] {
  return kpis.cacheHit === undefined ? undefined : change(kpis.cacheHit, before?.cacheHit);
}

const SPARK_POINTS = 48;
const SPARK = { width: 96, height: 28 };

/** A sparkline of a series. */
function sparkline(values: ArrayLike<number>): SVGElement {
  const points = Math.min(SPARK_POINTS, values.length);
  const sums = new Array<number>(points).fill(0);
  for (let index = 0; index < values.length; index += 1) {
    const at = Math.floor((index * points) / values.length);
    sums[at] = (sums[at] ?? 0) + (values[index] ?? 0);
  }
  const most = Math.max(...sums, 1e-9);
  const path = sums.map((sum, index) => {
    const x = ((index / (points - 1)) * SPARK.width).toFixed(1);
    const y = (SPARK.height - 1 - (sum / most) * (SPARK.height - 2)).toFixed(1);
    return `${index === 0 ? 'M' : 'L'}${x} ${y}`;
  });
  const svg = svgElement('svg', {
    class: 'spark',
    viewBox: `0 0 ${SPARK.width} ${SPARK.height}`,
    preserveAspectRatio: 'none',
    'aria-hidden': 'true',
  });
  svg.append(svgElement('path', { d: path.join('') }));
  return svg;
}
