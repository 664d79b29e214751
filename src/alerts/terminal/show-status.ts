import { formatDuration } from '../../kernel/duration.ts';
import { printable } from '../../kernel/terminal/printable.ts';
import { show } from '../../kernel/terminal/show.ts';
import { type Cell, formatTable } from '../../kernel/terminal/table.ts';
import type { Terminal } from '../../kernel/terminal/terminal.ts';
import { AlertmanagerClient, type ConnectionOptions } from './client.ts';
import { colorsOf, formatOf, type OutputOptions, printJson } from './output.ts';
import { formatInstant } from './time-argument.ts';
import type { WireStatus } from './wire.ts';

export interface ShowStatusOptions extends ConnectionOptions, OutputOptions {}

function runningSince(uptime: string, now: number): string {
  const seconds = Math.floor((now - Date.parse(uptime)) / 1000);
  // Clocks differ: the server's start may lie in the future.
  return seconds >= 0 ? `${formatInstant(uptime)} (${formatDuration(seconds * 1000)} ago)` : formatInstant(uptime);
}

function statusRows({ versionInfo, uptime, cluster }: WireStatus, extended: boolean, now: number): [string, string][] {
  const { version, revision, branch, buildUser, buildDate, goVersion } = versionInfo;
  const rows: [string, string][] = [
    ['Version', version],
    ['Started', runningSince(uptime, now)],
    ['Cluster', cluster.status],
  ];
  if (extended) {
    rows.splice(
      1,
      0,
      ['Revision', revision],
      ['Branch', branch],
      ['Built', `${buildDate} ${buildUser}`.trim()],
      ['Runtime', goVersion],
    );
  }
  if (cluster.name) rows.push(['Name', cluster.name]);
  const peers = (cluster.peers ?? []).map(({ address, name }) => `${address}  ${name}`);
  return [...rows, ...peers.map((peer, i): [string, string] => [i === 0 ? 'Peers' : '', peer])];
}

/** `alerts status`: version and uptime of the server; with `--output extended` its configuration as well. */
export async function showStatus(options: ShowStatusOptions, terminal: Terminal): Promise<void> {
  const client = new AlertmanagerClient(options, terminal);
  const status = await client.status();
  const format = formatOf(options);
  if (format === 'json') {
    printJson(terminal, status);
    return;
  }
  const { bold } = colorsOf(terminal);
  const rows = statusRows(status, format === 'extended', terminal.clock.now());
  const styled = [['Server', client.url], ...rows].map(([title = '', value = '']): Cell[] => [
    { text: title, style: bold },
    value,
  ]);
  const table = formatTable(styled, terminal.size?.columns);
  if (format !== 'extended') return terminal.out(table);
  const lines = status.config.original.trimEnd().split('\n').map(printable);
  await show(`${table}\n${bold('Configuration')}\n${lines.join('\n')}\n`, terminal);
}
