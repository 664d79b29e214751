import type { BadRow, CsvFileError, CsvFileResult } from '../../../src/dashboard/domain/csv/file.ts';
import type { LiveStatus } from '../data/session.ts';
import type { Notice, Notices } from '../notice/notices.ts';
import type { Ui } from '../shell/ui.ts';
import type { TextKey } from './en.ts';
import { english } from './en.ts';
import type { LiveUserResult } from './messages.ts';
import { serverWords } from './server-words.ts';

/** Shows the result of reading a file; a success only of a chosen one. */
export function reportFile(
  result: CsvFileResult | { readonly name: string; readonly failure: string },
  notices: Notices,
  ui: Ui,
  isChosen: boolean,
): void {
  const { t } = ui;
  const { name } = result;
  if ('failure' in result) {
    const { failure } = result;
    notices.show(`csv-${name}`, (ui) => {
      return { tone: 'error', title: ui.t('csv.failed', { name }), text: serverWords(failure, ui), canClose: true };
    });
    return;
  }
  notices.show(`csv-${name}`, (spoken) => csvNotice(result, spoken));
  if (!isChosen) return;
  if (result.status === 'added') notices.toasts.show(t('csv.added', { n: result.events, name }));
  else if (result.status === 'duplicate') notices.toasts.show(t('csv.duplicate', { name }));
}

const reload = ({ t }: Ui) => ({ label: t('reload'), perform: () => location.reload() });

/** Shows that the worker has failed. */
export function reportBroken(reason: string, notices: Notices): void {
  notices.show('worker', (ui) => {
    const text = ui.t('error.worker-text', { reason: serverWords(reason, ui) });
    return { tone: 'error', title: ui.t('error.worker'), text, actions: [reload(ui)] };
  });
}

/** Shows that the code of the charts cannot be loaded, or no longer that. */
export function reportNoCharts(areMissing: boolean, notices: Notices): void {
  notices.show('charts', (ui) => {
    if (!areMissing) return undefined;
    return { tone: 'error', title: ui.t('error.charts'), text: ui.t('error.charts-text'), actions: [reload(ui)] };
  });
}

/** Shows that the server does not store the markers; undefined: it does. */
export function reportSync(reason: string | undefined, notices: Notices, retry: () => void): void {
  notices.show('sync', (ui) => {
    if (reason === undefined) return undefined;
    const { t } = ui;
    const actions = [{ label: t('retry'), perform: retry }];
    const text = t('sync.failed-text', { reason: serverWords(reason, ui) });
    return { tone: 'warn', title: t('sync.failed'), text, actions };
  });
}

/** The notice about a file; undefined: no problem. */
export function csvNotice(result: CsvFileResult, { t }: Ui): Notice | undefined {
  const details = result.badRows.map((row) => badRowText(row, t));
  const detailsLabel = t('csv.first-rows', { n: details.length });
  if (result.status === 'rejected' && result.error) {
    const title = t('csv.rejected', { name: result.name });
    return { tone: 'error', title, text: csvErrorText(result.error, t), details, detailsLabel, canClose: true };
  }
  if (result.skipped > 0) {
    const title = t('csv.skipped', { skipped: result.skipped, n: result.rows, name: result.name });
    return { tone: 'warn', title, details, detailsLabel, canClose: true };
  }
  if (result.totalsThatDiffer === 0) return undefined;
  const title = t('csv.totals', { n: result.totalsThatDiffer, name: result.name });
  return { tone: 'info', title, canClose: true };
}

function csvErrorText(error: CsvFileError, t: Ui['t']): string {
  switch (error.code) {
    case 'missing-columns':
      return t('csv.error.missing-columns', { columns: error.columns.join(', ') });
    case 'unclosed-quote':
      return t('csv.error.unclosed-quote', { line: error.line });
    case 'empty':
      return t('csv.error.empty');
    case 'all-rows-bad':
      return t('csv.error.all-rows-bad');
  }
}

const badRowText = (row: BadRow, t: Ui['t']): string =>
  t('csv.bad-row', { line: row.line, reason: t(`csv.bad.${row.reason}`), text: row.text });

/** The notice about a live fetch: old data, users without data, or none. */
export function liveNotice(status: LiveStatus, ui: Ui, retry: () => void): Notice | undefined {
  const { t, format } = ui;
  const failed = status.results.filter(({ failure }) => failure);
  const [first] = failed;
  if (!first?.failure) return truncationNotice(status, ui);
  const actions = [{ label: t('retry'), perform: retry }];
  const isTotal = failed.length === status.results.length;
  const details = failed.map((result) => failureLine(result, ui));
  const known = failed.flatMap(({ fetchedAt }) => fetchedAt ?? []);
  const hint = serverWords(first.failure.hint ?? '', ui);
  const text = [hint, isTotal && known.length === 0 ? t('live.csv-stays') : ''].join(' ').trim();
  if (known.length > 0) {
    const title = t('live.stale', { time: format.time(Math.min(...known)) });
    return { tone: 'warn', title, text: failureText(first, ui), details, actions };
  }
  const names = failed.map(({ user }) => user).join(', ');
  const title = `${names}: ${failureText(first, ui)}`;
  return { tone: isTotal ? 'error' : 'warn', title, text, details, actions };
}

function truncationNotice(status: LiveStatus, { t }: Ui): Notice | undefined {
  const users = status.results.filter(({ truncated }) => truncated).map(({ user }) => user);
  if (users.length === 0) return undefined;
  return { tone: 'warn', title: t('live.truncated', { users: users.join(', ') }), canClose: true };
}

/** The failure in the page's language if its code is known, else the server's text. */
export function failureText(result: LiveUserResult, ui: Ui): string {
  const key = `failure.${result.failure?.code ?? ''}`;
  return Object.hasOwn(english, key) ? ui.t(key as TextKey) : serverWords(result.failure?.message ?? '', ui);
}

function failureLine(result: LiveUserResult, ui: Ui): string {
  const { failure } = result;
  const said = [failure?.message, failure?.hint].map((part = '') => serverWords(part, ui));
  const parts = [failureText(result, ui), ...said].filter((part) => part !== '');
  return `${result.user} · ${failure?.code ?? ''} · ${[...new Set(parts)].join(' — ')}`;
}
