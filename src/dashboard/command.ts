import type { Command } from 'commander';
import { createLog } from '../kernel/log.ts';
import { giveMemoryBack } from '../kernel/memory.ts';
import { boolean } from '../kernel/settings/kind.ts';
import { refuseConfig, setting } from '../kernel/settings/settings.ts';
import { untilStopped } from '../kernel/signals.ts';
import { announceStart } from '../kernel/supervisor.ts';
import { addSettings, LOG_SETTINGS, readFlags, writtenFlags } from '../kernel/terminal/flags.ts';
import type { Terminal } from '../kernel/terminal/terminal.ts';
import { SETTINGS } from './config/settings.ts';
import { addTerminalCommands } from './terminal/command.ts';

const EXAMPLES = `
Without data it shows a sample. CSV exports lie in the project's data/, markers in data/project-markers.json. Variables are
read from the environment, then from the project's .env; there are also USAGE_EVENTS_CACHE_TTL (seconds, default: 120),
USAGE_SESSION_TOKEN_<USER>, USER_TOKENS, USAGE_EMAIL_<USER>, USAGE_SESSION_COOKIE and USAGE_WEB_ALLOWED_HOSTS. Upstream,
cookie and hosts of a .env are used only with tokens of the same file. Web content of the project is served if other users
of this machine can read it.

Examples:
  opsdeck dashboard serve --open
  opsdeck dashboard serve --project ~/usage --port 8061
  opsdeck dashboard serve --agents --open
  USAGE_SESSION_TOKEN_INFO=… opsdeck dashboard serve --users info`;

const COMMAND_SETTINGS = {
  open: setting('--open', boolean, 'open the page in the browser'),
  ...LOG_SETTINGS,
};

/** `opsdeck dashboard …` */
export function addDashboardCommand(program: Command, terminal: Terminal): void {
  const dashboard = program
    .command('dashboard')
    .description('what an AI coding assistant was asked, and what it cost: charts from CSV exports or live');
  dashboard.addHelpText(
    'after',
    '\nExamples:\n  opsdeck dashboard serve --open\n  opsdeck dashboard report usage-events.csv --by model',
  );
  const serve = dashboard.command('serve').description('serve the dashboard on this machine');
  addSettings(serve, { ...SETTINGS, ...COMMAND_SETTINGS })
    .addHelpText('after', EXAMPLES)
    .action(() => serveDashboard(serve, terminal));
  addTerminalCommands(dashboard, terminal);
}

async function serveDashboard(command: Command, terminal: Terminal): Promise<void> {
  const { open, logLevel: level, logFormat: format } = readFlags(command, COMMAND_SETTINGS);
  const { loadConfig } = await import('./config/config.ts');
  const config = loadConfig(writtenFlags(command, SETTINGS), terminal.env);
  if (!config.ok) throw refuseConfig(config.problems);
  const { options, warnings } = config.value;
  const log = createLog({ level, format, clock: terminal.clock, write: terminal.err });
  for (const warning of warnings) log.warn(warning);
  const stopped = untilStopped();
  const { startDashboard } = await import('./server.ts');
  const server = await startDashboard(options, terminal.clock, log);
  giveMemoryBack(terminal.clock);
  announceStart(terminal);
  try {
    terminal.out(`Dashboard: ${server.url}/analytics\n`);
    if (open) await openPage(`${server.url}/analytics`, terminal);
    await stopped;
  } finally {
    await server.close();
  }
}

async function openPage(url: string, terminal: Terminal): Promise<void> {
  const { openBrowser } = await import('./terminal/browser.ts');
  if (!(await openBrowser(url))) terminal.err(`opsdeck: no browser could be opened; the address is ${url}\n`);
}
