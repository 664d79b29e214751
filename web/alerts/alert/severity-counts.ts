import { h } from '../../shared/dom.ts';
import { t } from '../text.ts';
import type { AddFilter } from './label-chip.ts';
import type { SeverityCount } from './list.ts';
import { toneOf } from './severity.ts';

/** The number of alerts per severity; with `add` each is a button that filters by it. */
export function severityCounts(severities: readonly SeverityCount[], add?: AddFilter): HTMLElement[] {
  return severities.map(({ severity, count }) => {
    const parts = [
      h('b', {}, count),
      severity || (severities.length > 1 ? t('alert.without-severity') : t('alert.word', { n: count })),
    ];
    const attributes = { class: 'severity-count', 'data-tone': toneOf(severity) };
    if (!add) return h('span', attributes, parts);
    const onclick = (event: MouseEvent) => add('severity', severity, event.shiftKey);
    return h(
      'button',
      { ...attributes, type: 'button', title: t('alert.only', { label: `severity="${severity}"` }), onclick },
      parts,
    );
  });
}
