import { systemTerminal } from '../src/kernel/terminal.ts';

/** A minified line is half a megabyte long: whatever escapes is told in one line, with the stack only on demand. */
function die(error: unknown): never {
  const detail = error instanceof Error ? (process.env.OPSDECK_DEBUG ? error.stack : error.message) : String(error);
  process.stderr.write(`opsdeck: unexpected failure: ${String(detail).slice(0, 4000)}\n`);
  process.exit(1);
}
process.on('uncaughtException', die);
process.on('unhandledRejection', die);
// `opsdeck … | head` closes our output early, which is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => (error.code === 'EPIPE' ? process.exit(0) : die(error)));

const args = process.argv.slice(2);
if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  process.stdout.write(`opsdeck ${OPSDECK_VERSION}\n`);
} else {
  import('../src/cli.ts')
    .then(({ run }) => run(args, systemTerminal))
    .then((code) => {
      process.exitCode = code;
    }, die);
}
