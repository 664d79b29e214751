import type { Clock } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { type Outcome, refused } from '../../kernel/outcome.ts';
import type { ActiveConfig } from '../config/active-config.ts';
import type { Pairs } from '../domain/notification.ts';
import type { RoutingNames } from '../listing/alert-query.ts';
import { notifiedAlert } from '../notifications/notification-data.ts';
import type { NotificationMetrics } from '../notifications/notification-metrics.ts';
import { Pipeline } from '../notifications/pipeline.ts';
import type { AlertState } from '../state/alert-state.ts';
import type { AlertGroup } from '../store/alert-group.ts';
import type { NotificationPlan } from './notification-plan.ts';

/** How long attempts under way may take to end after a reload, or when the server stops. */
const GRACE_MS = 5_000;

export interface ActivePlanParts {
  readonly config: ActiveConfig;
  readonly state: AlertState;
  readonly metrics: NotificationMetrics;
  readonly build: (config: ActiveConfig['current']) => Promise<Outcome<NotificationPlan>>;
  readonly clock: Clock;
  readonly log: Log;
}

/** The plan in force. A reload that fails leaves it as it is; one that works replaces it between two flushes. */
export class ActivePlan implements RoutingNames {
  readonly #parts: ActivePlanParts;
  #plan: NotificationPlan;
  /** One reload after the other. */
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

  /** Flushes from now on. */
  start(): void {
    this.#takeUpOwed();
    this.#parts.state.dispatcher.start(this.#pipelineOf(this.#plan));
  }

  /** Reads the configuration again and lets it take effect, or says why not. */
  reload(): Promise<Outcome<unknown>> {
    const reloading = this.#reloading.then(() => this.#reload());
    // One that could not even be refused must not stop those after it.
    this.#reloading = reloading.then(
      () => {},
      () => {},
    );
    return reloading;
  }

  /** Ends the flushes, giving attempts under way a moment. */
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
      config.refuse();
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
    log.info('Completed loading of configuration');
    return plan;
  }

  /** Whoever was told before the change that an alert fires hears that it is over. */
  #takeUpOwed(): void {
    const { groups, alerts } = this.#parts.state;
    groups.takeUpOwed(
      alerts.sorted(),
      (group, fingerprint) => this.#plan.receivers.get(group.receiver)?.believesFiring(group, fingerprint) ?? false,
    );
  }

  async #retire(plan: NotificationPlan, flushes: Promise<unknown>): Promise<void> {
    // Whoever waits to try again would hold up the group of the new configuration.
    plan.endRetries();
    const cancel = this.#parts.clock.after(GRACE_MS, () => plan.abort());
    await flushes;
    cancel();
    await plan.close();
  }

  #pipelineOf({ intervals, receivers }: NotificationPlan): Pipeline {
    const { state, log, metrics } = this.#parts;
    const { inhibitor, silencer } = state;
    const { suppressed } = metrics;
    return new Pipeline({ inhibitor, silencer, intervals, receivers, log, suppressed });
  }
}
