import type { Flag, VariationOrRollout } from '../../../src/relay/domain/flag.ts';
import type { Child } from '../../shared/dom.ts';
import { h } from '../../shared/dom.ts';
import { shareBar, swatch } from '../parts/share-bar.ts';
import type { Ui } from '../ui.ts';
import { rolloutWords } from './words.ts';

const MAX_CHARS = 160;

/** The value of a variation with its colour. */
export function variationValue({ t }: Ui, { variations }: Flag, index: number | null | undefined): HTMLElement {
  if (index === undefined || index === null) return h('span', { class: 'value soft' }, t('rule.no-variation'));
  const text = JSON.stringify(variations[index]);
  if (text === undefined) return h('span', { class: 'value soft' }, t('rule.unknown-variation', { n: index }));
  const short = text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text;
  return h('span', { class: 'value' }, swatch(index), h('code', {}, short));
}

/** What a rule or the default serves: one value, or a bar of percentages. */
export function servedValue(ui: Ui, flag: Flag, { variation, rollout }: VariationOrRollout): Child {
  if (variation !== undefined || !rollout) return variationValue(ui, flag, variation);
  const total = rollout.variations.reduce((sum, { weight }) => sum + weight, 0) || 1;
  const by = rolloutWords(rollout, ui.t);
  const shown = rollout.variations.filter(({ weight }) => weight > 0);
  return h(
    'div',
    { class: 'rollout' },
    shareBar(shown.map((one) => ({ index: one.variation, share: one.weight / total }))),
    h(
      'ul',
      { class: 'shares' },
      shown.map((one) =>
        h('li', {}, h('b', {}, ui.percent(one.weight / 100_000)), variationValue(ui, flag, one.variation)),
      ),
    ),
    by !== undefined && h('p', { class: 'soft' }, by),
  );
}
