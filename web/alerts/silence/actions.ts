import type { Silence } from '../../../src/alerts/contract/wire.ts';
import { h } from '../../shared/dom.ts';
import type { PageContext } from '../page.ts';
import { formatMatchers } from '../parts/matcher-text.ts';
import { formatHash } from '../route.ts';
import { t } from '../text.ts';
import { expireSilences, extendSilences } from './changes.ts';
import { askForExtension } from './extend-dialog.ts';

/** The actions on a silence: extend, edit and expire it, or recreate an expired one. */
export function silenceActions(silence: Silence, context: PageContext, onChanged: () => Promise<void>): HTMLElement {
  const href = formatHash({ page: 'edit-silence', id: silence.id });
  const name = formatMatchers(silence.matchers);
  const link = (key: 'silence.edit' | 'silence.recreate') =>
    h('a', { class: 'button small', href, 'aria-label': `${t(key)} ${name}` }, t(key));
  if (silence.status.state === 'expired') return h('span', { class: 'actions' }, link('silence.recreate'));
  const button = (key: 'silence.extend' | 'silence.expire', onclick: () => void) =>
    h('button', { type: 'button', class: 'small', 'aria-label': `${t(key)} ${name}`, onclick }, t(key));
  return h(
    'span',
    { class: 'actions' },
    button('silence.extend', () => void askAndExtend([silence], context, onChanged)),
    link('silence.edit'),
    button('silence.expire', () => void expireSilences([silence], context, onChanged)),
  );
}

/** Asks for the time by which the silences are extended. */
export async function askAndExtend(
  silences: readonly Silence[],
  context: PageContext,
  onChanged: () => Promise<void>,
): Promise<void> {
  if (silences.length === 0) return;
  const ms = await askForExtension(silences.length);
  if (ms !== undefined) await extendSilences(silences, ms, context, onChanged);
}
