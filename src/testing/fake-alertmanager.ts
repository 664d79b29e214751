import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Command, CommanderError } from 'commander';
import { addTerminalCommands } from '../alerts/terminal/command.ts';
import { CommandError, ExitCode } from '../kernel/errors.ts';
import type { Terminal } from '../kernel/terminal/terminal.ts';

// For the tests of the terminal's commands: a server that answers as told, and the command line without the rest of the program.

export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** The parsed JSON body; undefined when there was none. */
  readonly body: unknown;
}

export interface ToldAnswer {
  readonly status?: number;
  /** Sent as JSON; without it, `text` is sent as it is. */
  readonly json?: unknown;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface FakeAlertmanager {
  readonly url: string;
  readonly requests: readonly RecordedRequest[];
}

/** Listens on loopback until the test is over. `never` leaves a request open, `cut` ends its connection. */
export async function startFakeAlertmanager(
  t: { after(action: () => unknown): void },
  answer: (request: RecordedRequest) => ToldAnswer | 'never' | 'cut',
): Promise<FakeAlertmanager> {
  const requests: RecordedRequest[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://fake');
    const body = await text(incoming);
    const request = {
      method: incoming.method ?? '',
      path: pathname,
      query: searchParams,
      headers: incoming.headers,
      body: body ? JSON.parse(body) : undefined,
    };
    requests.push(request);
    const told = answer(request);
    if (told === 'never') return;
    if (told === 'cut') {
      outgoing.destroy();
      return;
    }
    const type = told.json === undefined ? {} : { 'content-type': 'application/json' };
    outgoing.writeHead(told.status ?? 200, { ...type, ...told.headers });
    outgoing.end(told.json === undefined ? (told.text ?? '') : `${JSON.stringify(told.json)}\n`);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

/** Runs `opsdeck alerts` with the given arguments, as the program does, and returns its exit code. */
export async function runAlerts(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const program = new Command('opsdeck').exitOverride().configureOutput({
    writeOut: terminal.out,
    writeErr: terminal.err,
    getOutHasColors: () => terminal.colors,
    getErrHasColors: () => false,
  });
  addTerminalCommands(program.command('alerts'), terminal);
  try {
    await program.parseAsync(['alerts', ...args], { from: 'user' });
    return ExitCode.done;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.done : ExitCode.usage;
    if (!(error instanceof CommandError)) throw error;
    terminal.err(`opsdeck: ${error.message}\n`);
    return error.exitCode;
  }
}
