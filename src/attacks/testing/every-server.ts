// All servers in this process, each on its own port, for attacks on all of them.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ALERT_SERVER_DEFAULTS, type AlertServerOptions } from '../../alerts/config/server-options.ts';
import { startAlertServer } from '../../alerts/server.ts';
import { loadConfig as loadDashboard } from '../../dashboard/config/config.ts';
import { startDashboard } from '../../dashboard/server.ts';
import { writeFiles } from '../../dashboard/testing/app.ts';
import { startHub } from '../../hub/server.ts';
import { UpDeck } from '../../hub/up-deck.ts';
import { systemClock } from '../../kernel/clock.ts';
import { listen } from '../../kernel/http/server.ts';
import { createLog, type LogFormat } from '../../kernel/log.ts';
import { loadConfig as loadRelay } from '../../relay/config/config-source.ts';
import { startRelay } from '../../relay/server.ts';
import type { RoomsOptions } from '../../rooms/config/rooms-options.ts';
import { openTestRooms, type TestRooms } from '../../rooms/testing/app.ts';
import { type RawAnswer, RawConnection } from '../../testing/http/raw-connection.ts';
import { type Cleanup, temporaryFolder } from '../../testing/processes.ts';

export interface AttackedServer {
  readonly name: 'alerts' | 'relay' | 'dashboard' | 'rooms' | 'hub';
  readonly url: string;
  /** The log so far, at level debug. */
  log(): string;
}

export interface EveryServer {
  readonly servers: readonly AttackedServer[];
  readonly rooms: TestRooms;
  /** Contains the state of every server and the dashboard's project. */
  readonly folder: string;
  readonly sdkKey: string;
  urlOf(name: AttackedServer['name']): string;
}

export interface EveryServerOptions {
  readonly logFormat?: LogFormat;
  readonly alerts?: Partial<AlertServerOptions>;
  readonly rooms?: Partial<RoomsOptions>;
  readonly dashboardVariables?: Readonly<Record<string, string>>;
  readonly flags?: object;
}

const FLAGS = { flagValues: { plain: true } };

export async function startEveryServer(t: Cleanup, options: EveryServerOptions = {}): Promise<EveryServer> {
  const folder = temporaryFolder(t);
  const address = { host: '127.0.0.1', port: 0 };
  const servers: AttackedServer[] = [];
  const logOf = () => {
    let written = '';
    const write = (line: string) => {
      written += line;
    };
    const log = createLog({ level: 'debug', format: options.logFormat ?? 'logfmt', clock: systemClock, write });
    return { log, read: () => written };
  };
  const add = (name: AttackedServer['name'], url: string, log: () => string, close: () => Promise<unknown>) => {
    servers.push({ name, url: url.replace(/\/$/, ''), log });
    t.after(close);
  };

  const alertsLog = logOf();
  const alerts = await startAlertServer(
    {
      ...ALERT_SERVER_DEFAULTS,
      listenAddresses: [address],
      clusterListenAddress: undefined,
      storagePath: join(folder, 'alerts'),
      importPath: join(folder, 'alerts'),
      ...options.alerts,
    },
    systemClock,
    alertsLog.log,
  );
  add('alerts', alerts.url, alertsLog.read, () => alerts.close());

  const flags = join(folder, 'flags.json');
  writeFileSync(flags, JSON.stringify(options.flags ?? FLAGS));
  const relayConfig = loadRelay({ flags }, {});
  if (!relayConfig.ok) throw new Error(JSON.stringify(relayConfig.problems));
  const relayLog = logOf();
  const relayOptions = { ...relayConfig.value.options, ...address, logLevel: 'debug', gracefulShutdownMs: 0 } as const;
  const relay = await startRelay(relayOptions, systemClock, relayLog.log);
  add('relay', relay.url, relayLog.read, () => relay.close());

  const project = join(folder, 'project');
  writeFiles(project, { 'data/usage.csv': 'Date,Model\n', 'notes.txt': 'notes' });
  const dashboardConfig = loadDashboard({ project, port: '0' }, options.dashboardVariables ?? {});
  if (!dashboardConfig.ok) throw new Error(dashboardConfig.problems.join('\n'));
  const dashboardLog = logOf();
  const dashboard = await startDashboard(dashboardConfig.value.options, systemClock, dashboardLog.log);
  add('dashboard', dashboard.url, dashboardLog.read, () => dashboard.close());

  const rooms = await openTestRooms(t, {
    folder: join(folder, 'rooms'),
    logFormat: options.logFormat ?? 'logfmt',
    options: { durability: 'off', ...options.rooms },
  });
  const { app, endStreams } = rooms.rooms;
  const listener = await listen({ fetch: app.fetch, addresses: [address], clock: systemClock, endStreams });
  add('rooms', listener.url, rooms.log, () => listener.close(0));

  const hubLog = logOf();
  const hub = await startHub(new UpDeck(() => []), { address }, systemClock, hubLog.log);
  add('hub', hub.url, hubLog.read, () => hub.close());
  const urlOf: EveryServer['urlOf'] = (name) => servers.find((server) => server.name === name)?.url ?? '';
  const sdkKey = relayConfig.value.options.environments[0]?.sdkKey ?? '';
  return { servers, rooms, folder, sdkKey, urlOf };
}

/**
 * Sends raw requests in turn on one connection. Resolves with the response, or undefined if the connection was cut without
 * one.
 */
export function rawClient(
  t: Cleanup,
  url: string,
): (method: string, bytes: string | Buffer) => Promise<RawAnswer | undefined> {
  let connection: RawConnection | undefined;
  t.after(() => connection?.close());
  return async (method, bytes) => {
    const isFresh = connection === undefined || connection.closed;
    if (isFresh) connection = await RawConnection.open(url, { keepBodies: true });
    try {
      return await connection?.exchange(method, bytes);
    } catch {
      connection?.close();
      connection = undefined;
      // The server may have closed the connection after its last response.
      if (isFresh) return undefined;
    }
    connection = await RawConnection.open(url, { keepBodies: true });
    return connection.exchange(method, bytes).catch(() => undefined);
  };
}
