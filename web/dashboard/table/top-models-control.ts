import { h } from '../../shared/dom.ts';
import type { TopModels } from '../data/state.ts';
import { TOP_MODELS } from '../data/state.ts';
import type { Ui } from '../shell/ui.ts';

/** The number of models, one choice for both charts of top models. */
export class TopModelsControl {
  readonly element: HTMLSelectElement;

  constructor({ t }: Ui, chart: 'topCost' | 'topTokens', onChange: (count: TopModels) => void) {
    const options = TOP_MODELS.map((count) => h('option', { value: count }, t('top-models.n', { n: count })));
    const label = t(chart === 'topCost' ? 'top-models.cost' : 'top-models.tokens');
    this.element = h('select', { class: 'small', 'aria-label': label }, options);
    this.element.addEventListener('change', () => {
      const chosen = TOP_MODELS.find((count) => String(count) === this.element.value);
      if (chosen) onChange(chosen);
    });
  }

  show(count: TopModels): void {
    this.element.value = String(count);
  }
}
