import { type Command, Option } from 'commander';
import { CommandError, ExitCode } from '../kernel/errors.ts';
import { createLog } from '../kernel/log.ts';
import { giveMemoryBack } from '../kernel/memory.ts';
import { untilStopped } from '../kernel/signals.ts';
import type { Terminal } from '../kernel/terminal/terminal.ts';
import type { RoomsConfig, RoomsFlags } from './config/config.ts';
import { addTerminalCommands } from './terminal/command.ts';

const EXAMPLES = `
Reachable from this machine only, the server needs no sign-in; with --host, --base-url, --allowed-host or --cors-origin for
others it asks for tokens. Behind a proxy set --base-url. The first start with tokens prints one for the admin, unless
OPSDECK_ROOMS_ADMIN_TOKEN holds it. Every flag has a variable (--max-body: OPSDECK_ROOMS_MAX_BODY; --data-dir:
OPSDECK_DATA_DIR) and a key of its name in the --config file; flags override variables, and these the file.
If OPSDECK_ROOMS_METRICS_TOKEN is set, /metrics asks for it as a bearer token.
With --alerts, admins may use the alert server from any room, and members other than guests from the rooms in --alerts-rooms.
OPSDECK_SECRET_KEY encrypts the keys of copilots; without it a key is created in the data directory.

HTTP_PROXY and HTTPS_PROXY are used for --alerts only: addresses of outgoing hooks and copilots are entered by users, and
must not reach this machine or its network. With --outbound-proxy they are resolved and checked here, and requests to public
ones go to the proxy. It resolves names again, so it needs its own rules against private addresses. Put its password into
OPSDECK_ROOMS_OUTBOUND_PROXY or the file, since other users of this machine can see command lines.

Examples:
  opsdeck rooms serve
  opsdeck rooms serve --data-dir /var/lib/opsdeck/rooms --alerts http://127.0.0.1:9093 --alerts-rooms ops
  opsdeck rooms serve --host 0.0.0.0 --base-url https://chat.example.com
  opsdeck rooms serve --config rooms.yml`;

/** `opsdeck rooms …` */
export function addRoomsCommand(program: Command, terminal: Terminal): void {
  const rooms = program
    .command('rooms')
    .description('a chat server with durable messages and copilots, and its client');
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
    .description('start the server, with a page at /')
    .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
    .option('--port <port>', 'port to listen on; 0 for any free port (default: 8065)')
    .option('--data-dir <directory>', 'data directory (default: data/rooms)')
    .addOption(
      new Option(
        '--auth <mode>',
        'none: everybody is an admin, on this machine only; token (default if others can reach the server); insecure-none',
      ).choices(['none', 'token', 'insecure-none']),
    )
    .option('--base-url <url>', 'public address of the server, such as https://chat.example.com')
    .option('--allowed-host <name>', 'further host name of the server; may be repeated', collect)
    .option('--cors-origin <origin>', 'origin whose pages may use the server; may be repeated', collect)
    .option('--config <file>', 'file with these settings, YAML or JSON')
    .option('--alerts <url>', 'alert server for commands such as /silence: http://127.0.0.1:9093')
    .option('--outbound-proxy <url>', 'proxy for outgoing hooks and copilots, in place of HTTP_PROXY; see below')
    .option(
      '--alerts-rooms <rooms>',
      'rooms whose members may use the alert server, such as ops,oncall; elsewhere only admins may; may be repeated',
      collect,
    )
    .option('--max-body <size>', 'maximum size of a message (default: 65536)')
    .option('--upload-max <size>', 'maximum size of a file (default: 25MiB)')
    .option('--retention <duration>', 'how long messages are kept; 0 is for ever (default: 0d)')
    .option('--edit-window <duration>', 'how long users may edit their messages; never, always (default: 24h)')
    .option('--read-only', 'refuse all changes')
    .option('--require-if-match', 'refuse changes without If-Match')
    .option('--no-rate-limits', 'do not limit the requests of users')
    .option('--no-edit-history', 'do not keep earlier versions of edited messages')
    .option('--no-presence', 'do not show which users are online')
    .addOption(
      new Option(
        '--durability <kind>',
        'off: faster, but a power failure may lose acknowledged writes (default: full)',
      ).choices(['full', 'off']),
    )
    .option('--secrets-dir <directory>', 'directory of the keys that copilots read as file:…')
    .option('--node-id <name>', 'name of this server (default: auto)')
    .option('--log-level <level>', 'minimum level of logged lines: debug, info, warn, error (default: info)')
    .option('--log-format <format>', 'log format: logfmt, json (default: logfmt)')
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
