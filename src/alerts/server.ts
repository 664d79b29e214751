// The way of the data: a posted alert is read (routes, contract), accepted (domain/alert) and merged into the alert
// store, which notifies its listeners in a fixed order: silencer, inhibitor, groups. A new group gets a
// flush time from the dispatcher; when it comes, the group goes through the pipeline, and the receiver's integrations are notified.
// A posted silence is decided (domain/silence), committed, and then applied by the silencer and the listing. Reads join what
// these have prepared. The disk follows behind alerts by half a second, and stands before the answer to a silence.
import { randomUUID } from 'node:crypto';
import type { AlertsSummary } from '../hub/contract.ts';
import { type Clock, holdProcess } from '../kernel/clock.ts';
import { openDeck } from '../kernel/deck/deck.ts';
import type { ServerState } from '../kernel/deck/report.ts';
import { CommandError, ExitCode, messageOf } from '../kernel/errors.ts';
import { serveLatePage } from '../kernel/http/assets.ts';
import type { Listener } from '../kernel/http/server.ts';
import type { Log } from '../kernel/log.ts';
import { Metrics } from '../kernel/metrics/metrics.ts';
import { type Outcome, refused } from '../kernel/outcome.ts';
import { describeMember } from './cluster-member.ts';
import { composeApp } from './composition/app.ts';
import { externalUrlOf, openListener } from './composition/listening.ts';
import { createPlan } from './composition/plan.ts';
import type { Running } from './composition/running.ts';
import { ActiveConfig } from './config/active-config.ts';
import { ConfigSource } from './config/config-source.ts';
import type { AlertServerOptions } from './config/server-options.ts';
import type { FailingIntegration } from './contract/integration-health.ts';
import { RouteTree } from './domain/route.ts';
import { notifierSurroundings } from './pipeline/open-notifiers.ts';
import { startAfterDelay } from './pipeline/start-delay.ts';
import { listFaults, stateOf } from './reports/conditions.ts';
import { listFailingIntegrations, recallFailures } from './reports/integration-health.ts';
import { logSilenceChanges } from './silences/log.ts';
import { joinState } from './state/alert-state.ts';
import { openLocalStorage } from './state/local-storage.ts';
import { startMaintenance } from './state/maintenance.ts';
import type { OpenStorage } from './state/storage.ts';
import { openTelemetry } from './telemetry.ts';
import { describeVersion } from './version.ts';

/** How long running requests may take after the server was asked to stop. */
const DRAIN_MS = 5_000;

export interface AlertServer {
  state(): ServerState;
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
    const state = joinState({ options, tree, inhibitionRules, storage, newId: () => randomUUID(), ...common });
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
    member:
      running.nodes?.own ??
      describeMember(options.clusterListenAddress, options.clusterPeerName, options.listenAddresses[0]?.port),
    version: describeVersion(),
    page: serveLatePage(async () => (await import('virtual:web/alerts')).page),
  });
  listener = await openListener(app.fetch, running);
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
    state: () => stateOf({ state, plan, now: clock.now() }),
    summary() {
      const now = clock.now();
      const failing = listFailingIntegrations({ state, plan, now });
      return {
        kind: 'alerts',
        ...state.alertListing.countSeverities(now),
        failing: failing.map(({ receiver, groups, since }) => ({ receiver, groups, since })),
        faults: listFaults({ state, plan, now }),
      };
    },
    reload: async () => (closing ? refused('the server is stopping') : plan.reload()),
    close() {
      closing ??= close();
      return closing;
    },
  };
}
