import type { Hono } from 'hono';
import type { Clock } from '../../kernel/clock.ts';
import type { Deck } from '../../kernel/deck/deck.ts';
import type { HttpContext, HttpEnv } from '../../kernel/http/app.ts';
import { createRequestMetrics } from '../../kernel/http/request-metrics.ts';
import type { Log } from '../../kernel/log.ts';
import type { Metrics } from '../../kernel/metrics/metrics.ts';
import { describeCluster } from '../cluster-member.ts';
import type { ActiveConfig } from '../config/active-config.ts';
import type { AlertServerOptions } from '../config/server-options.ts';
import type { MatcherReading } from '../contract/query.ts';
import type { ClusterMember, VersionInfo } from '../contract/wire.ts';
import { addAlertMetrics, countRefusedGets } from '../metrics/alert-metrics.ts';
import type { ActivePlan } from '../pipeline/active-plan.ts';
import { listConditions, stateOf } from '../reports/conditions.ts';
import { explainAlert } from '../reports/explanation.ts';
import { describeIntegrations } from '../reports/integration-health.ts';
import { describeRouting } from '../reports/routing.ts';
import { describeServer } from '../reports/server-info.ts';
import { reportTimeline } from '../reports/timeline.ts';
import { Answers } from '../routes/answers.ts';
import { createAlertsApp } from '../routes/index.ts';
import type { AlertState } from '../state/alert-state.ts';
import type { Nodes } from '../state/nodes.ts';
import { AlertIntake } from '../store/intake.ts';
import type { Telemetry } from '../telemetry.ts';

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
  /** Serves a file of the web page by its path; undefined for an unknown path. */
  readonly page: (c: HttpContext, path: string) => Promise<Response | undefined>;
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
    state: () => stateOf(known()),
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
      conditions: () => listConditions(known()),
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
