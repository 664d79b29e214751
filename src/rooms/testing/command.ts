// `opsdeck rooms` as from a shell, in this process, against rooms that listen.
import { Command, CommanderError } from 'commander';
import { systemClock } from '../../kernel/clock.ts';
import { CommandError, ExitCode } from '../../kernel/errors.ts';
import { listen } from '../../kernel/http/server.ts';
import { FakeTerminal } from '../../testing/fake/terminal.ts';
import type { Cleanup } from '../../testing/processes.ts';
import { addRoomsCommand } from '../command.ts';
import { openTestRooms, type TestRooms, type TestRoomsOptions } from './app.ts';

/** Runs one command line, and returns its exit code. */
export async function runRooms(args: readonly string[], terminal: FakeTerminal): Promise<ExitCode> {
  const program = new Command('opsdeck').exitOverride().configureOutput({
    writeOut: terminal.out,
    writeErr: terminal.err,
    getOutHasColors: () => terminal.colors,
    getErrHasColors: () => false,
  });
  addRoomsCommand(program, terminal);
  try {
    await program.parseAsync(['rooms', ...args], { from: 'user' });
    return ExitCode.done;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.done : ExitCode.usage;
    if (!(error instanceof CommandError)) throw error;
    if (error.message) terminal.err(`opsdeck: ${error.message}\n`);
    return error.exitCode;
  }
}

export interface CommandResult {
  readonly code: ExitCode;
  readonly out: string;
  readonly err: string;
}

export interface RunParts {
  /** `OPSDECK_ROOMS_USER`; ana by default. */
  readonly as?: string;
  readonly stdin?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
}

export interface ListeningRooms extends TestRooms {
  readonly url: string;
  /** Runs a command of `opsdeck rooms` on this server. */
  run(args: readonly string[], parts?: RunParts): Promise<CommandResult>;
  /** As `run`; a failing command throws with its output. Returns its output without the last line end. */
  done(args: readonly string[], parts?: RunParts): Promise<string>;
}

/** A terminal for tests, with the real time. */
export function commandTerminal(url: string, { as = 'ana', stdin = '', env = {} }: RunParts = {}): FakeTerminal {
  const terminal = Object.assign(new FakeTerminal(), { clock: systemClock as unknown as FakeTerminal['clock'] });
  terminal.env = { HOME: '/nowhere', OPSDECK_ROOMS_URL: url, OPSDECK_ROOMS_USER: as, ...env };
  terminal.input = stdin;
  return terminal;
}

/** Composed rooms that listen on a free port until the test ends. */
export async function listeningRooms(t: Cleanup, options: TestRoomsOptions = {}): Promise<ListeningRooms> {
  const rooms = await openTestRooms(t, options);
  const { app, endStreams } = rooms.rooms;
  const addresses = [{ host: '127.0.0.1', port: 0 }];
  const listener = await listen({ fetch: app.fetch, addresses, clock: systemClock, endStreams });
  t.after(() => listener.close(0));
  rooms.rooms.listensAt(listener.url);
  const run: ListeningRooms['run'] = async (args, parts) => {
    const terminal = commandTerminal(listener.url, parts);
    const code = await runRooms(args, terminal);
    return { code, out: terminal.stdout, err: terminal.stderr };
  };
  return {
    ...rooms,
    url: listener.url,
    run,
    async done(args, parts) {
      const { code, out, err } = await run(args, parts);
      if (code !== ExitCode.done) throw new Error(`rooms ${args.join(' ')} ended with ${code}: ${err}`);
      return out.replace(/\n$/, '');
    },
  };
}
