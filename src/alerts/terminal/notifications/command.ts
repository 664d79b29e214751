import type { Command } from 'commander';
import type { Terminal } from '../../../kernel/terminal/terminal.ts';
import { addConnectionOptions, addOutputOptions } from '../data-options.ts';
import type { ExplainOptions } from './explain.ts';
import type { HistoryOptions } from './history.ts';

const HISTORY_HELP = `
Matchers select notifications that contain such an alert.

Examples:
  opsdeck alerts history
  opsdeck alerts history DiskFull --since 2h
  opsdeck alerts history --failed --receiver team --output extended`;

const EXPLAIN_HELP = `
Examples:
  opsdeck alerts explain alertname=DiskFull severity=critical
  opsdeck alerts explain DiskFull instance=db1 --json`;

/** Adds the commands for what a server has sent, and what it would send. */
export function addNotificationCommands(alerts: Command, terminal: Terminal): void {
  addConnectionOptions(
    addOutputOptions(
      alerts
        .command('history')
        .description('list the notifications that were sent or failed, the newest first')
        .argument('[matchers...]', 'name=value, !=, =~ or !~; a first word without operator is the alertname')
        .option('-r, --receiver <name>', 'only those to this receiver')
        .option('--integration <name>', 'only those of this kind, such as webhook')
        .option('--since <time>', 'only those since then: how long ago, or a time in RFC 3339', '24h')
        .option('--limit <count>', 'the most to list', '50')
        .option('--failed', 'only those that failed'),
    ),
  )
    .addHelpText('after', HISTORY_HELP)
    .action(async (matchers: string[], options: HistoryOptions) => {
      const { showHistory } = await import('./history.ts');
      await showHistory(matchers, options, terminal);
    });
  addConnectionOptions(
    addOutputOptions(
      alerts
        .command('explain')
        .description('explain what happens to an alert: its routes, its group, what mutes it, what would be sent')
        .argument('<labels...>', 'name=value; a first word without = is the alertname'),
    ),
  )
    .addHelpText('after', EXPLAIN_HELP)
    .action(async (labels: string[], options: ExplainOptions) => {
      const { explainAlert } = await import('./explain.ts');
      await explainAlert(labels, options, terminal);
    });
}
