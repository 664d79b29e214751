import type { AgentReport, AgentStatus } from '../../../src/dashboard/contract/agents.ts';
import { type Child, h } from '../../shared/dom.ts';
import { formError } from '../../shared/shell/states.ts';
import type { Ui } from '../shell/ui.ts';
import { english, type TextKey } from '../text/en.ts';
import { serverWords } from '../text/server-words.ts';
import { agentName, priceDate } from './texts.ts';

/** Shows what was read of the logs of assistants: files, requests, what was left out, and where it was searched. */
export function showLogs(ui: Ui, status: AgentStatus): void {
  const { t } = ui;
  const dialog = h(
    'dialog',
    { class: 'logs', 'aria-labelledby': 'logs-title' },
    h('h2', { id: 'logs-title' }, t('logs.title')),
    status.problem && formError(serverWords(status.problem, ui)),
    figures(ui, status.agents),
    h('h3', {}, t('logs.folders')),
    h(
      'ul',
      { class: 'logs-folders' },
      status.agents.flatMap((report) => folders(ui, report)),
    ),
    leftOut(ui, status.agents),
    h('h3', {}, t('logs.prices')),
    h('p', {}, prices(ui, status)),
    h('p', { class: 'soft' }, t('logs.privacy')),
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

function figures({ t, format }: Ui, reports: readonly AgentReport[]): Child {
  const heads: readonly TextKey[] = ['logs.files', 'logs.size', 'column.requests', 'logs.left-out'];
  const row = (report: AgentReport) =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, agentName(report)),
      [
        format.count(report.files),
        format.bytes(report.bytes),
        format.count(report.events),
        format.count(countOf(report)),
      ].map((text) => h('td', { class: 'number' }, text)),
    );
  return h(
    'table',
    { class: 'logs-figures' },
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        h('th', { scope: 'col' }, t('logs.assistant')),
        heads.map((head) => h('th', { scope: 'col', class: 'number' }, t(head))),
      ),
    ),
    h('tbody', {}, reports.map(row)),
  );
}

function folders({ t }: Ui, { folders }: AgentReport): readonly HTMLElement[] {
  return folders.map(({ path, files }) =>
    h(
      'li',
      {},
      h('code', {}, path),
      ' ',
      h('span', { class: 'soft' }, files === 0 ? t('logs.empty') : t('logs.found', { n: files })),
    ),
  );
}

const countOf = ({ skipped }: AgentReport): number => Object.values(skipped).reduce((sum, count) => sum + count, 0);

function leftOut({ t, format }: Ui, reports: readonly AgentReport[]): Child {
  const lines = reports.flatMap((report) =>
    Object.entries(report.skipped)
      .filter(([, count]) => count > 0)
      .map(([reason, count]) => h('li', {}, `${agentName(report)}: ${format.count(count)} ${reasonText(reason, t)}`)),
  );
  if (lines.length === 0) return undefined;
  return h('details', {}, h('summary', {}, t('logs.left-out-why')), h('ul', {}, lines));
}

function reasonText(reason: string, t: Ui['t']): string {
  const key = `logs.skipped.${reason}`;
  return Object.hasOwn(english, key) ? t(key as TextKey) : reason;
}

function prices(ui: Ui, status: AgentStatus): string {
  const { t } = ui;
  const date = priceDate(status, ui);
  const words = [date === '' ? t('estimate.undated') : t('estimate', { date }), t('estimate.what')];
  const { unknownModels: models } = status;
  if (models.length > 0) words.push(t('logs.unknown', { n: models.length, models: models.join(', ') }));
  return words
    .map((word) => (word.endsWith('.') ? word : `${word.charAt(0).toUpperCase()}${word.slice(1)}.`))
    .join(' ');
}
