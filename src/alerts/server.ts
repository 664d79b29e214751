// The way of the data: a posted alert is read (routes, contract), accepted (domain/alert) and merged into the alert
// store, which tells its listeners in a written order: the silencer, then the groups. A posted silence is decided
// (domain/silence), committed, and then told to the silencer and the listing. Reads join what these have prepared.
// The disk follows behind alerts by half a second, and stands before the answer to a silence.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { pages } from 'virtual:web';
import type { Hono } from 'hono';
import { servePage } from '../kernel/assets.ts';
import type { Clock } from '../kernel/clock.ts';
import { ownDataDirectory } from '../kernel/data-directory.ts';
import { type Database, openDatabase } from '../kernel/database.ts';
import { CommandError, ExitCode, messageOf } from '../kernel/errors.ts';
import type { HttpContext, HttpEnv } from '../kernel/http.ts';
import type { Log } from '../kernel/log.ts';
import { type Listener, listen } from '../kernel/server.ts';
import { AlertIntake } from './alert-intake.ts';
import { createAlertMetrics } from './alert-metrics.ts';
import { type AlertState, joinState, restoreState } from './alert-state.ts';
import { ALERT_MIGRATION } from './alert-writer.ts';
import { describeMember } from './cluster-member.ts';
import { ActiveConfig } from './config/active-config.ts';
import { ConfigSource, routeTableOf } from './config/config-source.ts';
import type { AlertServerOptions } from './config/server-options.ts';
import type { MatcherReading } from './contract/query.ts';
import type { ClusterMember, VersionInfo } from './contract/status.ts';
import { type Outcome, refused } from './domain/outcome.ts';
import { Answers } from './routes/answers.ts';
import { createAlertsApp } from './routes/index.ts';
import { IMPORT_MIGRATION, importSnapshot } from './silence-import.ts';
import { logSilenceChanges } from './silence-log.ts';
import { countSilenceStates, SILENCE_MIGRATION } from './silence-store.ts';
import { describeVersion } from './version.ts';

/** How long running requests may take after the server was asked to stop. */
const DRAIN_MS = 5_000;

export interface AlertServer {
  /** `http://host:port` of the first listen address, with the route prefix. */
  readonly url: string;
  /** Reads the configuration file again; a refusal says why the old one stays in force. */
  reload(): Outcome<unknown>;
  /** Answers what is under way, writes everything to disk and gives the data directory free. Idempotent. */
  close(): Promise<void>;
}

/** Starts the alert server; it answers, with all that its disk holds, when this resolves. A CommandError says why it cannot. */
export async function startAlertServer(options: AlertServerOptions, clock: Clock, log: Log): Promise<AlertServer> {
  const source = new ConfigSource(options.configFile, options.matcherMode === 'classic');
  const read = source.read();
  if (!read.ok) throw new CommandError(read.reason, ExitCode.usage);
  const config = new ActiveConfig(source, read.value, () => clock.now());
  log.info('Loading configuration', { file: source.file ?? 'built in' });
  const directory = await ownDataDirectory(options.storagePath, clock);
  let database: Database | undefined;
  const release = async () => {
    await database?.close();
    directory.release();
  };
  try {
    database = await openDatabase({
      directory,
      name: 'alerts.db',
      migrations: [SILENCE_MIGRATION, ALERT_MIGRATION, IMPORT_MIGRATION],
    });
    const table = routeTableOf(config.current);
    const state = joinState({ options, table, database, clock, log, newId: randomUUID });
    log.info('State restored', await restoreState(state, clock.now()));
    await importSnapshot({ path: options.importPath, database, silences: state.silences, log });
    if (options.logSilences) state.silences.subscribe(logSilenceChanges(log, () => clock.now()));
    return await serve({ options, config, state, clock, log }, release);
  } catch (error) {
    await release();
    throw error;
  }
}

/** What the HTTP interface is composed of. */
export interface Composition {
  readonly options: Pick<
    AlertServerOptions,
    'corsOrigins' | 'routePrefix' | 'getConcurrency' | 'timeoutMs' | 'matcherMode'
  >;
  readonly config: ActiveConfig;
  readonly state: AlertState;
  readonly clock: Clock;
  readonly log: Log;
  readonly member: ClusterMember | undefined;
  readonly version: VersionInfo;
  /** Serves a file of the web page by its path; undefined when there is none. */
  readonly page: (c: HttpContext, path: string) => Response | undefined;
}

/** Puts the HTTP interface on the state. */
export function composeApp({ options, config, state, clock, log, member, version, page }: Composition): Hono<HttpEnv> {
  const { matcherMode } = options;
  const { silences, silenceListing, alerts, alertListing, limit } = state;
  const now = () => clock.now();
  const startedAt = now();
  const answers = new Answers(options.corsOrigins);
  const onWarning: MatcherReading['onWarning'] = ({ message, ...fields }) => log.warn(message, fields);
  const reading = { mode: matcherMode, onWarning };
  const { metrics, counts } = createAlertMetrics({
    startedAt,
    version,
    alerts: () => alertListing.countStates(now()),
    silences: () => countSilenceStates(silences.all(), now()),
    receivers: () => config.current.receivers.length,
    reload: () => config.reloadState,
  });
  const rules = () => ({ resolveTimeoutMs: config.current.resolveTimeoutMs, classicNames: matcherMode === 'classic' });
  const intake = new AlertIntake({ store: alerts, limit, rules, counts, log });
  return createAlertsApp({
    answers,
    routePrefix: options.routePrefix,
    log,
    clock,
    limits: options,
    page,
    alerts: { answers, listing: alertListing, reading, now, receive: (posted, at) => intake.receive(posted, at) },
    silences: { answers, store: silences, listing: silenceListing, reading, now, log },
    status: {
      answers,
      reading,
      startedAt,
      config: () => config.printed,
      receivers: () => config.current.receivers,
      cluster: () => member,
      version,
    },
    operations: { reload: () => reloadConfig({ config, state, log }), metrics },
  });
}

type Running = Pick<Composition, 'config' | 'state' | 'clock' | 'log'> & { readonly options: AlertServerOptions };

function reloadConfig({ config, state, log }: Pick<Running, 'config' | 'state' | 'log'>): Outcome<unknown> {
  const reloaded = config.reload();
  if (reloaded.ok) state.groups.reroute(routeTableOf(reloaded.value), state.alerts.sorted());
  if (reloaded.ok) log.info('Completed loading of configuration');
  else log.error('Loading configuration failed, the old one stays in force', { err: reloaded.reason });
  return reloaded;
}

async function serve(running: Running, release: () => Promise<void>): Promise<AlertServer> {
  const { options, state, clock, log } = running;
  const app = composeApp({
    ...running,
    member: describeMember(options.clusterListenAddress, options.clusterPeerName),
    version: describeVersion(),
    page: servePage(pages.alerts ?? {}),
  });
  const listener = await listen({ fetch: app.fetch, addresses: options.listenAddresses, clock });
  const stopMaintenance = startMaintenance(running);
  log.info('Starting opsdeck alerts', { version: OPSDECK_VERSION, externalURL: externalUrlOf(options, listener) });
  for (const address of listener.addresses) log.info('Listening on', { address });
  let closing: Promise<void> | undefined;
  const close = async () => {
    stopMaintenance();
    await listener.close(DRAIN_MS);
    try {
      await state.alerts.flush();
    } catch (error) {
      throw new CommandError(`the last alerts could not be written to disk: ${messageOf(error)}`, ExitCode.failed, {
        cause: error,
      });
    } finally {
      await release();
    }
  };
  return {
    url: `${listener.url}${options.routePrefix}/`,
    reload: () => (closing ? refused('the server is stopping') : reloadConfig(running)),
    close() {
      closing ??= close();
      return closing;
    },
  };
}

function externalUrlOf({ externalUrl, routePrefix }: AlertServerOptions, listener: Listener): string {
  const port = listener.addresses[0]?.split(':').at(-1);
  return externalUrl?.href.replace(/\/+$/, '') ?? `http://${hostname()}:${port}${routePrefix}`;
}

function startMaintenance({ options, state, clock, log }: Running): () => void {
  const stopSilences = clock.every(options.maintenanceIntervalMs, () => {
    state.silences
      .collectGarbage(clock.now())
      .catch((error) => log.error('old silences could not be removed', { err: messageOf(error) }));
  });
  const stopAlerts = clock.every(options.gcIntervalMs, () => state.alerts.collectGarbage(clock.now()));
  return () => {
    stopSilences();
    stopAlerts();
  };
}
