import type { Silence } from '../../../src/alerts/contract/wire.ts';
import { copyButton } from '../../shared/copy-button.ts';
import { h } from '../../shared/dom.ts';
import type { Fact } from '../alert/fact-list.ts';
import { factList } from '../alert/fact-list.ts';
import { matcherChip } from '../alert/label-chip.ts';
import type { PageContext } from '../page.ts';
import { linkedText } from '../parts/linked-text.ts';
import { language, t } from '../text.ts';
import { silenceActions } from './actions.ts';
import { otherAnnotations, TICKET } from './annotations.ts';
import { endMark, ticketLink } from './row.ts';
import { endParts, whenParts } from './when.ts';

/** All data of a silence, with its actions. */
export function silenceDetails(silence: Silence, context: PageContext, onChanged: () => Promise<void>): HTMLElement {
  const { id, status, matchers, comment, createdBy, annotations = {} } = silence;
  const { state } = status;
  const { times, clock } = context;
  const chips = matchers.map((matcher) => h('li', {}, matcherChip(matcher)));
  const when = (parts: readonly HTMLElement[]) => h('span', { class: 'when' }, parts);
  const ticket = annotations[TICKET];
  const facts: Fact[] = [
    [t('silence.matchers'), h('ul', { class: 'labels' }, chips)],
    [t(state === 'pending' ? 'silence.starts' : 'silence.started'), when(whenParts(silence.startsAt, times))],
    [t(state === 'expired' ? 'silence.ended' : 'silence.ends'), when(endParts(silence, times))],
    [t('silence.column.creator'), createdBy],
    [t('silence.comment'), h('span', { class: 'comment' }, linkedText(comment))],
    ...(ticket ? [[t('silence.ticket'), ticketLink(ticket)] satisfies Fact] : []),
    ...otherAnnotations(silence).map(([name, value]): Fact => [name, linkedText(value)]),
    [t('silence.updated'), when(whenParts(silence.updatedAt, times))],
    [t('silence.id'), [h('code', {}, id), ' ', copyButton(clock, t('silence.id.what'), () => id, language)]],
  ];
  const badge = h('span', { class: 'badge', 'data-state': state }, t(`silence.state.${state}`));
  const head = h(
    'div',
    { class: 'silence-head' },
    h('span', { class: 'marks' }, badge, endMark(silence)),
    silenceActions(silence, context, onChanged),
  );
  return h('section', { class: 'panel', 'aria-label': t('silence.details') }, head, factList(facts));
}
