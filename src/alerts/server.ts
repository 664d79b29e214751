// The way of the data: a posted alert is read (routes, contract), accepted (domain/alert) and merged into the alert
// store, which notifies its listeners in a fixed order: silencer, inhibitor, groups. A new group gets a
// flush time from the dispatcher; when it comes, the group goes through the pipeline, and the receiver's integrations are notified.
// A posted silence is decided (domain/silence), committed, and then applied by the silencer and the listing. Reads join what
// these have prepared. The disk follows behind alerts by half a second, and stands before the answer to a silence.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { page } from 'virtual:web/alerts';
import type { Hono } from 'hono';
import type { AlertsSummary } from '../hub/contract.ts';
import { type Clock, holdProcess } from '../kernel/clock.ts';
import { type Deck, openDeck } from '../kernel/deck/deck.ts';
import { CommandError, ExitCode, messageOf } from '../kernel/errors.ts';
import type { HttpContext, HttpEnv } from '../kernel/http/app.ts';
import { servePage } from '../kernel/http/assets.ts';
import { createRequestMetrics } from '../kernel/http/request-metrics.ts';
import { type Listener, listen } from '../kernel/http/server.ts';
import type { Log } from '../kernel/log.ts';
import { Metrics } from '../kernel/metrics/metrics.ts';
import { type Outcome, refused } from '../kernel/outcome.ts';
import { describeCluster, describeMember } from './cluster-member.ts';
import { ActiveConfig } from './config/active-config.ts';
import { ConfigSource } from './config/config-source.ts';
import type { AlertServerOptions } from './config/server-options.ts';
import type { WebProtection } from './config/web/config.ts';
import type { FailingIntegration } from './contract/integration-health.ts';
import type { MatcherReading } from './contract/query.ts';
import type { ClusterMember, VersionInfo } from './contract/wire.ts';
import { RouteTree } from './domain/route.ts';
import { INTEGRATIONS } from './integrations/integrations.ts';
import { addAlertMetrics, countRefusedGets } from './metrics/alert-metrics.ts';
import { ActivePlan } from './pipeline/active-plan.ts';
import { createNotificationMetrics } from './pipeline/notification/metrics.ts';
import { buildPlan } from './pipeline/notification/plan.ts';
import { type NotifierSurroundings, notifierSurroundings } from './pipeline/open-notifiers.ts';
import { startAfterDelay } from './pipeline/start-delay.ts';
import { listConditions } from './reports/conditions.ts';
import { explainAlert } from './reports/explanation.ts';
import { describeIntegrations, listFailingIntegrations, recallFailures } from './reports/integration-health.ts';
import { describeRouting } from './reports/routing.ts';
import { describeServer } from './reports/server-info.ts';
import { reportTimeline } from './reports/timeline.ts';
import { Answers } from './routes/answers.ts';
import { createAlertsApp } from './routes/index.ts';
import { logSilenceChanges } from './silences/log.ts';
import { type AlertState, joinState } from './state/alert-state.ts';
import { openLocalStorage } from './state/local-storage.ts';
import { startMaintenance } from './state/maintenance.ts';
import type { Nodes } from './state/nodes.ts';
import type { OpenStorage } from './state/storage.ts';
import { AlertIntake } from './store/intake.ts';
import type { AlertSlot } from './store/slot.ts';
import { openTelemetry, type Telemetry } from './telemetry.ts';
import { describeVersion } from './version.ts';

/** How long running requests may take after the server was asked to stop. */
const DRAIN_MS = 5_000;

export interface AlertServer {
  /** What the hub shows. */
  summary(): AlertsSummary;
  /** `http://host:port` of the first listen address, with the route prefix. */
  readonly url: string;
  /** The integrations that groups wait for since an attempt failed: cheap, and usually empty. */
  failingNotifications(): readonly FailingIntegration[];
  /** Reads the configuration file again; a refusal says why the old one stays in force. */
  reload(): Promise<Outcome<unknown>>;
  /** Answers what is under way, writes everything to disk and gives the data directory free. Idempotent. */
  close(): Promise<void>;
}

/** Starts the alert server; it answers, with all that its storage holds, when this resolves. A CommandError says why it cannot. */
export async function startAlertServer(
  options: AlertServerOptions,
  clock: Clock,
  log: Log,
  deck = openDeck(options.deckUrl, clock),
): Promise<AlertServer> {
  const startedAt = clock.now();
  const { configFile, matcherMode, expandEnv, retentionMs } = options;
  const source = new ConfigSource(configFile, { matcherMode, expandEnv, retentionMs });
  const read = source.read();
  if (!read.ok) throw new CommandError(read.reason, ExitCode.failed);
  const config = new ActiveConfig(source, read.value, () => clock.now());
  log.info('Loading configuration', { file: source.file ?? 'built in' });
  const opened = await openStorage(options, config, clock, log);
  try {
    const tree = new RouteTree(read.value.route);
    const inhibitionRules = read.value.inhibitRules;
    const { storage } = opened;
    const metrics = new Metrics();
    const telemetry = await openTelemetry(read.value, { ...options, metrics, clock: opened.clock, log });
    const { traces, events } = telemetry;
    const common = { traces, events, clock: opened.clock, log };
    const state = joinState({ options, tree, inhibitionRules, storage, newId: randomUUID, ...common });
    await opened.load(state);
    if (options.logSilences) state.silences.subscribe(logSilenceChanges(log, () => clock.now()));
    events?.observe(state);
    const running = {
      options,
      deck,
      config,
      state,
      telemetry,
      nodes: opened.nodes,
      clock: opened.clock,
      log,
      startedAt,
    };
    return await serve(running, metrics, () => opened.close());
  } catch (error) {
    await opened.close();
    throw error;
  }
}

async function openStorage(
  options: AlertServerOptions,
  config: ActiveConfig,
  clock: Clock,
  log: Log,
): Promise<OpenStorage> {
  if (options.storageUrl === undefined) return openLocalStorage(options, clock, log);
  const { openCluster } = await import('./cluster/cluster.ts');
  return openCluster({
    ...options,
    url: options.storageUrl,
    configHash: () => String(config.current.hash),
    clock,
    log,
  });
}

/** A server that has its state, but does not listen yet. */
export interface Running {
  readonly options: AlertServerOptions;
  readonly deck: Deck;
  readonly config: ActiveConfig;
  readonly state: AlertState;
  readonly telemetry: Telemetry;
  /** Undefined: this node is the only one. */
  readonly nodes: Nodes | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Epoch milliseconds. */
  readonly startedAt: number;
}

/** What the HTTP interface is composed of. */
export interface Composition {
  readonly options: Pick<
    AlertServerOptions,
    | 'storagePath'
    | 'corsOrigins'
    | 'corsOriginPattern'
    | 'site'
    | 'routePrefix'
    | 'getConcurrency'
    | 'timeoutMs'
    | 'matcherMode'
  >;
  readonly deck: Deck;
  readonly config: ActiveConfig;
  readonly state: AlertState;
  readonly telemetry: Pick<Telemetry, 'traces'>;
  readonly plan: ActivePlan;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly log: Log;
  readonly member: ClusterMember | undefined;
  readonly nodes: Nodes | undefined;
  readonly version: VersionInfo;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** Serves a file of the web page by its path; undefined when there is none. */
  readonly page: (c: HttpContext, path: string) => Response | undefined;
}

/** Puts the HTTP interface on the state. */
export function composeApp(composition: Composition): Hono<HttpEnv> {
  const {
    options,
    deck,
    config,
    state,
    telemetry,
    plan,
    metrics,
    clock,
    log,
    member,
    nodes,
    version,
    startedAt,
    page,
  } = composition;
  const { matcherMode } = options;
  const { silences, silenceListing, alerts, alertListing, limit, storage } = state;
  const now = () => clock.now();
  const known = () => ({ state, plan, now: now() });
  const answers = new Answers(options.corsOrigins, options.corsOriginPattern, options.site?.allowsOrigin);
  const onWarning: MatcherReading['onWarning'] = ({ message, ...fields }) => log.warn(message, fields);
  const reading = { mode: matcherMode, onWarning };
  const rules = () => ({ resolveTimeoutMs: config.current.resolveTimeoutMs, classicNames: matcherMode === 'classic' });
  const counts = addAlertMetrics(metrics, { startedAt, version, member, nodes, state, config, plan, now });
  const intake = new AlertIntake({ store: alerts, limit, rules, counts, log });
  return createAlertsApp({
    answers,
    routePrefix: options.routePrefix,
    traces: telemetry.traces,
    log,
    clock,
    limits: { ...options, refusedGet: countRefusedGets(metrics) },
    requestMetrics: createRequestMetrics(metrics, 'alertmanager', clock),
    page,
    deck,
    alerts: {
      answers,
      listing: alertListing,
      names: plan,
      reading,
      now,
      receive: (reading) => intake.receivePost(reading, now),
    },
    silences: { answers, store: silences, listing: silenceListing, reading, now, log },
    notifications: {
      answers,
      reading,
      list: (query) => storage.notifications.list(query),
      explain: (labels) => explainAlert(labels, known()),
    },
    reports: {
      answers,
      integrations: () => describeIntegrations(known()),
      routing: () => describeRouting(plan.current),
      server: () => describeServer({ options, config, state, member, nodes, startedAt }),
      timeline: (labels) => reportTimeline(labels, state, now()),
    },
    status: {
      answers,
      reading,
      startedAt,
      config: () => config.current.printed,
      receivers: () => config.current.receivers.map(({ labels }) => labels),
      cluster: () => describeCluster(member, nodes),
      version,
    },
    operations: {
      reload: () => plan.reload(),
      metrics,
      conditions: () => listConditions(known()),
    },
  });
}

export interface PlanSurroundings {
  readonly metrics: Metrics;
  readonly externalUrl: () => string;
  readonly surroundings: NotifierSurroundings;
  /** From 0 to below 1: so that those whose receiver is down do not all try again at the same moment. */
  readonly random: () => number;
}

/** Makes the plan of the configuration in force; what is refused now could not run. */
export async function createPlan(
  running: Running,
  { metrics, externalUrl, surroundings, random }: PlanSurroundings,
): Promise<ActivePlan> {
  const { options, config, state, telemetry, clock, log } = running;
  const { traces, events } = telemetry;
  const { notificationLog, health, storage } = state;
  const names = INTEGRATIONS.map(({ name }) => name);
  const notificationMetrics = createNotificationMetrics(metrics, names, {
    withReceivers: options.receiverNameInMetrics,
  });
  const notifying = {
    notificationLog,
    health,
    storage: storage.notifications,
    writeAlerts: (slots: readonly AlertSlot[]) => state.alerts.write(slots),
    traces,
    events,
    clock,
    log,
    metrics: notificationMetrics,
    retentionMs: options.retentionMs,
    random,
  };
  const build = (read: ActiveConfig['current']) =>
    buildPlan(read, { notifying, externalUrl, surroundings, clock, log });
  const applied = (read: ActiveConfig['current']) => telemetry.apply(read);
  const plan = await build(config.current);
  if (!plan.ok) throw new CommandError(plan.reason, ExitCode.failed);
  return new ActivePlan(plan.value, {
    config,
    state,
    metrics: notificationMetrics,
    traces,
    events,
    applied,
    build,
    clock,
    log,
  });
}

async function serve(running: Running, metrics: Metrics, release: () => Promise<void>): Promise<AlertServer> {
  const { options, state, telemetry, clock, log } = running;
  let listener: Listener | undefined;
  let known: string | undefined;
  // Asked for at each notification; nothing of it changes once the server listens.
  const externalUrl = () => known ?? externalUrlOf(options, listener);
  const surroundings = notifierSurroundings(clock, telemetry.traces);
  const plan = await createPlan(running, { metrics, externalUrl, surroundings, random: Math.random });
  const app = composeApp({
    ...running,
    plan,
    metrics,
    member: running.nodes?.own ?? describeMember(options.clusterListenAddress, options.clusterPeerName),
    version: describeVersion(),
    page: servePage(page),
  });
  listener = await listen({
    fetch: app.fetch,
    addresses: options.listenAddresses,
    sockets: options.systemdSocket ? await inheritedSockets() : undefined,
    ...(await openProtection(options.webConfigFile, log)),
    site: options.site,
    clock,
  });
  known = externalUrl();
  const { url, addresses, close: closeListener } = listener;
  recallFailures(state, clock.now()).catch((err) =>
    log.warn('earlier failures of notifications are not known', { err: messageOf(err) }),
  );
  const stopMaintenance = startMaintenance(running);
  const stopWaiting = startAfterDelay(plan, options.dispatchStartDelayMs, clock);
  log.info('Starting opsdeck alerts', { version: OPSDECK_VERSION, externalURL: externalUrl() });
  for (const address of addresses) log.info('Listening on', { address });
  let closing: Promise<void> | undefined;
  const close = async () => {
    // Timers, which some of it waits for, do not keep the process alive.
    const letGo = holdProcess();
    try {
      await closeAll();
    } finally {
      letGo();
    }
  };
  const closeAll = async () => {
    stopMaintenance();
    stopWaiting();
    await Promise.all([closeListener(DRAIN_MS), plan.stop()]);
    await telemetry.stop();
    try {
      await Promise.all([state.alerts.flush(), state.storage.timers.flush(), state.notificationLog.flush()]);
    } catch (error) {
      const place = running.nodes ? 'PostgreSQL' : 'disk';
      const message = `the last alerts could not be written to ${place}: ${messageOf(error)}`;
      throw new CommandError(message, ExitCode.failed, { cause: error });
    } finally {
      await release();
    }
  };
  return {
    url: `${url}${options.routePrefix}/`,
    failingNotifications: () => listFailingIntegrations({ state, plan, now: clock.now() }),
    summary() {
      const now = clock.now();
      const failing = listFailingIntegrations({ state, plan, now });
      return {
        kind: 'alerts',
        ...state.alertListing.countSeverities(now),
        failing: failing.map(({ receiver, groups, since }) => ({ receiver, groups, since })),
      };
    },
    reload: async () => (closing ? refused('the server is stopping') : plan.reload()),
    close() {
      closing ??= close();
      return closing;
    },
  };
}

async function inheritedSockets(): Promise<readonly number[]> {
  const { takeInheritedSockets } = await import('../kernel/http/server-sockets.ts');
  const sockets = takeInheritedSockets(process.env, process.pid);
  if (sockets.length === 0) throw new CommandError('no socket activation file descriptors found', ExitCode.failed);
  return sockets;
}

async function openProtection(file: string | undefined, log: Log): Promise<Partial<WebProtection>> {
  if (file === undefined) return {};
  const { openWebConfig } = await import('./config/web/config.ts');
  return openWebConfig(file, log);
}

function externalUrlOf({ externalUrl, routePrefix, site }: AlertServerOptions, listener: Listener | undefined): string {
  // Where the machine's name would be refused, links lead to the address.
  if (!externalUrl && listener && site?.hosts?.length === 0) return `${listener.url}${routePrefix}`;
  const port = listener?.addresses[0]?.split(':').at(-1) ?? '9093';
  const scheme = listener?.url.startsWith('https:') ? 'https' : 'http';
  return externalUrl?.href.replace(/\/+$/, '') ?? `${scheme}://${hostname()}:${port}${routePrefix}`;
}
