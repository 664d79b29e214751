// How `up` starts each server on its defaults, and what the hub shows of it.
import type { Clock } from '../kernel/clock.ts';
import type { Deck } from '../kernel/deck/deck.ts';
import type { Log } from '../kernel/log.ts';
import { refuseConfig } from '../kernel/settings/settings.ts';
import type { Terminal } from '../kernel/terminal/terminal.ts';
import type { FlagsSummary } from './contract.ts';
import { alertsExample, dashboardExample, relayExample, roomsExample } from './examples.ts';
import type { OwnSites } from './own-sites.ts';
import { holdsUsage, makeProject, stateFolderOf } from './project.ts';
import type { UpFlags } from './settings.ts';
import type { DescribedServer } from './up-deck.ts';

/** A running server. */
export interface RunningServer {
  readonly described: DescribedServer;
  /** Resolves when the server can no longer work. */
  readonly failed?: Promise<void>;
  reload?(): void;
  close(): Promise<void>;
}

export async function startAlerts(
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

export interface RunningRelay extends RunningServer {
  /** Of its first environment. */
  readonly sdkKey: string | undefined;
}

export async function startRelay(
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

export async function startDashboard(flags: UpFlags, deck: Deck, terminal: Terminal, log: Log): Promise<RunningServer> {
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

/** The addresses of the other servers that run. */
interface RoomsPeers {
  readonly alerts: string | undefined;
  readonly relay: string | undefined;
  readonly relayKey: string | undefined;
  readonly dashboard: string | undefined;
}

/** Slash commands of the rooms use the other servers of this process. */
export async function startRooms(
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
