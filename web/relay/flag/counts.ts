import type { FlagDetails } from '../../../src/relay/contract/page.ts';
import { h } from '../../shared/dom.ts';
import { toneOf } from '../parts/share-bar.ts';
import type { Ui } from '../ui.ts';
import { variationValue } from './served.ts';

/** How often each variation was evaluated, as bars. */
export function countsPanel(ui: Ui, { flag, counts, since }: FlagDetails, areEventsOff: boolean): HTMLElement {
  const { t } = ui;
  if (counts.length === 0)
    return h('p', { class: 'soft' }, t(areEventsOff ? 'counts.off' : 'counts.none', { time: ui.ago(since) }));
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  const sorted = counts.toSorted((a, b) => b.count - a.count);
  return h(
    'ul',
    { class: 'counts' },
    sorted.map(({ variation, count }) => {
      const bar = h('span', { class: `count-bar ${toneOf(variation)}`, 'aria-hidden': 'true' });
      const share = total === 0 ? 0 : count / total;
      bar.style.inlineSize = `${share * 100}%`;
      const name =
        variation === null
          ? h('span', { class: 'value soft' }, t('counts.default'))
          : variationValue(ui, flag, variation);
      const percent = ui.percent(share, share < 0.01 ? 2 : 1);
      return h(
        'li',
        {},
        name,
        h('span', { class: 'number' }, `${ui.number(count)} · ${percent}`),
        h('span', { class: 'count-track' }, bar),
      );
    }),
  );
}
