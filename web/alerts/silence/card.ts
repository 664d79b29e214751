import type { Silence } from '../../../src/alerts/contract/wire.ts';
import { h } from '../../shared/dom.ts';
import { matcherChip } from '../alert/label-chip.ts';
import { linkedText } from '../alert/row.ts';
import type { PageContext } from '../page.ts';
import { countText } from '../parts/count-text.ts';
import { formatHash } from '../route.ts';
import { silenceActions } from './actions.ts';

/** One silence in a list: matchers, comment, author and remaining time. */
export function silenceCard(
  silence: Silence,
  affected: number,
  context: PageContext,
  onChanged: () => Promise<void>,
): HTMLLIElement {
  const { id, matchers, comment, createdBy, status } = silence;
  const when = (word: string, instant: string) => [
    h('span', {}, `${word} `, context.times.element(instant, 'relative')),
    h('span', { class: 'soft' }, context.times.element(instant, 'instant')),
  ];
  const times = {
    active: when('ends', silence.endsAt),
    pending: when('starts', silence.startsAt),
    expired: when('ended', silence.endsAt),
  }[status.state];
  return h(
    'li',
    { class: 'silence', 'data-state': status.state },
    h(
      'div',
      { class: 'silence-text' },
      h('h2', {}, h('a', { class: 'matchers', href: formatHash({ page: 'silence', id }) }, matchers.map(matcherChip))),
      h('p', { class: 'comment' }, linkedText(comment)),
    ),
    h('p', { class: 'silence-when' }, times),
    h('p', { class: 'silence-creator' }, createdBy),
    h('p', { class: 'silence-affected' }, status.state === 'active' && countText(affected, 'alert')),
    silenceActions(silence, context, onChanged),
  );
}
