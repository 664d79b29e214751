import { h } from '../../shared/dom.ts';
import { t } from '../text.ts';

/** Lists what could not be done, and why. */
export function reportFailures(
  title: string,
  failures: readonly { readonly name: string; readonly why: string }[],
): void {
  const rows = failures.map(({ name, why }) => [h('dt', {}, h('code', {}, name)), h('dd', {}, why)]);
  const close = h('button', { type: 'button', onclick: () => dialog.close() }, t('silence.close'));
  const dialog = h(
    'dialog',
    { class: 'report', 'aria-labelledby': 'report-title' },
    h('h2', { id: 'report-title' }, title),
    h('dl', {}, rows.flat()),
    h('div', { class: 'actions' }, close),
  );
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
