import type { Command } from 'commander';
import { CommandError, ExitCode } from '../kernel/errors.ts';
import { createLog } from '../kernel/log.ts';
import { giveMemoryBack } from '../kernel/memory.ts';
import { flagLayer, readSettings, refuseConfig, variableLayer } from '../kernel/settings/settings.ts';
import { untilStopped } from '../kernel/signals.ts';
import { announceStart } from '../kernel/supervisor.ts';
import { addSettings, writtenFlags } from '../kernel/terminal/flags.ts';
import type { Terminal } from '../kernel/terminal/terminal.ts';
import type { RoomsConfig } from './config/config.ts';
import { CONFIG_FILE, SETTINGS } from './config/settings.ts';
import { addTerminalCommands } from './terminal/command.ts';

const EXAMPLES = `
Reachable from this machine only, the server needs no sign-in; with --host, --base-url, --allowed-host or --cors-origin for
others it asks for tokens. Behind a proxy set --base-url. The first start with tokens prints one for the admin, unless
OPSDECK_ROOMS_ADMIN_TOKEN holds it. Every setting but --config is also a key of the configuration file, under the name of its
flag (--no-presence is presence); flags override variables, and these the file.
If OPSDECK_ROOMS_METRICS_TOKEN is set, /metrics asks for it as a bearer token.
With --alerts, --relay and --dashboard, admins may use these servers from any room, and members other than guests from the
rooms in --alerts-rooms. OPSDECK_ROOMS_RELAY_KEY is an SDK key of the relay's environment.
OPSDECK_SECRET_KEY encrypts the keys of copilots; without it a key is created in the data directory, or in the database.

With --storage-url of a PostgreSQL database several servers behind any load balancer are one: each shows at once what was
written through another. Put the URL, with its password, into OPSDECK_STORAGE_URL, which is also that of alert servers.

HTTP_PROXY and HTTPS_PROXY are used for these three only: addresses of outgoing hooks and copilots are entered by users, and
must not reach this machine or its network. With --outbound-proxy they are resolved and checked here, and requests to public
ones go to the proxy. It resolves names again, so it needs its own rules against private addresses. Put its password into
OPSDECK_ROOMS_OUTBOUND_PROXY or the file, since other users of this machine can see command lines.

Examples:
  opsdeck rooms serve
  opsdeck rooms serve --data-dir /var/lib/opsdeck/rooms --alerts http://127.0.0.1:9093 --alerts-rooms ops
  OPSDECK_STORAGE_URL=postgres://opsdeck:secret@db/opsdeck opsdeck rooms serve
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
  const serve = rooms.command('serve').description('start the server, with a page at /');
  addSettings(serve, { ...CONFIG_FILE, ...SETTINGS })
    .addHelpText('after', EXAMPLES)
    .action(() => serveRooms(serve, terminal));
}

async function serveRooms(command: Command, terminal: Terminal): Promise<void> {
  const { options, logLevel, logFormat, warnings } = await configure(command, terminal);
  // The list of processes shows arguments to all users of the machine, and the URL may contain a password.
  if (options.storageUrl !== undefined) process.title = 'opsdeck rooms serve';
  const log = createLog({ level: logLevel, format: logFormat, clock: terminal.clock, write: terminal.err });
  for (const warning of warnings) log.warn(warning);
  const stopped = untilStopped();
  const { startRooms } = await import('./server.ts');
  const server = await startRooms(options, terminal.clock, log);
  try {
    if (server.firstToken !== undefined)
      terminal.err(`rooms: the admin's token, shown this once: ${server.firstToken}\n`);
    terminal.out(`rooms: listening on ${server.url} store=${server.storage} pos=${server.pos}\n`);
    giveMemoryBack(terminal.clock);
    announceStart(terminal);
    const end = await Promise.race([stopped, server.failed.then(() => 'failed' as const)]);
    if (end === 'failed') throw new CommandError('the storage failed; the log says why', ExitCode.failed);
    log.info('Received a signal to stop, finishing what is under way');
  } finally {
    await server.close();
  }
}

async function configure(command: Command, { env, readFile }: Terminal): Promise<RoomsConfig> {
  const layers = [variableLayer((name) => env[name]), flagLayer(writtenFlags(command, CONFIG_FILE))];
  const path = readSettings(CONFIG_FILE, layers, []).config?.value;
  const file = path ? await (await import('./config/config-file.ts')).readConfigFile(path, readFile) : undefined;
  const { loadConfig } = await import('./config/config.ts');
  const config = loadConfig(writtenFlags(command, SETTINGS), env, file);
  if (!config.ok) throw refuseConfig(config.problems);
  return config.value;
}
