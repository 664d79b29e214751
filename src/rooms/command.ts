import { type Command, Option } from 'commander';
import { CommandError, ExitCode } from '../kernel/errors.ts';
import { createLog } from '../kernel/log.ts';
import { giveMemoryBack } from '../kernel/memory.ts';
import { untilStopped } from '../kernel/signals.ts';
import type { Terminal } from '../kernel/terminal/terminal.ts';
import type { RoomsConfig, RoomsFlags } from './config/config.ts';
import { addTerminalCommands } from './terminal/command.ts';

const EXAMPLES = `
On this machine alone nobody signs in; everybody shows a token where --host, --base-url, --allowed-host or --cors-origin
name another one: behind a proxy give --base-url. The first start with tokens prints one for the admin, unless
OPSDECK_ROOMS_ADMIN_TOKEN holds it. Every flag has a variable (--max-body: OPSDECK_ROOMS_MAX_BODY; --data-dir:
OPSDECK_DATA_DIR) and a key of its name in the --config file; flags stand above variables, and these above the file.
Where OPSDECK_ROOMS_METRICS_TOKEN is set, /metrics asks for it as a bearer token.
With --alerts, admins use the alert server from any room; members of the rooms that --alerts-rooms names, guests apart, do so
there. OPSDECK_SECRET_KEY encrypts the keys of copilots; without it one is made in the data directory.

HTTP_PROXY and HTTPS_PROXY are used for --alerts alone: addresses of outgoing hooks and copilots are entered by users, and
must not reach this machine or its network. With --outbound-proxy they are resolved and checked here, and public ones are
handed to the proxy. It resolves names again, so it needs rules against private addresses of its own. A password for it
belongs in OPSDECK_ROOMS_OUTBOUND_PROXY or the file, since other users of this machine see command lines.

Examples:
  opsdeck rooms serve
  opsdeck rooms serve --data-dir /var/lib/opsdeck/rooms --alerts http://127.0.0.1:9093 --alerts-rooms ops
  opsdeck rooms serve --host 0.0.0.0 --base-url https://chat.example.com
  opsdeck rooms serve --config rooms.yml`;

/** `opsdeck rooms …` */
export function addRoomsCommand(program: Command, terminal: Terminal): void {
  const rooms = program
    .command('rooms')
    .description('rooms and messages that are never lost, live for everyone, with a copilot in the room');
  rooms.addHelpText(
    'after',
    `
Examples:
  opsdeck rooms serve
  opsdeck rooms new Operations --slug ops
  make test 2>&1 | opsdeck rooms say ops --code
  opsdeck rooms tail ops --follow`,
  );
  addServeCommand(rooms, terminal);
  addTerminalCommands(rooms, terminal);
}

function addServeCommand(rooms: Command, terminal: Terminal): void {
  rooms
    .command('serve')
    .description('serve the rooms, with a page at /')
    .option('--host <address>', 'where to listen (default: 127.0.0.1)')
    .option('--port <port>', 'where to listen; 0 for any free port (default: 8065)')
    .option('--data-dir <directory>', 'where everything is kept (default: data/rooms)')
    .addOption(
      new Option(
        '--auth <way>',
        'none: everybody is admin, on this machine alone; token (default where others reach the server); insecure-none',
      ).choices(['none', 'token', 'insecure-none']),
    )
    .option('--base-url <url>', 'how others reach the server, such as https://chat.example.com')
    .option('--allowed-host <name>', 'another name under which it may be asked; may be repeated', collect)
    .option('--cors-origin <origin>', 'pages of this origin may use it; may be repeated', collect)
    .option('--config <file>', 'a file of these settings, YAML or JSON')
    .option('--alerts <url>', 'the alert server for /silence and others, such as http://127.0.0.1:9093')
    .option('--outbound-proxy <url>', 'a proxy for outgoing hooks and copilots, in place of HTTP_PROXY; see below')
    .option(
      '--alerts-rooms <rooms>',
      'rooms whose members may use the alert server, such as ops,oncall; elsewhere admins alone; may be repeated',
      collect,
    )
    .option('--max-body <size>', 'the longest message (default: 65536)')
    .option('--upload-max <size>', 'the largest file (default: 25MiB)')
    .option('--retention <duration>', 'how long messages are kept; 0 is for ever (default: 0d)')
    .option('--edit-window <duration>', 'how long people may edit what they wrote; never, always (default: 24h)')
    .option('--read-only', 'answer, but take nothing')
    .option('--require-if-match', 'refuse changes without If-Match')
    .option('--no-rate-limits', 'let everybody do as much as he likes')
    .option('--no-edit-history', 'forget what stood in a message before an edit')
    .option('--no-presence', 'tell nobody who is there')
    .addOption(
      new Option(
        '--durability <kind>',
        'off: faster, but the power may take what was answered (default: full)',
      ).choices(['full', 'off']),
    )
    .option('--secrets-dir <directory>', 'from where keys of copilots may be read as file:…')
    .option('--node-id <name>', 'how this server calls itself (default: auto)')
    .option('--log-level <level>', 'the least important lines written: debug, info, warn, error (default: info)')
    .option('--log-format <format>', 'the form of a line: logfmt, json (default: logfmt)')
    .addOption(new Option('--database <url>').hideHelp())
    .addHelpText('after', EXAMPLES)
    .action((_flags: unknown, command: Command) => serveRooms(command, terminal));
}

function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

async function serveRooms(command: Command, terminal: Terminal): Promise<void> {
  const { options, logLevel, logFormat, warnings } = await configure(command, terminal);
  const log = createLog({ level: logLevel, format: logFormat, clock: terminal.clock, write: terminal.err });
  for (const warning of warnings) log.warn(warning);
  const stopped = untilStopped();
  const { startRooms } = await import('./server.ts');
  const server = await startRooms(options, terminal.clock, log);
  try {
    if (server.firstToken !== undefined)
      terminal.err(`rooms: the admin's token, shown this once: ${server.firstToken}\n`);
    terminal.out(`rooms: listening on ${server.url} store=sqlite pos=${server.pos}\n`);
    giveMemoryBack(terminal.clock);
    const end = await Promise.race([stopped, server.failed.then(() => 'failed' as const)]);
    if (end === 'failed') throw new CommandError('the storage failed; the log says why', ExitCode.failed);
    log.info('Received a signal to stop, finishing what is under way');
  } finally {
    await server.close();
  }
}

async function configure(command: Command, terminal: Terminal): Promise<RoomsConfig> {
  const { loadConfig } = await import('./config/config.ts');
  const flags = writtenFlags(command);
  const path = flags.config ?? terminal.env.OPSDECK_ROOMS_CONFIG;
  const file =
    typeof path === 'string' && path !== ''
      ? await (await import('./config/config-file.ts')).readConfigFile(path, terminal.readFile)
      : undefined;
  const config = loadConfig(flags, terminal.env, file);
  if (config.ok) return config.value;
  const [first, ...others] = config.problems;
  const text = others.length === 0 ? first : `the configuration is refused:\n  ${config.problems.join('\n  ')}`;
  throw new CommandError(text ?? '', ExitCode.usage);
}

/**
 * Flags by the key of their setting: `--no-presence` is `presence`. Only given flags, since their defaults rank below
 * the environment and the file.
 */
function writtenFlags(command: Command): RoomsFlags {
  return Object.fromEntries(
    command.options.flatMap((option) => {
      const name = option.attributeName();
      if (command.getOptionValueSource(name) !== 'cli') return [];
      return [[option.name().replace(/^no-/, ''), command.getOptionValue(name)]];
    }),
  );
}
