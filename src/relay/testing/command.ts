import { Command, CommanderError } from 'commander';
import { CommandError, ExitCode } from '../../kernel/errors.ts';
import type { Terminal } from '../../kernel/terminal/terminal.ts';
import { addRelayCommand } from '../command.ts';

/** Runs `opsdeck relay` with these arguments and returns its exit code. */
export async function runRelay(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const program = new Command('opsdeck').exitOverride().configureOutput({
    writeOut: terminal.out,
    writeErr: terminal.err,
    getOutHasColors: () => terminal.colors,
    getErrHasColors: () => false,
  });
  addRelayCommand(program, terminal);
  try {
    await program.parseAsync(['relay', ...args], { from: 'user' });
    return ExitCode.done;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.done : ExitCode.usage;
    if (!(error instanceof CommandError)) throw error;
    terminal.err(`opsdeck: ${error.message}\n`);
    return error.exitCode;
  }
}
