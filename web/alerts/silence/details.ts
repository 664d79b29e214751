import type { Silence } from '../../../src/alerts/contract/wire.ts';
import { copyButton } from '../../shared/copy-button.ts';
import { h } from '../../shared/dom.ts';
import type { Fact } from '../alert/fact-list.ts';
import { factList } from '../alert/fact-list.ts';
import { matcherChip } from '../alert/label-chip.ts';
import { linkedText } from '../alert/row.ts';
import type { PageContext } from '../page.ts';
import { silenceActions } from './actions.ts';

/** All data of a silence, with its actions. */
export function silenceDetails(silence: Silence, context: PageContext, onChanged: () => Promise<void>): HTMLElement {
  const { id, status, matchers, comment, createdBy, annotations = {} } = silence;
  const { state } = status;
  const when = (instant: string) => [
    context.times.element(instant, 'relative'),
    ' ',
    h('span', { class: 'soft' }, context.times.element(instant, 'instant')),
  ];
  const chips = matchers.map((matcher) => h('li', {}, matcherChip(matcher)));
  const copy = copyButton(context.clock, 'the id', () => id);
  const facts: Fact[] = [
    ['Matchers', h('ul', { class: 'labels' }, chips)],
    [state === 'pending' ? 'Starts' : 'Started', when(silence.startsAt)],
    [state === 'expired' ? 'Ended' : 'Ends', when(silence.endsAt)],
    ['Created by', createdBy],
    ['Comment', h('span', { class: 'comment' }, linkedText(comment))],
    ...Object.entries(annotations).map(([name, value]): Fact => [name, linkedText(value)]),
    ['Updated', when(silence.updatedAt)],
    ['Id', [h('code', {}, id), ' ', copy]],
  ];
  const badge = h('span', { class: 'badge', 'data-state': state }, state);
  const head = h('div', { class: 'silence-head' }, badge, silenceActions(silence, context, onChanged));
  return h('section', { class: 'panel', 'aria-label': 'Details' }, head, factList(facts));
}
