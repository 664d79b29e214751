import { CommandError, ExitCode } from '../../kernel/errors.ts';
import type { Metrics } from '../../kernel/metrics/metrics.ts';
import type { ActiveConfig } from '../config/active-config.ts';
import { INTEGRATIONS } from '../integrations/integrations.ts';
import { ActivePlan } from '../pipeline/active-plan.ts';
import { createNotificationMetrics } from '../pipeline/notification/metrics.ts';
import { buildPlan } from '../pipeline/notification/plan.ts';
import type { NotifierSurroundings } from '../pipeline/open-notifiers.ts';
import type { AlertSlot } from '../store/slot.ts';
import type { Running } from './running.ts';

export interface PlanSurroundings {
  readonly metrics: Metrics;
  readonly externalUrl: () => string;
  readonly surroundings: NotifierSurroundings;
  /** From 0 to below 1. It spreads the retries of groups whose receiver is down. */
  readonly random: () => number;
}

/** Makes the plan of the configuration in force. Throws a CommandError for a configuration that cannot run. */
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
