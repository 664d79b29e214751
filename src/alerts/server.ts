// The way of the data: a posted alert is read (routes, contract), accepted (domain/alert) and merged into the alert
// store, which tells its listeners in a written order: the silencer, then the groups. A posted silence is decided
// (domain/silence), committed, and then told to the silencer and the listing. Reads join what these have prepared.
// The disk follows behind alerts by half a second, and stands before the answer to a silence.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { pages } from 'virtual:web';
import { servePage } from '../kernel/assets.ts';
import type { Clock } from '../kernel/clock.ts';
import { ownDataDirectory } from '../kernel/data-directory.ts';
import { type Database, openDatabase } from '../kernel/database.ts';
import { CommandError, ExitCode, messageOf } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import { type Listener, listen } from '../kernel/server.ts';
import { AlertGroups } from './alert-groups.ts';
import { AlertIntake } from './alert-intake.ts';
import { AlertLimit } from './alert-limit.ts';
import { AlertListing } from './alert-listing.ts';
import { createAlertMetrics } from './alert-metrics.ts';
import { ALERT_MIGRATION, AlertStore } from './alert-store.ts';
import { describeMember } from './cluster-member.ts';
import { ActiveConfig } from './config/active-config.ts';
import { ConfigSource, routeTableOf } from './config/config-source.ts';
import type { AlertServerOptions } from './config/server-options.ts';
import type { MatcherReading } from './contract/query.ts';
import { type Outcome, refused } from './domain/outcome.ts';
import { Answers } from './routes/answers.ts';
import { createAlertsApp } from './routes/index.ts';
import { SilenceListing } from './silence-listing.ts';
import { logSilenceChanges } from './silence-log.ts';
import { countSilenceStates, SILENCE_MIGRATION, SilenceStore } from './silence-store.ts';
import { Silencer } from './silencer.ts';
import { API_VERSION, describeVersion } from './version.ts';

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
  try {
    database = await openDatabase({ directory, name: 'alerts.db', migrations: [SILENCE_MIGRATION, ALERT_MIGRATION] });
    const state = await restoreState(options, config, database, clock, log);
    const listener = await serveState(options, config, state, clock, log);
    return runningServer(options, state, listener, async () => {
      await database?.close();
      directory.release();
    });
  } catch (error) {
    await database?.close();
    directory.release();
    throw error;
  }
}

interface State {
  readonly silences: SilenceStore;
  readonly silenceListing: SilenceListing;
  readonly silencer: Silencer;
  readonly alerts: AlertStore;
  readonly limit: AlertLimit;
  readonly groups: AlertGroups;
  readonly reload: () => Outcome<unknown>;
  readonly stopMaintenance: () => void;
}

/** Joins stores, silencer, listing and groups, and fills them from the disk. */
async function restoreState(
  options: AlertServerOptions,
  config: ActiveConfig,
  database: Database,
  clock: Clock,
  log: Log,
): Promise<State> {
  const now = () => clock.now();
  const silences = new SilenceStore(
    database,
    { ...options, classicNames: options.matcherMode === 'classic' },
    randomUUID,
  );
  const alerts = new AlertStore(database, clock, log);
  const silenceListing = new SilenceListing(() => silences.all());
  const silencer = new Silencer(() => alerts.sorted().map(({ alert }) => alert));
  const groups = new AlertGroups(routeTableOf(config.current));
  const limit = new AlertLimit(options.perAlertnameLimit);
  silences.subscribe((changes) => {
    silencer.changeSilences(changes, now());
    silenceListing.invalidate();
  });
  alerts.subscribe({
    put(slot, isNew) {
      if (!isNew) return;
      silencer.addAlert(slot.alert);
      groups.add(slot);
    },
    removed(slot) {
      silencer.removeAlert(slot.alert);
      groups.remove(slot);
      limit.release(slot.alert);
    },
  });
  // Silences first: every alert then asks the index of all of them, instead of every silence asking all alerts.
  const restored = { silences: await silences.load(), alerts: await alerts.load() };
  log.info('State restored', restored);
  if (options.logSilences) silences.subscribe(logSilenceChanges(log, now));
  await silences.collectGarbage(now());
  const reload = () => {
    const reloaded = config.reload();
    if (reloaded.ok) groups.reroute(routeTableOf(reloaded.value), alerts.sorted());
    if (reloaded.ok) log.info('Completed loading of configuration');
    else log.error('Loading configuration failed, the old one stays in force', { err: reloaded.reason });
    return reloaded;
  };
  const stopMaintenance = startMaintenance(options, silences, alerts, clock, log);
  return { silences, silenceListing, silencer, alerts, limit, groups, reload, stopMaintenance };
}

function startMaintenance(
  options: AlertServerOptions,
  silences: SilenceStore,
  alerts: AlertStore,
  clock: Clock,
  log: Log,
): () => void {
  const stopSilences = clock.every(options.maintenanceIntervalMs, () => {
    silences
      .collectGarbage(clock.now())
      .catch((error) => log.error('old silences could not be removed', { err: messageOf(error) }));
  });
  const stopAlerts = clock.every(options.gcIntervalMs, () => alerts.collectGarbage(clock.now()));
  return () => {
    stopSilences();
    stopAlerts();
  };
}

/** Puts the HTTP interface on the state and listens. */
async function serveState(
  options: AlertServerOptions,
  config: ActiveConfig,
  state: State,
  clock: Clock,
  log: Log,
): Promise<Listener> {
  const { matcherMode, routePrefix } = options;
  const { silences, silenceListing, alerts, limit, groups, silencer } = state;
  const now = () => clock.now();
  const startedAt = now();
  const answers = new Answers(options.corsOrigins);
  const reading: MatcherReading = {
    mode: matcherMode,
    onWarning: ({ message, ...fields }) => log.warn(message, fields),
  };
  const listing = new AlertListing(alerts, groups, silencer);
  const { metrics, counts } = createAlertMetrics({
    startedAt,
    version: API_VERSION,
    revision: OPSDECK_VERSION,
    alerts: () => listing.countStates(now()),
    silences: () => countSilenceStates(silences.all(), now()),
    receivers: () => config.current.receivers.length,
    reload: () => config.reloadState,
  });
  const rules = () => ({ resolveTimeoutMs: config.current.resolveTimeoutMs, classicNames: matcherMode === 'classic' });
  const intake = new AlertIntake({ store: alerts, limit, rules, counts, log });
  const member = describeMember(options.clusterListenAddress, options.clusterPeerName);
  const app = createAlertsApp({
    answers,
    routePrefix,
    log,
    clock,
    limits: options,
    page: servePage(pages.alerts ?? {}),
    alerts: { answers, listing, reading, now, receive: (posted, at) => intake.receive(posted, at) },
    silences: { answers, store: silences, listing: silenceListing, reading, now, log },
    status: {
      answers,
      reading,
      startedAt,
      config: () => config.printed,
      receivers: () => config.current.receivers,
      cluster: () => member,
      version: describeVersion(),
    },
    operations: { reload: state.reload, metrics },
  });
  const listener = await listen({ fetch: app.fetch, addresses: options.listenAddresses, clock });
  log.info('Starting opsdeck alerts', { version: OPSDECK_VERSION, externalURL: externalUrlOf(options, listener) });
  for (const address of listener.addresses) log.info('Listening on', { address });
  return listener;
}

function externalUrlOf({ externalUrl, routePrefix }: AlertServerOptions, listener: Listener): string {
  const port = listener.addresses[0]?.split(':').at(-1);
  return externalUrl?.href.replace(/\/+$/, '') ?? `http://${hostname()}:${port}${routePrefix}`;
}

function runningServer(
  options: AlertServerOptions,
  state: State,
  listener: Listener,
  release: () => Promise<void>,
): AlertServer {
  let closed = false;
  let closing: Promise<void> | undefined;
  const close = async () => {
    closed = true;
    state.stopMaintenance();
    await listener.close(DRAIN_MS);
    try {
      await state.alerts.flush();
    } finally {
      await release();
    }
  };
  return {
    url: `${listener.url}${options.routePrefix}/`,
    reload: () => (closed ? refused('the server is stopping') : state.reload()),
    close() {
      closing ??= close();
      return closing;
    },
  };
}
