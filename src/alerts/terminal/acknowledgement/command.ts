import type { Command } from 'commander';
import type { Terminal } from '../../../kernel/terminal/terminal.ts';
import { addConnectionOptions, addOutputOptions } from '../data-options.ts';
import type { AcknowledgeOptions } from './acknowledge.ts';

export function addAcknowledgeCommand(alerts: Command, terminal: Terminal): void {
  addConnectionOptions(addOutputOptions(alerts.command('ack')))
    .description('acknowledge active alerts: silence each until it resolves, and print the ids of the silences')
    .argument('[matchers...]', 'name=value, !=, =~ or !~; a first word without operator is the alertname')
    .option('-a, --author <name>', 'who acknowledges (default: your user name)')
    .option('-c, --comment <text>', 'why', 'Acknowledged')
    .option('-d, --duration <duration>', 'the longest time; an alert that still fires then notifies as usual', '24h')
    .option('--force', 'allow to acknowledge every active alert')
    .addHelpText(
      'after',
      `
An acknowledgement is a silence of 15 minutes for exactly one alert. The server renews it while the alert fires, and expires
it when the alert resolves: an alert that fires again notifies again. Alertmanager does not renew it.

Examples:
  opsdeck alerts ack DiskFull instance=db1
  opsdeck alerts ack severity=critical cluster=eu --comment "on it, OPS-17" --duration 4h`,
    )
    .action(async (matchers: string[], options: AcknowledgeOptions) => {
      const { acknowledge } = await import('./acknowledge.ts');
      await acknowledge(matchers, options, terminal);
    });
}
