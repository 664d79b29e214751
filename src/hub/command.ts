import type { Command } from 'commander';
import type { Clock } from '../kernel/clock.ts';
import type { Deck } from '../kernel/deck/deck.ts';
import { CommandError, messageOf } from '../kernel/errors.ts';
import type { ListenAddress } from '../kernel/http/listen-address.ts';
import { createLog, LOG_LEVELS, type Log } from '../kernel/log.ts';
import { giveMemoryBack } from '../kernel/memory.ts';
import { anyText, duration, listenAddress, oneOf, optional } from '../kernel/settings/kind.ts';
import { refuseConfig, setting, type Values } from '../kernel/settings/settings.ts';
import { untilStopped } from '../kernel/signals.ts';
import { announceStart } from '../kernel/supervisor.ts';
import { addSettings, LOG_SETTINGS, readFlags } from '../kernel/terminal/flags.ts';
import { formatTable } from '../kernel/terminal/table.ts';
import type { Terminal } from '../kernel/terminal/terminal.ts';
import type { FlagsSummary } from './contract.ts';
import { alertsExample, dashboardExample, relayExample, roomsExample } from './examples.ts';
import { OwnSites } from './own-sites.ts';
import { holdsUsage, makeProject, stateFolderOf } from './project.ts';
import { type DescribedServer, UpDeck } from './up-deck.ts';

const EXAMPLES = `
Examples:
  opsdeck up
  opsdeck up --data-dir /var/lib/opsdeck`;

const SETTINGS = {
  dataDir: setting(
    '--data-dir <directory>',
    anyText,
    'where the servers keep their state, each in a folder of its own',
    {
      default: 'data',
    },
  ),
  storageUrl: setting(
    '--storage-url <url>',
    optional(anyText),
    'postgres://user:password@host/database: alerts and rooms lie there, shared by all servers with this URL',
    { variable: 'OPSDECK_STORAGE_URL', isSecret: true },
  ),
  storageWaitMs: setting('--storage-wait <duration>', duration, 'how long to wait for that database at the start', {
    default: '30s',
  }),
  hubAddress: setting('--hub-address <address>', listenAddress, 'where the page listens', {
    default: '127.0.0.1:8075',
  }),
  alertsAddress: setting('--alerts-address <address>', listenAddress, 'where the alert server listens', {
    default: '127.0.0.1:9093',
  }),
  relayAddress: setting('--relay-address <address>', listenAddress, 'where the flag relay listens', {
    default: '127.0.0.1:8030',
  }),
  dashboardAddress: setting('--dashboard-address <address>', listenAddress, 'where the usage dashboard listens', {
    default: '127.0.0.1:8060',
  }),
  project: setting(
    '--project <directory>',
    anyText,
    'the folder that the dashboard shows: its data/, and web pages in it',
    { otherwise: 'dashboard/ in the data directory' },
  ),
  roomsAddress: setting('--rooms-address <address>', listenAddress, 'where the rooms listen', {
    default: '127.0.0.1:8065',
  }),
  flags: setting('--flags <path>', anyText, 'a file or folder of flags for the relay to serve', {
    otherwise: 'a sample',
  }),
  ...LOG_SETTINGS,
  // The addresses are the news of a start by hand.
  logLevel: setting('--log-level <level>', oneOf(LOG_LEVELS), 'the least important lines written', {
    otherwise: 'warn on a terminal, else info',
  }),
};

type UpFlags = Values<typeof SETTINGS>;

/** `opsdeck up` */
export function addUpCommand(program: Command, terminal: Terminal): void {
  const up = program.command('up').description('start every server on its defaults, with a page that links to them');
  addSettings(up, SETTINGS)
    .addHelpText('after', EXAMPLES)
    .action(() => startAll(readFlags(up, SETTINGS, terminal.env), terminal));
}

/** A running server. */
interface RunningServer {
  readonly described: DescribedServer;
  /** Resolves when the server can no longer work. */
  readonly failed?: Promise<void>;
  reload?(): void;
  close(): Promise<void>;
}

const NEVER = new Promise<never>(() => {});

async function startAll(flags: UpFlags, terminal: Terminal): Promise<void> {
  const { clock } = terminal;
  // The list of processes shows arguments to all users of the machine, and the URL may contain a password.
  if (flags.storageUrl !== undefined) process.title = 'opsdeck up';
  const level = flags.logLevel ?? (terminal.isLogSeen ? 'warn' : 'info');
  const log = createLog({ level, format: flags.logFormat, clock, write: terminal.err });
  const servers: RunningServer[] = [];
  const stopped = untilStopped(() => {
    for (const server of servers) server.reload?.();
  });
  try {
    const hub = await startServers(flags, servers, terminal, log);
    terminal.out(`opsdeck is up${hub ? `: ${hub.url}/` : ', without its page:'}\n`);
    terminal.out(formatTable(servers.map(({ described: { title, url } }) => [`  ${title}`, url])));
    giveMemoryBack(clock);
    announceStart(terminal);
    const failed = servers.map(({ described: { name }, failed }) => failed?.then(() => name) ?? NEVER);
    const failedServer = await Promise.race([stopped, ...failed]);
    await hub?.close();
    if (failedServer) throw new CommandError(`the storage of the ${failedServer} failed; the log says why`);
  } finally {
    await Promise.all(servers.map((server) => server.close()));
  }
}

/** Adds the servers to the list as they start. A server whose port is taken is left out; undefined: the hub is. */
async function startServers(flags: UpFlags, servers: RunningServer[], terminal: Terminal, log: Log) {
  const { clock } = terminal;
  const sites = new OwnSites();
  const deck = new UpDeck(() => servers.map(({ described }) => described));
  const start = async <S extends RunningServer>(name: string, address: ListenAddress, begin: () => Promise<S>) => {
    if (!(await isFree(name, address, terminal))) return undefined;
    const server = await begin();
    servers.push(server);
    sites.add(server.described.url);
    return server;
  };
  const alerts = await start('alerts', flags.alertsAddress, () => startAlerts(flags, sites, deck.read, clock, log));
  const relay = await start('relay', flags.relayAddress, () => startRelay(flags, sites, deck.read, terminal, log));
  const dashboard = await start('dashboard', flags.dashboardAddress, () =>
    startDashboard(flags, deck.read, terminal, log),
  );
  const peers = { alerts: originOf(alerts), relay: originOf(relay), dashboard: originOf(dashboard) };
  const allPeers = { ...peers, relayKey: relay?.sdkKey };
  await start('rooms', flags.roomsAddress, () => startRooms(flags, allPeers, deck.read, terminal, log));
  if (servers.length === 0) throw new CommandError('no server could be started');
  const { hubAddress: address } = flags;
  if (!(await isFree('hub', address, terminal))) return undefined;
  const { startHub } = await import('./server.ts');
  const hub = await startHub(deck, { address, site: sites.rulesFor(address, '--hub-address') }, clock, log);
  sites.add(hub.url);
  deck.hubUrl = `${hub.url}/`;
  return hub;
}

/** Whether a server can listen at its address; if not, reports it with the flag that changes it. */
async function isFree(name: string, address: ListenAddress, { err }: Terminal): Promise<boolean> {
  const { requireFree } = await import('../kernel/http/server.ts');
  try {
    await requireFree(address);
    return true;
  } catch (error) {
    err(`opsdeck: the ${name} server is not started: ${messageOf(error)} (--${name}-address)\n`);
    return false;
  }
}

async function startAlerts(
  flags: UpFlags,
  sites: OwnSites,
  deck: Deck,
  clock: Clock,
  log: Log,
): Promise<RunningServer> {
  const { ALERT_SERVER_DEFAULTS } = await import('../alerts/config/server-options.ts');
  const { startAlertServer } = await import('../alerts/server.ts');
  const options = {
    ...ALERT_SERVER_DEFAULTS,
    site: sites.rulesFor(flags.alertsAddress, '--alerts-address'),
    listenAddresses: [flags.alertsAddress],
    storagePath: stateFolderOf(flags.dataDir, 'alerts'),
    importPath: flags.dataDir,
    storageUrl: flags.storageUrl,
    storageWaitMs: flags.storageWaitMs,
  };
  const server = await startAlertServer(options, clock, log, deck);
  return {
    described: {
      name: 'alerts',
      title: 'Alerts',
      url: server.url,
      example: () => alertsExample(server.url),
      state: () => server.state(),
      summary: () => server.summary(),
    },
    reload: () => void server.reload(),
    close: () => server.close(),
  };
}

interface RunningRelay extends RunningServer {
  /** Of its first environment. */
  readonly sdkKey: string | undefined;
}

async function startRelay(
  flags: UpFlags,
  sites: OwnSites,
  deck: Deck,
  terminal: Terminal,
  log: Log,
): Promise<RunningRelay> {
  const { loadConfig, systemFiles } = await import('../relay/config/config-source.ts');
  // The environment is used only for the folder of the user's keys: `up` runs on defaults.
  const config = loadConfig({ flags: flags.flags }, {}, systemFiles(terminal.env));
  if (!config.ok) throw refuseConfig(config.problems);
  const { host, port } = flags.relayAddress;
  // Its clients are pages of any origin, also under development.
  const site = { ...sites.rulesFor(flags.relayAddress, '--relay-address'), allowsOrigin: undefined };
  const relay = await import('../relay/server.ts');
  const options = { ...config.value.options, host, port, site, workers: 1 };
  const server = await relay.startRelay(options, terminal.clock, log, deck);
  return {
    described: {
      name: 'relay',
      title: 'Flags',
      url: `${server.url}/`,
      example: () => relayExample(server.url, firstFlag(server)),
      state: () => server.state(),
      summary: () => summarizeFlags(server),
    },
    sdkKey: config.value.options.environments[0]?.sdkKey,
    reload: () => void server.reload(options),
    close: () => server.close(),
  };
}

async function startDashboard(flags: UpFlags, deck: Deck, terminal: Terminal, log: Log): Promise<RunningServer> {
  const { loadConfig } = await import('../dashboard/config/config.ts');
  const { host = '0.0.0.0', port } = flags.dashboardAddress;
  const project = flags.project ?? makeProject(stateFolderOf(flags.dataDir, 'dashboard'));
  const config = loadConfig({ host, port: String(port), project }, terminal.env);
  if (!config.ok) throw refuseConfig(config.problems);
  const { options, warnings } = config.value;
  for (const warning of warnings) log.warn(warning);
  if (flags.project === undefined && holdsUsage('data'))
    log.warn('the dashboard shows a folder of its own: for the usage in ./data add --project .', { project });
  const dashboard = await import('../dashboard/server.ts');
  const others = [
    stateFolderOf(flags.dataDir, 'alerts'),
    stateFolderOf(flags.dataDir, 'rooms'),
    ...(flags.flags ? [flags.flags] : []),
  ];
  const withheld = [...options.withheld, ...others];
  const server = await dashboard.startDashboard({ ...options, withheld }, terminal.clock, log, deck);
  return {
    described: {
      name: 'dashboard',
      title: 'Usage',
      url: `${server.url}/analytics`,
      example: () => dashboardExample(server.url),
      state: () => 'ready',
      summary: () => server.summary(),
    },
    close: () => server.close(),
  };
}

type Relay = Awaited<ReturnType<typeof import('../relay/server.ts').startRelay>>;

const firstFlag = ({ environments }: Relay): string => environments[0]?.store.flags()[0]?.flag.key ?? 'new-checkout';

function summarizeFlags({ environments }: Relay): FlagsSummary {
  const flags = environments.flatMap(({ store }) => store.flags());
  return {
    kind: 'relay',
    flags: flags.length,
    on: flags.filter(({ flag }) => flag.on).length,
    sources: environments.map(({ options: { name }, connection: { state } }) => ({ environment: name, state })),
  };
}

const originOf = (server: RunningServer | undefined) => server && new URL(server.described.url).origin;

/** The addresses of the other servers that run. */
interface RoomsPeers {
  readonly alerts: string | undefined;
  readonly relay: string | undefined;
  readonly relayKey: string | undefined;
  readonly dashboard: string | undefined;
}

/** Slash commands of the rooms use the other servers of this process. */
async function startRooms(
  flags: UpFlags,
  { relayKey, ...peers }: RoomsPeers,
  deck: Deck,
  { clock, env, err }: Terminal,
  log: Log,
): Promise<RunningServer> {
  const { loadConfig } = await import('../rooms/config/config.ts');
  const { host = '0.0.0.0', port } = flags.roomsAddress;
  const { relay, ...others } = peers;
  const asked = relayKey === undefined ? others : { ...others, relay };
  const { storageUrl, storageWaitMs } = flags;
  const storage =
    storageUrl === undefined
      ? { 'data-dir': stateFolderOf(flags.dataDir, 'rooms') }
      : { 'storage-url': storageUrl, 'storage-wait': `${storageWaitMs}ms` };
  const written = { host, port: String(port), ...storage, ...asked };
  const config = loadConfig(written, { ...env, OPSDECK_ROOMS_RELAY_KEY: relayKey });
  if (!config.ok) throw refuseConfig(config.problems);
  for (const warning of config.value.warnings) log.warn(warning);
  const rooms = await import('../rooms/server.ts');
  const server = await rooms.startRooms(config.value.options, clock, log, deck);
  if (server.firstToken !== undefined) err(`rooms: the admin's token, shown this once: ${server.firstToken}\n`);
  return {
    described: {
      name: 'rooms',
      title: 'Rooms',
      url: `${server.url}/`,
      example: () => roomsExample(server.url, config.value.options.auth),
      state: () => server.state(),
      summary: (cookies) => server.summary(cookies),
    },
    failed: server.failed,
    close: () => server.close(),
  };
}
