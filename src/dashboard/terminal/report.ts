import { createReadStream, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { CommandError, ExitCode, messageOf, systemCodeOf } from '../../kernel/errors.ts';
import { refuseConfig } from '../../kernel/settings/settings.ts';
import { printable } from '../../kernel/terminal/printable.ts';
import { show } from '../../kernel/terminal/show.ts';
import type { Terminal } from '../../kernel/terminal/terminal.ts';
import { type DashboardOptions, loadConfig } from '../config/config.ts';
import { DEFAULT_USERS } from '../config/users.ts';
import { readMarkerDocument } from '../contract/markers.ts';
import { type CsvFileError, type CsvFileResult, guessUser } from '../domain/csv/file.ts';
import type { UsageData } from '../domain/usage-data.ts';
import type { CostBasis, Selection, ViewQuery } from '../domain/view.ts';
import { MARKER_FILE } from '../marker-store/marker-store.ts';
import { listCsvFiles } from '../project-files/csv.ts';
import { buildReport, type Grouping, type ReportFormat, reportPrinters } from './report-form.ts';

export interface ReportOptions {
  readonly by: Grouping;
  readonly format: ReportFormat;
  readonly user?: string;
  readonly from?: string;
  readonly to?: string;
  readonly zone?: string;
  readonly costBasis: CostBasis;
  readonly project?: string;
  /** True: all assistants. */
  readonly agents?: string | true;
  readonly prices?: string;
}

const CHUNK_BYTES = 1 << 20;
/** The defaults of `--from` and `--to`: before and after all data. */
const FIRST_DAY = '2000-01-01';
const LAST_DAY = '2099-12-31';

/** `dashboard report`: the page's numbers in a terminal. */
export async function printReport(files: readonly string[], options: ReportOptions, terminal: Terminal): Promise<void> {
  const project = resolve(options.project ?? '.');
  const { agents, users, prices } = readConfig(options, terminal);
  const labels = users.map(({ id }) => id);
  const { UsageData } = await import('../domain/usage-data.ts');
  const data = new UsageData(users.map(({ id, emails }) => ({ label: id, email: emails[0] })));
  const now = terminal.clock.now();
  const chosen = await chooseFiles(files, project, agents.length > 0);
  for (const file of chosen) await addFile(data, file, labels, now, terminal);
  if (chosen.length > 0 && data.files.length === 0) throw new CommandError('no file could be read', ExitCode.failed);
  if (agents.length > 0) {
    const { addAgents } = await import('./agent-logs.ts');
    await addAgents(data, { agents, prices, project, now }, terminal);
  }
  data.setMarkers(readMarkers(project, now, terminal));
  const query = queryOf(options, labels, now);
  const report = buildReport(data.view(query), options.by, query);
  await show(reportPrinters[options.format](report, terminal.colors, terminal.size?.columns), terminal);
}

type ReportConfig = Pick<DashboardOptions, 'agents' | 'prices'> & {
  readonly users: readonly { readonly id: string; readonly emails: readonly string[] }[];
};

/** Without assistants the report ignores a bad configuration of the server. */
function readConfig({ project, agents, prices }: ReportOptions, { env }: Terminal): ReportConfig {
  const config = loadConfig({ project, agents, prices }, { ...env, USAGE_AGENTS: undefined });
  if (config.ok) return config.value.options;
  if (agents !== undefined) throw refuseConfig(config.problems);
  return { agents: [], prices: undefined, users: DEFAULT_USERS.map((id) => ({ id, emails: [] })) };
}

async function chooseFiles(files: readonly string[], project: string, hasAgents: boolean): Promise<readonly string[]> {
  if (files.length > 0) return files;
  const names = await listCsvFiles(project);
  if (names.length > 0 || hasAgents) return names.map((name) => join(project, 'data', name));
  throw new CommandError(`there is no CSV file in ${join(project, 'data')}; name the files to read`, ExitCode.usage);
}

async function addFile(
  data: UsageData,
  file: string,
  labels: readonly string[],
  now: number,
  terminal: Terminal,
): Promise<void> {
  const name = basename(file);
  const user = guessUser(name, labels) ?? labels[0] ?? 'info';
  const csv = data.openCsv({ name, size: 0, user }, now);
  try {
    const stdin = async () => Readable.from([Buffer.from(await terminal.stdin())]);
    const bytes = file === '-' ? await stdin() : createReadStream(file, { highWaterMark: CHUNK_BYTES });
    for await (const chunk of bytes) csv.push(chunk as Uint8Array);
  } catch (error) {
    throw new CommandError(`cannot read ${file}: ${systemCodeOf(error) ?? messageOf(error)}`, ExitCode.usage);
  }
  for (const remark of remarksOn(csv.finish())) terminal.err(`opsdeck: ${printable(`${file}: ${remark}`)}\n`);
}

function remarksOn({ status, error, rows, skipped, badRows }: CsvFileResult): readonly string[] {
  if (status === 'duplicate') return ['left out: the same file was read before'];
  if (status === 'rejected') return [`left out: ${error ? explain(error) : 'it cannot be read'}`];
  if (skipped === 0) return [];
  const [first] = badRows;
  const example = first ? `, such as line ${first.line} (${first.reason})` : '';
  return [`${skipped} of ${rows} rows skipped${example}`];
}

function explain(error: CsvFileError): string {
  switch (error.code) {
    case 'empty':
      return 'it is empty';
    case 'missing-columns':
      return `it lacks the columns ${error.columns.join(', ')}`;
    case 'unclosed-quote':
      return `the quote in line ${error.line} is not closed`;
    case 'all-rows-bad':
      return 'no row of it can be read';
  }
}

/** A report changes nothing: an unreadable file is not moved aside. */
function readMarkers(project: string, now: number, terminal: Terminal): Parameters<UsageData['setMarkers']>[0] {
  const path = join(project, MARKER_FILE);
  let reason: string;
  try {
    const document = readMarkerDocument(JSON.parse(readFileSync(path, 'utf8')), now);
    if (document.ok) return document.value.markers;
    reason = document.reason;
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return [];
    reason = systemCodeOf(error) ?? 'it is not JSON';
  }
  terminal.err(`opsdeck: ${printable(`${path}: read without markers: ${reason}`)}\n`);
  return [];
}

function queryOf(options: ReportOptions, labels: readonly string[], now: number): ViewQuery {
  const user = options.user ?? 'all';
  if (user !== 'all' && !labels.includes(user))
    throw new CommandError(`--user: there are ${labels.join(', ')} and all`, ExitCode.usage);
  return {
    source: 'merge',
    user,
    selection: selectionOf(options),
    granularity: 'month',
    zone: readZone(options.zone),
    now,
    costBasis: options.costBasis,
    columnCap: 2000,
    compare: false,
    topN: 5,
  };
}

function selectionOf({ from, to }: ReportOptions): Selection {
  if (from === undefined && to === undefined) return { mode: 'all' };
  const read = (text: string, flag: string) => {
    const local = text.replace(' ', 'T');
    if (/^\d{4}-\d\d-\d\d(T\d\d:\d\d)?$/.test(local) && !Number.isNaN(Date.parse(local))) return local;
    throw new CommandError(`${flag}: write a local day or time such as 2026-05-04 or 2026-05-04T14:30`, ExitCode.usage);
  };
  return { mode: 'custom', from: read(from ?? FIRST_DAY, '--from'), to: read(to ?? LAST_DAY, '--to') };
}

function readZone(zone: string | undefined): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    throw new CommandError('--zone: write a time zone such as Europe/Berlin or UTC', ExitCode.usage);
  }
}
