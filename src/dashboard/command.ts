import { type Command, Option } from 'commander';
import { CommandError, ExitCode } from '../kernel/errors.ts';
import { createLog, LOG_FORMATS, LOG_LEVELS, type LogFormat, type LogLevel } from '../kernel/log.ts';
import { untilStopped } from '../kernel/signals.ts';
import type { Terminal } from '../kernel/terminal/terminal.ts';
import type { DashboardFlags } from './config/config.ts';
import { addTerminalCommands } from './terminal/command.ts';

const EXAMPLES = `
Without any data it shows a sample. CSV exports lie in the project's data/, markers in data/project-markers.json. The
environment, and below it the project's .env, may hold USAGE_WEB_HOST, USAGE_WEB_PORT, USAGE_EVENTS_CACHE_TTL (seconds),
USAGE_UPSTREAM_URL, USAGE_USERS, USAGE_SESSION_TOKEN_<USER>, USER_TOKENS, USAGE_EMAIL_<USER>, USAGE_SESSION_COOKIE and
USAGE_WEB_ALLOWED_HOSTS. What .env says of upstream, cookie and hosts goes with tokens of the same file alone. Web content
of the project is served, if other users of this machine can read it.

Examples:
  opsdeck dashboard serve --open
  opsdeck dashboard serve --project ~/usage --port 8061
  USAGE_SESSION_TOKEN_INFO=… opsdeck dashboard serve --users info`;

interface ServeFlags extends DashboardFlags {
  readonly open?: boolean;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
}

/** `opsdeck dashboard …` */
export function addDashboardCommand(program: Command, terminal: Terminal): void {
  const dashboard = program
    .command('dashboard')
    .description('what an AI coding assistant was asked, and what it cost: charts from CSV exports or live');
  dashboard.addHelpText(
    'after',
    '\nExamples:\n  opsdeck dashboard serve --open\n  opsdeck dashboard report usage-events.csv --by model',
  );
  dashboard
    .command('serve')
    .description('serve the dashboard on this machine')
    .option('--host <address>', 'where to listen (default: USAGE_WEB_HOST, else 127.0.0.1)')
    .option('--port <port>', 'where to listen; 0 for any free port (default: USAGE_WEB_PORT, else 8060)')
    .option('--project <folder>', 'the folder whose data/ and .env are used (default: the current one)')
    .option(
      '--upstream-url <url>',
      'where live usage comes from (default: USAGE_UPSTREAM_URL, else https://cursor.com)',
    )
    .option('--users <names>', 'whose usage it is, such as info,slope (default: USAGE_USERS, else info,slope)')
    .option('--allow-remote', 'let other machines in; whoever reaches the port reads everything')
    .option('--open', 'open the page in the browser')
    .addOption(
      new Option('--log-level <level>', 'the least important lines written').choices(LOG_LEVELS).default('info'),
    )
    .addOption(new Option('--log-format <format>', 'the form of a line').choices(LOG_FORMATS).default('logfmt'))
    .addHelpText('after', EXAMPLES)
    .action((flags: ServeFlags) => serveDashboard(flags, terminal));
  addTerminalCommands(dashboard, terminal);
}

async function serveDashboard(flags: ServeFlags, terminal: Terminal): Promise<void> {
  const { loadConfig } = await import('./config/config.ts');
  const config = loadConfig(flags, terminal.env);
  if (!config.ok) throw refuseConfig(config.problems);
  const { clock } = terminal;
  const log = createLog({ level: flags.logLevel, format: flags.logFormat, clock, write: terminal.err });
  for (const warning of config.warnings) log.warn(warning);
  const stopped = untilStopped();
  const { startDashboard } = await import('./server.ts');
  const server = await startDashboard(config.options, clock, log);
  try {
    terminal.out(`Dashboard: ${server.url}/analytics\n`);
    if (flags.open) await openPage(`${server.url}/analytics`, terminal);
    await stopped;
  } finally {
    await server.close();
  }
}

function refuseConfig(problems: readonly string[]): CommandError {
  const [first, ...others] = problems;
  const text = others.length === 0 ? first : `the configuration is refused:\n  ${problems.join('\n  ')}`;
  return new CommandError(text ?? '', ExitCode.usage);
}

async function openPage(url: string, terminal: Terminal): Promise<void> {
  const { openBrowser } = await import('./terminal/browser.ts');
  if (!(await openBrowser(url))) terminal.err(`opsdeck: no browser could be opened; the address is ${url}\n`);
}
