import type { Command } from 'commander';
import { completeFrom } from '../../kernel/terminal/completion.ts';
import { addSettings, readFlags } from '../../kernel/terminal/flags.ts';
import type { Terminal } from '../../kernel/terminal/terminal.ts';
import { SETTINGS } from '../config/settings.ts';
import { addAcknowledgeCommand } from './acknowledgement/command.ts';
import type { AddAlertOptions } from './add-alert.ts';
import type { AddSilenceOptions } from './add-silence.ts';
import type { ConnectionOptions } from './client.ts';
import { ALERT_COMPLETIONS } from './completion.ts';
import { addConfigurationCommands } from './configuration/command.ts';
import { addConnectionOptions, addOutputOptions, gather } from './data-options.ts';
import type { ExpireSilencesOptions } from './expire-silences.ts';
import type { ImportSilencesOptions } from './import-silences.ts';
import { addNotificationCommands } from './notifications/command.ts';
import type { OutputOptions } from './output.ts';
import type { QueryAlertsOptions } from './query-alerts.ts';
import type { QuerySilencesOptions } from './query-silences.ts';
import type { ShowGroupsOptions } from './show-groups.ts';
import type { UpdateSilencesOptions } from './update-silences.ts';

function addDataOptions(command: Command): Command {
  return addConnectionOptions(addOutputOptions(command));
}

function addAlertAddCommand(alerts: Command, terminal: Terminal): void {
  addDataOptions(
    alerts
      .command('add')
      .description('post an alert, or several from a file')
      .argument('[labels...]', 'name=value; a first word without = is the alertname')
      .option('--annotation <name=value>', 'an annotation; may be repeated', gather)
      .option('--generator-url <url>', 'where the alert comes from')
      .option('--start <time>', 'when it began, in RFC 3339 (default: now)')
      .option('--end <time>', 'when it ends, in RFC 3339 (default: when the server thinks it resolved)')
      .option('--file <path>', 'post the JSON array of alerts in this file, or on standard input (-)'),
  )
    .addHelpText(
      'after',
      `
Prints one line, such as: added {alertname="DiskFull", severity="critical"}

Examples:
  opsdeck alerts add alertname=DiskFull severity=critical instance=db1
  opsdeck alerts add DiskFull severity=critical --annotation summary="/var is at 97 %"
  opsdeck alerts add DiskFull instance=db1 --end 2026-03-01T18:00:00Z
  opsdeck alerts add --file alerts.json`,
    )
    .action(async (labels: string[], options: AddAlertOptions) => {
      const { addAlert } = await import('./add-alert.ts');
      await addAlert(labels, options, terminal);
    });
}

function addAlertQueryCommand(alerts: Command, terminal: Terminal): void {
  addDataOptions(
    alerts
      .command('query')
      .description('list alerts: the active ones, unless flags name other states')
      .argument('[matchers...]', 'name=value, !=, =~ or !~; a first word without operator is the alertname')
      .option('-a, --active', 'active alerts')
      .option('-s, --silenced', 'alerts that a silence suppresses')
      .option('-i, --inhibited', 'alerts that another alert suppresses')
      .option('-u, --unprocessed', 'alerts that the server has not handled yet')
      .option('-r, --receiver <regex>', 'only alerts that go to a receiver whose whole name matches'),
  )
    .addHelpText(
      'after',
      `
Examples:
  opsdeck alerts query
  opsdeck alerts query DiskFull severity=critical
  opsdeck alerts query 'instance=~"db.*"' --silenced --output extended
  opsdeck alerts query --receiver 'team-.*' --json`,
    )
    .action(async (matchers: string[], options: QueryAlertsOptions) => {
      const { queryAlerts } = await import('./query-alerts.ts');
      await queryAlerts(matchers, options, terminal);
    });
}

function addSilenceAddCommand(silence: Command, terminal: Terminal): void {
  addDataOptions(
    silence
      .command('add')
      .description('create a silence and print its id')
      .argument('[matchers...]', 'name=value, !=, =~ or !~; a first word without operator is the alertname')
      .option('-a, --author <name>', 'who silences (default: your user name)')
      .option('-d, --duration <duration>', 'how long it lasts, from its start', '1h')
      .option('--start <time>', 'when it starts, in RFC 3339 (default: now)')
      .option('--end <time>', 'when it ends, in RFC 3339; overrides --duration')
      .option('-c, --comment <text>', 'why; required')
      .option('--annotation <name=value>', 'an annotation; may be repeated', gather)
      .option('--expire-when-resolved', 'expire it when all alerts that it silences have resolved')
      .option('--force', 'allow a silence that matches every alert'),
  )
    .addHelpText(
      'after',
      `
Without a matcher, or with matchers that leave no alert out (instance=~".*", alertname=~".+"), it refuses unless --force.

Examples:
  opsdeck alerts silence add alertname=DiskFull --duration 2h --comment "replacing the disk"
  opsdeck alerts silence add DiskFull 'instance=~"db.*"' -d 1d12h -c "moving house"
  opsdeck alerts silence add severity!=critical --start 2026-03-01T18:00:00Z --end 2026-03-01T20:00:00Z -c "drill"`,
    )
    .action(async (matchers: string[], options: AddSilenceOptions) => {
      const { addSilence } = await import('./add-silence.ts');
      await addSilence(matchers, options, terminal);
    });
}

function addSilenceQueryCommand(silence: Command, terminal: Terminal): void {
  addDataOptions(
    silence
      .command('query')
      .description('list active and pending silences, or expired ones')
      .argument('[matchers...]', 'matchers that the silence must have; a first word without operator is the alertname')
      .option('--expired', 'expired silences instead')
      .option('--within <duration>', 'only those that end within it; with --expired, that ended within it')
      .option('--created-by <name>', 'only those of this author')
      .option('--id <id>', 'only this one; may be repeated', gather)
      .option('-q, --quiet', 'print ids only'),
  )
    .addHelpText(
      'after',
      `
Examples:
  opsdeck alerts silence query
  opsdeck alerts silence query DiskFull --within 8h
  opsdeck alerts silence query --expired --within 1d --output extended
  opsdeck alerts silence query --created-by alex --quiet | opsdeck alerts silence expire -`,
    )
    .action(async (matchers: string[], options: QuerySilencesOptions) => {
      const { querySilences } = await import('./query-silences.ts');
      await querySilences(matchers, options, terminal);
    });
}

function addSilenceExpireCommand(silence: Command, terminal: Terminal): void {
  addDataOptions(
    silence
      .command('expire')
      .description('end silences now and print their ids')
      .argument('<ids...>', 'ids of silences; - reads them from standard input'),
  )
    .addHelpText(
      'after',
      `
Examples:
  opsdeck alerts silence expire 5ce24381-f452-43d2-9978-0ffa2eb8e86c
  opsdeck alerts silence query DiskFull --quiet | opsdeck alerts silence expire -`,
    )
    .action(async (ids: string[], options: ExpireSilencesOptions) => {
      const { expireSilences } = await import('./expire-silences.ts');
      await expireSilences(ids, options, terminal);
    });
}

function addSilenceUpdateCommand(silence: Command, terminal: Terminal): void {
  addDataOptions(
    silence
      .command('update')
      .description('change silences and print them')
      .argument('<ids...>', 'ids of silences; - reads them from standard input')
      .option('-d, --duration <duration>', 'how long it lasts, counted from its start (from now if it is over)')
      .option('--start <time>', 'when it starts, in RFC 3339')
      .option('--end <time>', 'when it ends, in RFC 3339; overrides --duration')
      .option('-c, --comment <text>', 'why')
      .option('-q, --quiet', 'print ids only'),
  )
    .addHelpText(
      'after',
      `
A silence that is over, or whose start moves after it began, is replaced by one with a new id.

Examples:
  opsdeck alerts silence update 5ce24381-f452-43d2-9978-0ffa2eb8e86c --duration 4h
  opsdeck alerts silence update 5ce24381-f452-43d2-9978-0ffa2eb8e86c --end 2026-03-01T20:00:00Z -c "takes longer" -q`,
    )
    .action(async (ids: string[], options: UpdateSilencesOptions) => {
      const { updateSilences } = await import('./update-silences.ts');
      await updateSilences(ids, options, terminal);
    });
}

function addSilenceImportCommand(silence: Command, terminal: Terminal): void {
  addDataOptions(
    silence
      .command('import')
      .description('set every silence of a JSON file and print their ids')
      .argument('[file]', 'a JSON array as `silence query --json` prints it; - or nothing reads standard input', '-')
      .option('-f, --force', 'create new silences even where the ids exist')
      .option('-w, --workers <count>', 'how many to send at a time', '8'),
  )
    .addHelpText(
      'after',
      `
A silence whose id the server does not know is created under a new one.

Examples:
  opsdeck alerts silence import silences.json
  opsdeck alerts silence query --json | opsdeck alerts silence import --url http://other:9093`,
    )
    .action(async (file: string, options: ImportSilencesOptions) => {
      const { importSilences } = await import('./import-silences.ts');
      await importSilences(file, options, terminal);
    });
}

const IMPORT_SETTINGS = {
  storageUrl: { ...SETTINGS.storageUrl, help: 'the database, postgres://user:password@host/database' },
  storageWaitMs: { ...SETTINGS.storageWaitMs, help: 'how long to wait for an unreachable database' },
};

function addImportStorageCommand(alerts: Command, terminal: Terminal): void {
  const command = alerts
    .command('import-storage')
    .description('bring the data directory of a single server into the database of several')
    .argument('<directory>', 'the --storage.path of a server, which must be stopped');
  addSettings(command, IMPORT_SETTINGS)
    .addHelpText(
      'after',
      `
Silences, alerts, group timers and what was sent, with Alertmanager's own silences if they lie there. The directory stays as
it is. It can be repeated, also beside running servers: what is younger in the database stays.

Examples:
  opsdeck alerts import-storage data/alerts --storage.url postgres://opsdeck:secret@db.example.org/opsdeck
  OPSDECK_STORAGE_URL=postgres://opsdeck@db.example.org/opsdeck opsdeck alerts import-storage /var/lib/alertmanager`,
    )
    .action(async (directory: string) => {
      const options = readFlags(command, IMPORT_SETTINGS, terminal.env);
      // The list of processes shows arguments to all users of the machine, and the URL may contain a password.
      process.title = 'opsdeck alerts import-storage';
      const { importStorage } = await import('./import-storage.ts');
      await importStorage(directory, options, terminal);
    });
}

function addStatusCommand(alerts: Command, terminal: Terminal): void {
  addDataOptions(alerts.command('status').description('show the version, age, cluster and configuration of the server'))
    .addHelpText(
      'after',
      `
Examples:
  opsdeck alerts status
  opsdeck alerts status --output extended --url http://localhost:9093/prefix`,
    )
    .action(async (options: ConnectionOptions & OutputOptions) => {
      const { showStatus } = await import('./show-status.ts');
      await showStatus(options, terminal);
    });
}

function addGroupsCommand(alerts: Command, terminal: Terminal): void {
  addDataOptions(
    alerts
      .command('groups')
      .description('show receivers, their groups and the alerts in each, in every state unless flags name some')
      .argument('[matchers...]', 'name=value, !=, =~ or !~; a first word without operator is the alertname')
      .option('-a, --active', 'active alerts')
      .option('-s, --silenced', 'alerts that a silence suppresses')
      .option('-i, --inhibited', 'alerts that another alert suppresses')
      .option('-r, --receiver <regex>', 'only groups of a receiver whose whole name matches'),
  )
    .addHelpText(
      'after',
      `
Examples:
  opsdeck alerts groups
  opsdeck alerts groups severity=critical --active
  opsdeck alerts groups --receiver 'team-.*' --output extended`,
    )
    .action(async (matchers: string[], options: ShowGroupsOptions) => {
      const { showGroups } = await import('./show-groups.ts');
      await showGroups(matchers, options, terminal);
    });
}

/** Adds the commands for a server, opsdeck's or Alertmanager, and for its configuration. */
export function addTerminalCommands(alerts: Command, terminal: Terminal): void {
  completeFrom(alerts, ALERT_COMPLETIONS);
  addAlertAddCommand(alerts, terminal);
  addAlertQueryCommand(alerts, terminal);
  addAcknowledgeCommand(alerts, terminal);
  const silence = alerts.command('silence').description('add, list, change and end silences');
  silence.addHelpText(
    'after',
    `
Examples:
  opsdeck alerts silence add alertname=DiskFull --duration 2h --comment "replacing the disk"
  opsdeck alerts silence query
  opsdeck alerts silence expire 5ce24381-f452-43d2-9978-0ffa2eb8e86c`,
  );
  addSilenceAddCommand(silence, terminal);
  addSilenceQueryCommand(silence, terminal);
  addSilenceExpireCommand(silence, terminal);
  addSilenceUpdateCommand(silence, terminal);
  addSilenceImportCommand(silence, terminal);
  addImportStorageCommand(alerts, terminal);
  addStatusCommand(alerts, terminal);
  addGroupsCommand(alerts, terminal);
  addNotificationCommands(alerts, terminal);
  addConfigurationCommands(alerts, terminal);
}
