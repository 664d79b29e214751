import { h } from '../../shared/dom.ts';
import { t } from '../text.ts';
import type { AddFilter } from './label-chip.ts';
import type { AlertList } from './list.ts';
import { severityCounts } from './severity-counts.ts';

/** The sum of the list beside the page's title: alerts, groups, and the severities as filters. */
export class Tally {
  readonly element = h('p', { class: 'tally' });
  readonly #addFilter: AddFilter;
  #drawn = '';

  constructor(addFilter: AddFilter) {
    this.#addFilter = addFilter;
  }

  /** Returns the text of the sum. */
  show({ shown, groups, severities }: AlertList): string {
    const text = tallyText(shown, groups.length);
    const signature = JSON.stringify([text, severities]);
    // The counts are buttons: redrawing equal ones would lose the focus.
    if (signature === this.#drawn) return text;
    this.#drawn = signature;
    const graded = severities.some(({ severity }) => severity !== '');
    const sum = h('span', { class: 'tally-sum' }, text);
    this.element.replaceChildren(sum, ...(graded ? severityCounts(severities, this.#addFilter) : []));
    return text;
  }

  clear(): void {
    this.#drawn = '';
    this.element.replaceChildren();
  }
}

function tallyText(n: number, groups: number): string {
  if (n === 0) return t('alert.none');
  return t('alert.in-groups', { alerts: t('alert.some', { n }), groups: t('alert.groups', { n: groups }) });
}
