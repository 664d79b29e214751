import { systemTerminal } from '../src/kernel/terminal/terminal.ts';
import { currentThread } from '../src/kernel/threads/thread.ts';

/** Reports an uncaught error in one line, with its stack only on demand, since a minified line is half a megabyte long. */
function die(error: unknown): never {
  const detail = error instanceof Error ? (process.env.OPSDECK_DEBUG ? error.stack : error.message) : String(error);
  process.stderr.write(`opsdeck: unexpected failure: ${String(detail).slice(0, 4000)}\n`);
  process.exit(1);
}

/** The time in which the process may end by itself after the command. */
const LINGER_MS = 500;

/** A connection that was abandoned while it opened would keep the process alive for seconds. */
function endLingering(): void {
  if (process.stdout.writableLength === 0) process.exit();
}

function runProgram(args: readonly string[]): void {
  process.on('uncaughtException', die);
  process.on('unhandledRejection', die);
  // `opsdeck … | head` closes our output early, which is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => (error.code === 'EPIPE' ? process.exit(0) : die(error)));
  import('../src/cli.ts')
    .then(({ run }) => run(args, systemTerminal))
    .then((code) => {
      process.exitCode = code;
      systemTerminal.clock.after(LINGER_MS, endLingering);
    }, die);
}

const args = process.argv.slice(2);
const part = currentThread();
if (part) {
  // An uncaught error ends the thread, and is passed to its starter.
  void import('../src/parts.ts').then(({ runPart }) => runPart(part.name, part.port, part.options));
} else {
  runProgram(args);
}
