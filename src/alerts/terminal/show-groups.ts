import { printable } from '../../kernel/terminal/printable.ts';
import { type Cell, formatTable } from '../../kernel/terminal/table.ts';
import type { Terminal } from '../../kernel/terminal/terminal.ts';
import { AlertmanagerClient, type ConnectionOptions } from './client.ts';
import { filtersOf, formatLabels } from './matcher-argument.ts';
import { colorsOf, formatOf, type OutputOptions, printJson, stateCell } from './output.ts';
import { formatInstant } from './time-argument.ts';
import type { WireAlert, WireAlertGroup } from './wire.ts';

export interface ShowGroupsOptions extends ConnectionOptions, OutputOptions {
  readonly receiver?: string;
  readonly active?: boolean;
  readonly silenced?: boolean;
  readonly inhibited?: boolean;
}

type LabelSet = Readonly<Record<string, string>>;

/** The labels in which an alert differs from others of its group. */
function ownLabels(labels: LabelSet, ofGroup: LabelSet): LabelSet {
  return Object.fromEntries(Object.entries(labels).filter(([name]) => !Object.hasOwn(ofGroup, name)));
}

function alertRow(alert: WireAlert, ofGroup: LabelSet, extended: boolean, state: Cell): Cell[] {
  const labels = formatLabels(ownLabels(alert.labels, ofGroup));
  const began = formatInstant(alert.startsAt);
  if (!extended) return [state, began, labels, alert.annotations?.summary ?? ''];
  return [state, began, formatInstant(alert.endsAt), labels, formatLabels(alert.annotations ?? {})];
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
    const rows = ofReceiver.flatMap(({ labels, alerts }) =>
      alerts.map((alert) => alertRow(alert, labels, extended, stateCell(alert.status.state, colors))),
    );
    // One table for all groups of a receiver, so that columns are aligned.
    const table = formatTable(rows).split('\n');
    for (const { labels, alerts } of ofReceiver) {
      lines.push(`  ${colors.cyan(printable(`{${formatLabels(labels, ', ')}}`))}`);
      lines.push(...table.splice(0, alerts.length).map((line) => `    ${line}`));
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
  const groups = await new AlertmanagerClient(options, terminal).groups({
    active: all || active === true,
    silenced: all || silenced === true,
    inhibited: all || inhibited === true,
    filter: filtersOf(args),
    receiver,
  });
  const format = formatOf(options);
  if (format === 'json') printJson(terminal, groups);
  else terminal.out(groupTree(groups, format === 'extended', terminal));
}
