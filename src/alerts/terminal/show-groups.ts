import type { ChalkInstance } from 'chalk';
import { formatRecords } from '../../kernel/terminal/list.ts';
import { printable } from '../../kernel/terminal/printable.ts';
import { show } from '../../kernel/terminal/show.ts';
import { type Cell, formatTable } from '../../kernel/terminal/table.ts';
import type { Terminal } from '../../kernel/terminal/terminal.ts';
import { AlertmanagerClient, type ConnectionOptions } from './client.ts';
import { filtersOf, formatLabels } from './matcher-argument.ts';
import { colorsOf, formatOf, type OutputOptions, printJson, severityCell, stateCell, whole } from './output.ts';
import { formatInstant } from './time-argument.ts';
import type { WireAlert, WireAlertGroup } from './wire.ts';

export interface ShowGroupsOptions extends ConnectionOptions, OutputOptions {
  readonly receiver?: string;
  readonly active?: boolean;
  readonly silenced?: boolean;
  readonly inhibited?: boolean;
}

/** Of the alerts of a group. */
const INDENT = '    ';

type LabelSet = Readonly<Record<string, string>>;

/** The labels in which an alert differs from others of its group. */
function ownLabels(labels: LabelSet, ofGroup: LabelSet): LabelSet {
  return Object.fromEntries(Object.entries(labels).filter(([name]) => !Object.hasOwn(ofGroup, name)));
}

const EXTENDED = ['State', 'Severity', 'Starts At', 'Labels', 'Summary', 'Ends At', 'Annotations'];

function alertRow(alert: WireAlert, ofGroup: LabelSet, extended: boolean, colors: ChalkInstance): Cell[] {
  const { severity, ...others } = alert.labels;
  const row = [
    stateCell(alert.status.state, colors),
    severityCell(severity, colors),
    whole(formatInstant(alert.startsAt)),
    formatLabels(ownLabels(others, ofGroup)),
    alert.annotations?.summary ?? '',
  ];
  return extended ? [...row, formatInstant(alert.endsAt), formatLabels(alert.annotations ?? {})] : row;
}

function groupByReceiver(groups: readonly WireAlertGroup[]): ReadonlyMap<string, readonly WireAlertGroup[]> {
  const byReceiver = new Map<string, WireAlertGroup[]>();
  for (const group of groups) {
    const others = byReceiver.get(group.receiver.name);
    if (others) others.push(group);
    else byReceiver.set(group.receiver.name, [group]);
  }
  return byReceiver;
}

/** A tree of receivers, their groups with the shared labels, and the alerts with their other labels. */
function groupTree(groups: readonly WireAlertGroup[], extended: boolean, terminal: Terminal): string {
  const colors = colorsOf(terminal);
  const lines: string[] = [];
  for (const [receiver, ofReceiver] of groupByReceiver(groups)) {
    lines.push(colors.bold(printable(receiver)));
    const rows = ofReceiver.map(({ labels, alerts }) =>
      alerts.map((alert) => alertRow(alert, labels, extended, colors)),
    );
    const columns = terminal.size && terminal.size.columns - INDENT.length;
    // One table for all groups of a receiver, so that columns are aligned.
    const table = extended ? [] : formatTable(rows.flat(), columns).split('\n');
    for (const [i, { labels, alerts }] of ofReceiver.entries()) {
      lines.push(`  ${colors.cyan(printable(`{${formatLabels(labels, ', ')}}`))}`);
      const records = { titles: EXTENDED, rows: rows[i] ?? [] };
      const text = extended
        ? formatRecords(records, { title: colors.bold, columns }).trimEnd().split('\n')
        : table.splice(0, alerts.length);
      lines.push(...text.map((line) => line && INDENT + line));
    }
  }
  return lines.map((line) => `${line}\n`).join('');
}

/** `alerts groups`: the groups of alerts, as a tree. */
export async function showGroups(
  args: readonly string[],
  options: ShowGroupsOptions,
  terminal: Terminal,
): Promise<void> {
  const { active, silenced, inhibited, receiver } = options;
  const all = !active && !silenced && !inhibited;
  const client = new AlertmanagerClient(options, terminal);
  const groups = await client.groups({
    active: all || active === true,
    silenced: all || silenced === true,
    inhibited: all || inhibited === true,
    filter: filtersOf(args),
    receiver,
  });
  const format = formatOf(options);
  if (format === 'json') return printJson(terminal, groups);
  if (groups.length === 0) return terminal.err(`no groups of alerts found at ${client.url}\n`);
  await show(groupTree(groups, format === 'extended', terminal), terminal);
}
