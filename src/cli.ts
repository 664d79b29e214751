import { Chalk } from 'chalk';
import { Command, CommanderError } from 'commander';
import { CommandError, ExitCode } from './kernel/errors.ts';
import type { Terminal } from './kernel/terminal/terminal.ts';

const EXAMPLES = `
Examples:
  opsdeck up                                          every server at once, with a page that links to them
  opsdeck alerts serve --config.file alertmanager.yml
  opsdeck alerts add alertname=DiskFull severity=critical
  opsdeck alerts silence add alertname=DiskFull --duration 2h --comment "replacing the disk"`;

type AddCommand = (program: Command, terminal: Terminal) => unknown;

/** In the order of the help. Definitions are light; what a command needs loads when it runs. */
const COMMANDS: Readonly<Record<string, (subcommand?: string) => Promise<AddCommand>>> = {
  async alerts(subcommand) {
    const { addAlertsCommand } = await import('./alerts/command.ts');
    if (subcommand === 'serve') return addAlertsCommand;
    const { addTerminalCommands } = await import('./alerts/terminal/command.ts');
    return (program, terminal) => addTerminalCommands(addAlertsCommand(program, terminal), terminal);
  },
  relay: async () => (await import('./relay/command.ts')).addRelayCommand,
  dashboard: async () => (await import('./dashboard/command.ts')).addDashboardCommand,
  rooms: async () => (await import('./rooms/command.ts')).addRoomsCommand,
  up: async () => (await import('./hub/command.ts')).addUpCommand,
  service: async () => {
    const { addServiceCommand } = await import('./service/command.ts');
    return (program, terminal) => addServiceCommand(program, terminal, loadProgram);
  },
  completion: async () => {
    const { addCompletionCommand } = await import('./completion/command.ts');
    return (program, terminal) => addCompletionCommand(program, terminal, loadProgram);
  },
};

/** The definitions for a command line: one command's if it is named first, else all. */
function loadCommands(name: string, subcommand?: string): Promise<readonly AddCommand[]> {
  const named = Object.hasOwn(COMMANDS, name) ? [COMMANDS[name]] : Object.values(COMMANDS);
  return Promise.all(named.map((load) => load?.(subcommand)).filter((adding) => adding !== undefined));
}

function createProgram(terminal: Terminal, commands: readonly AddCommand[]): Command {
  const program = new Command('opsdeck')
    .description('Servers for the people who run production, in one executable file.')
    .version(`opsdeck ${OPSDECK_VERSION}`)
    .exitOverride()
    .configureOutput({
      writeOut: terminal.out,
      writeErr: terminal.err,
      getOutHasColors: () => terminal.colors,
      getErrHasColors: () => false,
    })
    .configureHelp({ styleTitle: (title) => new Chalk({ level: terminal.colors ? 1 : 0 }).bold(title) })
    .showHelpAfterError('(--help shows the usage)')
    .addHelpText('after', EXAMPLES);
  for (const addCommand of commands) addCommand(program, terminal);
  return program;
}

async function loadProgram(name: string, terminal: Terminal): Promise<Command> {
  return createProgram(terminal, await loadCommands(name));
}

/** Runs one command line (without `node` and the script) and returns the exit code; never throws for a user's mistake. */
export async function run(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  try {
    const [name = '', subcommand] = args;
    const program = createProgram(terminal, await loadCommands(name, subcommand));
    await program.parseAsync(args, { from: 'user' });
    return ExitCode.done;
  } catch (error) {
    // Commander has already reported the error; help and version also end in this way, with code 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.done : ExitCode.usage;
    if (!(error instanceof CommandError)) throw error;
    if (error.message) terminal.err(`opsdeck: ${error.message}\n`);
    return error.exitCode;
  }
}
