import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { ALERT_SERVER_DEFAULTS } from '../alerts/config/server-options.ts';
import type { Clock } from '../kernel/clock.ts';
import { CommandError, ExitCode, messageOf, systemCodeOf } from '../kernel/errors.ts';
import type { ListenAddress } from '../kernel/http/listen-address.ts';
import { createLog, LOG_FORMATS, LOG_LEVELS, type Log, type LogFormat, type LogLevel } from '../kernel/log.ts';
import { giveMemoryBack } from '../kernel/memory.ts';
import { untilStopped } from '../kernel/signals.ts';
import { listenAddressFlag } from '../kernel/terminal/flags.ts';
import type { Terminal } from '../kernel/terminal/terminal.ts';
import type { HubEntry } from './contract.ts';
import { OwnSites } from './own-sites.ts';

const EXAMPLES = `
Examples:
  opsdeck up
  opsdeck up --data-dir /var/lib/opsdeck`;

interface UpFlags {
  readonly dataDir: string;
  readonly hubAddress: ListenAddress;
  readonly alertsAddress: ListenAddress;
  readonly relayAddress: ListenAddress;
  readonly flags?: string;
  readonly dashboardAddress: ListenAddress;
  readonly project?: string;
  readonly roomsAddress: ListenAddress;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
}

/** `opsdeck up` */
export function addUpCommand(program: Command, terminal: Terminal): void {
  program
    .command('up')
    .description('start every server on its defaults, with a page that links to them')
    .option('--data-dir <directory>', 'where the servers keep their state, each in a folder of its own', 'data')
    .addOption(
      new Option('--hub-address <address>', 'where the page listens')
        .argParser(listenAddressFlag)
        .default({ host: '127.0.0.1', port: 8075 }, '127.0.0.1:8075'),
    )
    .addOption(
      new Option('--alerts-address <address>', 'where the alert server listens')
        .argParser(listenAddressFlag)
        .default({ host: '127.0.0.1', port: 9093 }, '127.0.0.1:9093'),
    )
    .addOption(
      new Option('--relay-address <address>', 'where the flag relay listens')
        .argParser(listenAddressFlag)
        .default({ host: '127.0.0.1', port: 8030 }, '127.0.0.1:8030'),
    )
    .addOption(
      new Option('--dashboard-address <address>', 'where the usage dashboard listens')
        .argParser(listenAddressFlag)
        .default({ host: '127.0.0.1', port: 8060 }, '127.0.0.1:8060'),
    )
    .option(
      '--project <directory>',
      'the folder that the dashboard shows: its data/, and web pages in it (default: dashboard/ in the data directory)',
    )
    .addOption(
      new Option('--rooms-address <address>', 'where the rooms listen')
        .argParser(listenAddressFlag)
        .default({ host: '127.0.0.1', port: 8065 }, '127.0.0.1:8065'),
    )
    .option('--flags <path>', 'a file or folder of flags for the relay to serve (default: a sample)')
    .addOption(
      new Option('--log-level <level>', 'the least important lines written').choices(LOG_LEVELS).default('info'),
    )
    .addOption(new Option('--log-format <format>', 'the form of a line').choices(LOG_FORMATS).default('logfmt'))
    .addHelpText('after', EXAMPLES)
    .action((flags: UpFlags) => startAll(flags, terminal));
}

/** One of the servers, as long as it runs. */
interface RunningServer {
  readonly described: HubEntry;
  /** Resolves when it can no longer do its work. */
  readonly failed?: Promise<void>;
  reload?(): void;
  close(): Promise<void>;
}

const NEVER = new Promise<never>(() => {});

async function startAll(flags: UpFlags, terminal: Terminal): Promise<void> {
  const { clock } = terminal;
  const log = createLog({ level: flags.logLevel, format: flags.logFormat, clock, write: terminal.err });
  const servers: RunningServer[] = [];
  const sites = new OwnSites();
  const add = (server: RunningServer) => {
    servers.push(server);
    sites.add(server.described.url);
  };
  const stopped = untilStopped(() => {
    for (const server of servers) server.reload?.();
  });
  try {
    add(await startAlerts(flags, sites, clock, log));
    add(await startRelay(flags, sites, terminal, log));
    add(await startDashboard(flags, terminal, log));
    add(await startRooms(flags, servers[0]?.described.url ?? '', terminal, log));
    const { startHub } = await import('./server.ts');
    const descriptions = servers.map(({ described }) => described);
    const { hubAddress: address } = flags;
    const hub = await startHub(descriptions, { address, site: sites.rulesFor(address, '--hub-address') }, clock, log);
    sites.add(hub.url);
    terminal.out(`opsdeck is up: ${hub.url}/\n`);
    giveMemoryBack(clock);
    const failed = servers.map(({ described: { name }, failed }) => failed?.then(() => name) ?? NEVER);
    const failedServer = await Promise.race([stopped, ...failed]);
    await hub.close();
    if (failedServer) throw new CommandError(`the storage of the ${failedServer} failed; the log says why`);
  } finally {
    await Promise.all(servers.map((server) => server.close()));
  }
}

async function startAlerts(flags: UpFlags, sites: OwnSites, clock: Clock, log: Log): Promise<RunningServer> {
  const { startAlertServer } = await import('../alerts/server.ts');
  const options = {
    ...ALERT_SERVER_DEFAULTS,
    site: sites.rulesFor(flags.alertsAddress, '--alerts-address'),
    listenAddresses: [flags.alertsAddress],
    storagePath: stateFolderOf(flags, 'alerts'),
    importPath: flags.dataDir,
  };
  const server = await startAlertServer(options, clock, log);
  return {
    described: {
      name: 'alerts',
      title: 'Alerts',
      description: 'A drop-in Prometheus Alertmanager: post alerts, silence them, see what fires and who is told.',
      url: server.url,
      status: 'ready',
      example: 'opsdeck alerts add alertname=DiskFull severity=critical --annotation summary="/var is at 97 %"',
    },
    reload: () => void server.reload(),
    close: () => server.close(),
  };
}

async function startRelay(flags: UpFlags, sites: OwnSites, terminal: Terminal, log: Log): Promise<RunningServer> {
  const { loadConfig, refuseConfig, systemFiles } = await import('../relay/config/config-source.ts');
  // Of the environment nothing but where the user's keys lie: `up` runs on defaults.
  const config = loadConfig(flags.flags === undefined ? {} : { flags: flags.flags }, {}, systemFiles(terminal.env));
  if (!config.ok) throw refuseConfig(config.problems);
  const { host, port } = flags.relayAddress;
  // Pages under development, of any origin, are its clients.
  const site = { ...sites.rulesFor(flags.relayAddress, '--relay-address'), allowsOrigin: undefined };
  const relay = await import('../relay/server.ts');
  const server = await relay.startRelay({ ...config.value.options, host, port, site }, terminal.clock, log);
  return {
    described: {
      name: 'relay',
      title: 'Flags',
      description: 'A drop-in LaunchDarkly Relay Proxy on a local flag file, for LaunchDarkly and OpenFeature SDKs.',
      url: `${server.url}/status`,
      status: 'ready',
      example: `opsdeck relay eval new-checkout --context '{"key": "ada"}' --explain`,
    },
    close: () => server.close(),
  };
}

async function startDashboard(flags: UpFlags, terminal: Terminal, log: Log): Promise<RunningServer> {
  const { loadConfig } = await import('../dashboard/config/config.ts');
  const { host = '0.0.0.0', port } = flags.dashboardAddress;
  const project = flags.project ?? makeProject(stateFolderOf(flags, 'dashboard'));
  const config = loadConfig({ host, port: String(port), project }, terminal.env);
  if (!config.ok) throw new CommandError(config.problems.join('\n'), ExitCode.usage);
  for (const warning of config.warnings) log.warn(warning);
  if (flags.project === undefined && holdsUsage('data'))
    log.warn('the dashboard shows a folder of its own: for the usage in ./data add --project .', { project });
  const dashboard = await import('../dashboard/server.ts');
  const others = [stateFolderOf(flags, 'alerts'), stateFolderOf(flags, 'rooms'), ...(flags.flags ? [flags.flags] : [])];
  const withheld = [...config.options.withheld, ...others];
  const server = await dashboard.startDashboard({ ...config.options, withheld }, terminal.clock, log);
  return {
    described: {
      name: 'dashboard',
      title: 'Usage',
      description: 'What an AI coding assistant was asked and what it cost: drop a CSV export, see thirteen charts.',
      url: `${server.url}/analytics`,
      status: 'ready',
      example: 'opsdeck dashboard report usage-events.csv --by model',
    },
    close: () => server.close(),
  };
}

function stateFolderOf({ dataDir }: UpFlags, server: string): string {
  return join(dataDir, server);
}

/** Whether a dashboard would show what lies there. */
function holdsUsage(folder: string): boolean {
  try {
    return readdirSync(folder).some((name) => name === 'project-markers.json' || name.endsWith('.csv'));
  } catch {
    return false;
  }
}

/** What lies there is for this user alone, until one lets others in. */
function makeProject(folder: string): string {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return folder;
  } catch (error) {
    throw new CommandError(`cannot make the dashboard's folder ${folder}: ${systemCodeOf(error) ?? messageOf(error)}`);
  }
}

/** Slash commands of the rooms go to the alert server beside them. */
async function startRooms(
  flags: UpFlags,
  alertsUrl: string,
  { clock, env, err }: Terminal,
  log: Log,
): Promise<RunningServer> {
  const { loadConfig } = await import('../rooms/config/config.ts');
  const { host = '0.0.0.0', port } = flags.roomsAddress;
  const written = { host, port: String(port), 'data-dir': stateFolderOf(flags, 'rooms'), alerts: alertsUrl };
  const config = loadConfig(written, env);
  if (!config.ok) throw new CommandError(config.problems.join('\n'), ExitCode.usage);
  for (const warning of config.value.warnings) log.warn(warning);
  const rooms = await import('../rooms/server.ts');
  const server = await rooms.startRooms(config.value.options, clock, log);
  if (server.firstToken !== undefined) err(`rooms: the admin's token, shown this once: ${server.firstToken}\n`);
  return {
    described: {
      name: 'rooms',
      title: 'Rooms',
      description: 'Rooms and messages that are never lost, live for everyone, with a copilot and alerts in the room.',
      url: `${server.url}/`,
      status: 'ready',
      example: 'make test 2>&1 | opsdeck rooms say ci --code',
    },
    failed: server.failed,
    close: () => server.close(),
  };
}
