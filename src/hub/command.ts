import type { Command } from 'commander';
import { CommandError, messageOf } from '../kernel/errors.ts';
import type { ListenAddress } from '../kernel/http/listen-address.ts';
import { createLog, type Log } from '../kernel/log.ts';
import { giveMemoryBack } from '../kernel/memory.ts';
import { untilStopped } from '../kernel/signals.ts';
import { announceStart } from '../kernel/supervisor.ts';
import { addSettings, readFlags } from '../kernel/terminal/flags.ts';
import { formatTable } from '../kernel/terminal/table.ts';
import type { Terminal } from '../kernel/terminal/terminal.ts';
import { OwnSites } from './own-sites.ts';
import { type RunningServer, startAlerts, startDashboard, startRelay, startRooms } from './servers.ts';
import { SETTINGS, type UpFlags } from './settings.ts';
import { UpDeck } from './up-deck.ts';

const EXAMPLES = `
Examples:
  opsdeck up
  opsdeck up --data-dir /var/lib/opsdeck`;

/** `opsdeck up` */
export function addUpCommand(program: Command, terminal: Terminal): void {
  const up = program.command('up').description('start every server on its defaults, with a page that links to them');
  addSettings(up, SETTINGS)
    .addHelpText('after', EXAMPLES)
    .action(() => startAll(readFlags(up, SETTINGS, terminal.env), terminal));
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

const originOf = (server: RunningServer | undefined) => server && new URL(server.described.url).origin;
