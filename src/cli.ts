import { Chalk } from 'chalk';
import { Command, CommanderError } from 'commander';
import { addAlertsCommand } from './alerts/command.ts';
import { addDashboardCommand } from './dashboard/command.ts';
import { addUpCommand } from './hub/command.ts';
import { CommandError, ExitCode } from './kernel/errors.ts';
import type { Terminal } from './kernel/terminal/terminal.ts';
import { addRelayCommand } from './relay/command.ts';
import { addRoomsCommand } from './rooms/command.ts';

const EXAMPLES = `
Examples:
  opsdeck up                                          every server at once, with a page that links to them
  opsdeck alerts serve --config.file alertmanager.yml
  opsdeck alerts add alertname=DiskFull severity=critical
  opsdeck alerts silence add alertname=DiskFull --duration 2h --comment "replacing the disk"`;

/** The whole command line, bound to a terminal. Definitions are light; what a command needs loads when it runs. */
export function createProgram(terminal: Terminal): Command {
  const { bold } = new Chalk({ level: terminal.colors ? 1 : 0 });
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
    .configureHelp({ styleTitle: (title) => bold(title) })
    .showHelpAfterError('(--help shows the usage)')
    .addHelpText('after', EXAMPLES);
  addAlertsCommand(program, terminal);
  addRelayCommand(program, terminal);
  addDashboardCommand(program, terminal);
  addRoomsCommand(program, terminal);
  addUpCommand(program, terminal);
  return program;
}

/** Runs one command line (without `node` and the script) and returns the exit code; never throws for a user's mistake. */
export async function run(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  try {
    await createProgram(terminal).parseAsync(args, { from: 'user' });
    return ExitCode.done;
  } catch (error) {
    // Commander has already told what is wrong; help and version end by the same way, with code 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.done : ExitCode.usage;
    if (!(error instanceof CommandError)) throw error;
    if (error.message) terminal.err(`opsdeck: ${error.message}\n`);
    return error.exitCode;
  }
}
