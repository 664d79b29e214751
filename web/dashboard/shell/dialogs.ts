import type { Child } from '../../shared/dom.ts';
import { h } from '../../shared/dom.ts';
import { Segments } from '../controls/controls.ts';
import type { TextKey } from '../text/en.ts';
import type { Ui } from './ui.ts';

interface DialogParts {
  readonly title: string;
  readonly body: readonly Child[];
  readonly action: string;
  readonly isDanger?: boolean;
}

/** Resolves true if the action was chosen. */
function ask({ t }: Ui, parts: DialogParts): Promise<boolean> {
  return new Promise((resolve) => {
    const perform = h(
      'button',
      { type: 'submit', value: 'yes', class: parts.isDanger ? 'danger' : 'primary' },
      parts.action,
    );
    const cancel = h('button', { type: 'button', onclick: () => dialog.close('') }, t('cancel'));
    const dialog = h(
      'dialog',
      { 'aria-labelledby': 'dialog-title' },
      h(
        'form',
        { method: 'dialog' },
        h('h2', { id: 'dialog-title' }, parts.title),
        parts.body,
        h('div', { class: 'dialog-actions' }, h('span', { class: 'spring' }), cancel, perform),
      ),
    );
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue === 'yes');
    });
    document.body.append(dialog);
    dialog.showModal();
    (parts.isDanger ? cancel : perform).focus();
  });
}

/** Asks for confirmation; resolves true if confirmed. */
export function confirmAction(
  ui: Ui,
  question: { readonly title: string; readonly text: string; readonly action: string; readonly isDanger?: boolean },
): Promise<boolean> {
  return ask(ui, { ...question, body: [h('p', {}, question.text)] });
}

/** Asks whether the browser's copies of files are to be deleted. */
export function confirmForget(ui: Ui, names: readonly string[]): Promise<boolean> {
  const { t } = ui;
  const n = names.length;
  const text = t('kept.forget-text', { n, names: names.join(', ') });
  return confirmAction(ui, {
    title: t('kept.forget-title', { n }),
    text,
    action: t('kept.forget', { n }),
    isDanger: true,
  });
}

/** Asks for the user of files whose names hold none; undefined: cancelled. */
export async function askUser(ui: Ui, names: readonly string[], users: readonly string[]): Promise<string | undefined> {
  const { t } = ui;
  let chosen = users[0] ?? 'info';
  const choice = new Segments<string>('file-user', t('user'), (user) => {
    chosen = user;
  });
  choice.show(
    users.map((value) => ({ value, label: value })),
    chosen,
  );
  const isYes = await ask(ui, {
    title: t('whose.title', { n: names.length }),
    body: [h('p', {}, h('code', {}, names.join(', '))), choice.element],
    action: t('whose.load'),
  });
  return isYes ? chosen : undefined;
}

const SHORTCUTS: readonly (readonly [keys: string, text: TextKey])[] = [
  ['/', 'keys.search'],
  ['1 – 6', 'keys.granularity'],
  ['t', 'keys.mode'],
  ['c  l  b', 'keys.source'],
  ['m', 'keys.marker'],
  ['[  ]', 'keys.shift'],
  ['0', 'keys.zoom'],
  ['x', 'keys.compare'],
  ['d', 'keys.theme'],
  ['?', 'keys.help'],
];

const chartKeys = ({ t }: Ui): readonly (readonly [keys: string, text: TextKey])[] => [
  ['← →', 'keys.chart.values'],
  ['↑ ↓', 'keys.chart.series'],
  ['+ −', 'keys.chart.zoom'],
  [t('keys.ctrl-wheel'), 'keys.chart.wheel'],
  [t('keys.shift-drag'), 'keys.chart.pan'],
  [t('keys.alt-drag'), 'keys.chart.mark'],
];

/** Lists the keys. */
export function showHelp(ui: Ui): void {
  const { t } = ui;
  const list = (entries: readonly (readonly [string, TextKey])[]) =>
    h(
      'dl',
      { class: 'keys' },
      entries.flatMap(([keys, text]) => [
        h(
          'dt',
          {},
          keys.split('  ').map((key) => h('kbd', {}, key)),
        ),
        h('dd', {}, t(text)),
      ]),
    );
  const dialog = h(
    'dialog',
    { class: 'help', 'aria-labelledby': 'help-title' },
    h('h2', { id: 'help-title' }, t('help')),
    list(SHORTCUTS),
    h('h3', {}, t('keys.in-charts')),
    list(chartKeys(ui)),
    h(
      'form',
      { method: 'dialog', class: 'dialog-actions' },
      h('span', { class: 'spring' }),
      h('button', { class: 'primary' }, t('close')),
    ),
  );
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
