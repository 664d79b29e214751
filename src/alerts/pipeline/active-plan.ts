import type { Clock } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { type Outcome, refused } from '../../kernel/outcome.ts';
import type { Traces } from '../../kernel/tracing/tracer.ts';
import type { ActiveConfig } from '../config/active-config.ts';
import type { Pairs } from '../domain/notification.ts';
import type { RoutingNames } from '../listing/alert-query.ts';
import type { AlertState } from '../state/alert-state.ts';
import type { AlertGroup } from '../store/group.ts';
import type { PipelineEvents } from './events.ts';
import { notifiedAlert } from './notification/data.ts';
import type { NotificationMetrics } from './notification/metrics.ts';
import type { NotificationPlan } from './notification/plan.ts';
import { Pipeline } from './pipeline.ts';
import { Suppression } from './suppression.ts';

/** How long attempts under way may continue after a reload or a stop. */
const GRACE_MS = 5_000;

export interface ActivePlanParts {
  readonly config: ActiveConfig;
  readonly state: AlertState;
  readonly metrics: NotificationMetrics;
  readonly traces?: Traces | undefined;
  readonly events?: PipelineEvents | undefined;
  /** Called with a configuration that a reload has put in force. */
  readonly applied?: (config: ActiveConfig['current']) => Promise<void>;
  readonly build: (config: ActiveConfig['current']) => Promise<Outcome<NotificationPlan>>;
  readonly clock: Clock;
  readonly log: Log;
}

/** The plan in force. A failed reload keeps it; a successful one replaces it between two flushes. */
export class ActivePlan implements RoutingNames {
  readonly #parts: ActivePlanParts;
  #plan: NotificationPlan;
  /** Reloads run one after the other. */
  #reloading: Promise<void> = Promise.resolve();
  #isStopped = false;
  readonly #routeLabels = new WeakMap<AlertGroup, { readonly version: number; readonly labels: Pairs }>();

  constructor(plan: NotificationPlan, parts: ActivePlanParts) {
    this.#plan = plan;
    this.#parts = parts;
  }

  get current(): NotificationPlan {
    return this.#plan;
  }

  /** Starts flushing. */
  start(): void {
    this.#takeUpOwed();
    this.#parts.state.dispatcher.start(this.#pipelineOf(this.#plan));
  }

  /** Reads the configuration again and puts it in force, or returns the reason why not. */
  reload(): Promise<Outcome<unknown>> {
    const reloading = this.#reloading.then(() => this.#reload());
    // A reload that throws must not stop later ones.
    this.#reloading = reloading.then(
      () => {},
      () => {},
    );
    return reloading;
  }

  /** Stops flushing; attempts under way have a moment to finish. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#reloading;
    const { dispatcher } = this.#parts.state;
    await this.#retire(this.#plan, dispatcher.stop());
  }

  receiverLabels(name: string): Pairs {
    return this.#plan.config.receivers.find((receiver) => receiver.name === name)?.labels ?? { name };
  }

  /** Rendered anew only when the alerts of the group have changed. */
  routeLabels(group: AlertGroup): Pairs {
    if (Object.keys(group.route.labels).length === 0) return {};
    const known = this.#routeLabels.get(group);
    if (known?.version === group.version) return known.labels;
    const now = this.#parts.clock.now();
    const alerts = group.sorted().map(({ alert }) => notifiedAlert({ alert, isResolved: alert.endsAt <= now }));
    const labels = this.#plan.renderRouteLabels(group, alerts);
    this.#routeLabels.set(group, { version: group.version, labels });
    return labels;
  }

  async #reload(): Promise<Outcome<unknown>> {
    const { config, state, build, log } = this.#parts;
    const read = config.read();
    const plan = read.ok ? await build(read.value) : read;
    if (!plan.ok || this.#isStopped) {
      const reason = plan.ok ? 'the server is stopping' : plan.reason;
      if (plan.ok) await plan.value.close();
      config.refuse(reason);
      log.error('Loading configuration failed, the old one stays in force', { err: reason });
      return refused(reason);
    }
    const old = this.#plan;
    this.#plan = plan.value;
    config.activate(plan.value.config);
    state.inhibitor.replaceRules(plan.value.config.inhibitRules, state.alerts.sorted());
    const oldFlushes = state.dispatcher.flushes();
    state.dispatcher.replacePipeline(this.#pipelineOf(plan.value));
    state.groups.reroute(plan.value.tree, state.alerts.sorted());
    this.#takeUpOwed();
    this.#retire(old, oldFlushes).catch((error) =>
      log.error('the end of the old configuration failed', { err: messageOf(error) }),
    );
    await this.#parts.applied?.(plan.value.config);
    log.info('Completed loading of configuration');
    return plan;
  }

  /** Receivers that were notified before the reload that an alert fires are notified when it resolves. */
  #takeUpOwed(): void {
    const { groups, alerts } = this.#parts.state;
    groups.takeUpOwed(
      alerts.sorted(),
      (group, fingerprint) =>
        this.#plan.receivers.get(group.receiver)?.dedup.believesFiring(group, fingerprint) ?? false,
    );
  }

  async #retire(plan: NotificationPlan, flushes: Promise<unknown>): Promise<void> {
    // A waiting retry would hold up the same group of the new configuration.
    plan.endRetries();
    const cancel = this.#parts.clock.after(GRACE_MS, () => plan.abort());
    await flushes;
    cancel();
    await plan.close();
  }

  #pipelineOf({ intervals, receivers }: NotificationPlan): Pipeline {
    const { state, log, metrics, traces, events } = this.#parts;
    const { inhibitor, silencer } = state;
    const { suppressed } = metrics;
    return new Pipeline(
      new Suppression({ inhibitor, silencer, intervals, log, traces, events, suppressed }),
      receivers,
    );
  }
}
