import type { Silence } from '../../../src/alerts/contract/wire.ts';
import { h } from '../../shared/dom.ts';
import type { PageContext } from '../page.ts';
import { confirmAction } from '../parts/confirm-dialog.ts';
import { formatMatchers } from '../parts/matcher-text.ts';
import { formatHash } from '../route.ts';

/** The actions on a silence: edit and expire it, or recreate an expired one. */
export function silenceActions(silence: Silence, context: PageContext, onChanged: () => Promise<void>): HTMLElement {
  const edit = formatHash({ page: 'edit-silence', id: silence.id });
  const name = formatMatchers(silence.matchers);
  if (silence.status.state === 'expired') {
    return h(
      'span',
      { class: 'actions' },
      h('a', { class: 'button small', href: edit, 'aria-label': `Recreate ${name}` }, 'Recreate'),
    );
  }
  const expire = async () => {
    const done = await confirmAction({
      title: 'Expire this silence?',
      text: `Alerts that match ${name} notify again at once. An expired silence can be recreated.`,
      action: 'Expire',
      perform: () => context.api.expireSilence(silence.id),
    });
    if (!done) return;
    context.shell.announce('Silence expired');
    await onChanged();
  };
  return h(
    'span',
    { class: 'actions' },
    h('a', { class: 'button small', href: edit, 'aria-label': `Edit ${name}` }, 'Edit'),
    h(
      'button',
      { type: 'button', class: 'small', 'aria-label': `Expire ${name}`, onclick: () => void expire() },
      'Expire',
    ),
  );
}
