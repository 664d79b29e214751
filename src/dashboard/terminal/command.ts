import { type Command, Option } from 'commander';
import type { Terminal } from '../../kernel/terminal/terminal.ts';
import type { AddOptions, ListOptions, MarkOptions, StartOptions, StopOptions } from './mark.ts';
import type { ReportOptions } from './report.ts';

const load = () => import('./mark.ts');

function addOriginOptions(command: Command): Command {
  return command
    .option('--url <url>', 'the dashboard (default: OPSDECK_DASHBOARD_URL, else the one on this machine if it runs)')
    .option('--folder <folder>', 'work on data/project-markers.json of this folder directly')
    .option('--json', 'print JSON');
}

function addDraftOptions(command: Command): Command {
  return addOriginOptions(
    command
      .requiredOption('-p, --project <name>', 'what was worked on: a repository, a module, a phase')
      .option('-u, --user <name>', 'whose requests it covers, or all', 'info')
      .option('-n, --note <text>', 'anything else', ''),
  );
}

function addMarkerCommands(mark: Command, terminal: Terminal): void {
  addDraftOptions(mark.command('start').description('an interval that runs from now on').argument('[task]', TASK, ''))
    .option('--at <time>', 'when it began: 14:30, 2026-05-04T14:30, or 20m for 20 minutes ago')
    .action(async (task: string, options: StartOptions) => (await load()).startMarker(task, options, terminal));
  addOriginOptions(mark.command('stop').description('end the open interval with the latest start'))
    .option('-u, --user <name>', 'only one of this user')
    .option('--at <time>', 'when it ended')
    .action(async (options: StopOptions) => (await load()).stopMarker(options, terminal));
  addDraftOptions(mark.command('add').description('an interval with its times').argument('[task]', TASK, ''))
    .requiredOption('--from <time>', 'when it began')
    .option('--to <time>', 'when it ended (default: it is open)')
    .action(async (task: string, options: AddOptions) => (await load()).addInterval(task, options, terminal));
}

const TASK = 'a category and a few words, such as "Feature: login"';

function addStoreCommands(mark: Command, terminal: Terminal): void {
  addOriginOptions(mark.command('list').description('the markers, the newest first'))
    .option('-u, --user <name>', 'those of this user and of all users')
    .action(async (options: ListOptions) => (await load()).listMarkers(options, terminal));
  addOriginOptions(
    mark.command('rm').description('remove markers').argument('<ids...>', 'ids or their beginnings'),
  ).action(async (ids: string[], options: MarkOptions) => (await load()).removeMarkers(ids, options, terminal));
  addOriginOptions(
    mark
      .command('import')
      .description('merge the markers of a file: the newer of two wins, nothing is deleted')
      .argument('<file>', 'a marker document or a list of markers as JSON; - reads standard input'),
  ).action(async (file: string, options: MarkOptions) => (await load()).importMarkers(file, options, terminal));
  addOriginOptions(
    mark
      .command('export')
      .description('write all markers as JSON')
      .argument('[file]', 'where (default: standard output)'),
  ).action(async (file: string | undefined, options: MarkOptions) =>
    (await load()).exportMarkers(file, options, terminal),
  );
}

function addReportCommand(dashboard: Command, terminal: Terminal): void {
  dashboard
    .command('report')
    .description('sums of CSV exports by day, model or project')
    .argument('[files...]', "CSV exports; - reads standard input (default: those of the project's data/)")
    .addOption(new Option('--by <group>', 'one line per group').choices(['day', 'model', 'project']).default('day'))
    .addOption(new Option('--format <form>', 'output format').choices(['table', 'json', 'md', 'csv']).default('table'))
    .option('--user <name>', 'only the requests of this user')
    .option('--from <time>', 'from this local time or day on')
    .option('--to <time>', 'up to this local time or day')
    .option('--zone <name>', 'the time zone of days, such as Europe/Berlin (default: that of this machine)')
    .addOption(
      new Option('--cost-basis <basis>', 'which costs count')
        .choices(['reported', 'billed', 'list'])
        .default('reported'),
    )
    .option('--project <folder>', 'the folder with data/ (default: the current one)')
    .option('--agents [names]', 'add the logs of assistants on this machine (default: all: claude,codex,gemini)')
    .option('--prices <file>', 'a price table for these logs (default: the list prices inside)')
    .addHelpText(
      'after',
      `
Costs are informative and no billing statement.

Examples:
  opsdeck dashboard report usage-events.csv --by model
  opsdeck dashboard report data/*.csv --by project --format md
  opsdeck dashboard report --agents --by project
  opsdeck dashboard report --from 2026-05-01 --to 2026-05-31 --format json`,
    )
    .action(async (files: string[], options: ReportOptions) => {
      const { printReport } = await import('./report.ts');
      await printReport(files, options, terminal);
    });
}

/** Adds the commands that work in a terminal, with or without a running dashboard. */
export function addTerminalCommands(dashboard: Command, terminal: Terminal): void {
  addReportCommand(dashboard, terminal);
  const mark = dashboard
    .command('mark')
    .description('intervals labelled with project and task')
    .addHelpText(
      'after',
      `
Examples:
  opsdeck dashboard mark start "Feature: login" --project web
  opsdeck dashboard mark stop
  opsdeck dashboard mark add "Bugfix: totals" --project shop --from 09:00 --to 11:30
  opsdeck dashboard mark export markers.json`,
    );
  addMarkerCommands(mark, terminal);
  addStoreCommands(mark, terminal);
}
