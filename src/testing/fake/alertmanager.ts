import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Command, CommanderError } from 'commander';
import { addTerminalCommands } from '../../alerts/terminal/command.ts';
import { CommandError, ExitCode } from '../../kernel/errors.ts';
import type { Terminal } from '../../kernel/terminal/terminal.ts';

// For tests of terminal commands: a fake server, and the command line without the rest of the program.

export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** The parsed JSON body; undefined without a body. */
  readonly body: unknown;
}

export interface FakeAnswer {
  readonly status?: number;
  /** Sent as JSON; otherwise `text` is sent. */
  readonly json?: unknown;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface FakeAlertmanager {
  readonly url: string;
  readonly requests: readonly RecordedRequest[];
}

/** Listens on the loopback until the end of the test. `never` leaves a request open, `cut` closes its connection. */
export async function startFakeAlertmanager(
  t: { after(action: () => unknown): void },
  answer: (request: RecordedRequest) => FakeAnswer | 'never' | 'cut',
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
    const answered = answer(request);
    if (answered === 'never') return;
    if (answered === 'cut') {
      outgoing.destroy();
      return;
    }
    const type = answered.json === undefined ? {} : { 'content-type': 'application/json' };
    outgoing.writeHead(answered.status ?? 200, { ...type, ...answered.headers });
    outgoing.end(answered.json === undefined ? (answered.text ?? '') : `${JSON.stringify(answered.json)}\n`);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

/** Runs `opsdeck alerts` with these arguments and returns its exit code. */
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
