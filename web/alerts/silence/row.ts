import type { Silence } from '../../../src/alerts/contract/wire.ts';
import { h } from '../../shared/dom.ts';
import { matcherChip } from '../alert/label-chip.ts';
import type { PageContext } from '../page.ts';
import { linkedText } from '../parts/linked-text.ts';
import { formatMatchers } from '../parts/matcher-text.ts';
import { isWebAddress } from '../parts/text-links.ts';
import { everyAlertHash, formatHash } from '../route.ts';
import { t } from '../text.ts';
import { silenceActions } from './actions.ts';
import { acknowledgedUntil, endsWithAlerts, otherAnnotations, TICKET } from './annotations.ts';
import { endParts, whenParts } from './when.ts';

export interface RowParts {
  readonly context: PageContext;
  /** The number of alerts that the silence suppresses. */
  readonly affected: number;
  select(isSelected: boolean, isRange: boolean): void;
  onChanged(): Promise<void>;
}

/** One silence as a row of the table, which narrow pages show as a card. */
export function silenceRow(silence: Silence, parts: RowParts): HTMLTableRowElement {
  const { id, matchers, comment, createdBy, status, startsAt } = silence;
  const { times } = parts.context;
  const name = formatMatchers(matchers);
  const onclick = (event: MouseEvent) => parts.select((event.target as HTMLInputElement).checked, event.shiftKey);
  const box = h('input', { type: 'checkbox', 'aria-label': t('silence.select', { name }), onclick });
  // Neither action on a selection applies to an expired silence.
  box.disabled = status.state === 'expired';
  const cell = (column: string, ...children: Parameters<typeof h>[2][]) =>
    h(
      'td',
      { role: 'cell', class: `silence-${column}`, 'data-title': t(`silence.column.${column as 'ends'}`) },
      ...children,
    );
  return h(
    'tr',
    { role: 'row', class: 'silence', 'data-state': status.state, 'data-id': id },
    h('td', { role: 'cell', class: 'silence-select' }, h('label', {}, box)),
    cell('state', h('span', { class: 'badge', 'data-state': status.state }, t(`silence.state.${status.state}`))),
    cell(
      'text',
      h('a', { class: 'matchers', href: formatHash({ page: 'silence', id }) }, matchers.map(matcherChip)),
      h('p', { class: 'comment' }, linkedText(comment)),
      marks(silence),
    ),
    cell(
      'alerts',
      status.state === 'active' &&
        h(
          'a',
          { href: everyAlertHash(name), 'aria-label': t('silence.alerts', { n: parts.affected }) },
          parts.affected,
        ),
    ),
    cell('creator', createdBy),
    cell('starts', ...whenParts(startsAt, times)),
    cell('ends', ...endParts(silence, times)),
    h(
      'td',
      { role: 'cell', class: 'silence-actions' },
      silenceActions(silence, parts.context, () => parts.onChanged()),
    ),
  );
}

/** How the silence ends, its ticket and its annotations. */
export function marks(silence: Silence): HTMLElement | false {
  const ticket = silence.annotations?.[TICKET];
  const all = [
    // The usual comment of an acknowledgement says it already.
    silence.comment !== t('silence.acknowledged') && endMark(silence),
    ticket && ticketLink(ticket),
    ...otherAnnotations(silence).map(([name, value]) =>
      h('span', { class: 'mark' }, h('span', { class: 'soft' }, `${name}: `), linkedText(value)),
    ),
  ];
  return all.some(Boolean) && h('span', { class: 'marks' }, all);
}

/** How the silence ends with its alerts, if it does. */
export function endMark(silence: Silence): HTMLElement | false {
  if (!endsWithAlerts(silence)) return false;
  const key = acknowledgedUntil(silence) === undefined ? 'silence.mark.expires' : 'silence.mark.acknowledged';
  return h('span', { class: 'mark badge' }, t(key));
}

/** The ticket as a link if it is one. */
export function ticketLink(ticket: string): HTMLElement {
  const text = ticket.replace(/^https?:\/\/(.*\/)?(?=[^/]+\/?$)/i, '');
  return isWebAddress(ticket)
    ? h(
        'a',
        { class: 'mark external', href: ticket, rel: 'noopener noreferrer', target: '_blank', title: ticket },
        text,
      )
    : h('span', { class: 'mark' }, ticket);
}
