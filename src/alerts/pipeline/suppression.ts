import type { Log } from '../../kernel/log.ts';
import { NO_TRACES, type Tracer, type Traces } from '../../kernel/tracing/tracer.ts';
import type { TimeIntervals } from '../domain/time-intervals.ts';
import type { Inhibitor } from '../inhibition/inhibitor.ts';
import type { Silencer } from '../silences/silencer.ts';
import type { AlertGroup } from '../store/group.ts';
import type { PipelineEvents } from './events.ts';
import type { FlushedAlert } from './flushed-alert.ts';

/** Why an alert was left out, as Alertmanager's metrics name it. */
export const SUPPRESSION_REASONS = ['silence', 'inhibition', 'mute_time_interval', 'active_time_interval'] as const;
export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number];

export interface SuppressionParts {
  readonly inhibitor: Inhibitor;
  readonly silencer: Silencer;
  readonly intervals: TimeIntervals;
  readonly log: Log;
  readonly traces?: Traces | undefined;
  readonly events?: PipelineEvents | undefined;
  readonly suppressed: (reason: SuppressionReason, count: number) => void;
}

const NOTHING: readonly string[] = [];

type Alerts = readonly FlushedAlert[];

/** `name`: that of Alertmanager's stage, in traces. */
interface Stage {
  readonly name: string;
  readonly reason: SuppressionReason;
  readonly pass: (group: AlertGroup, alerts: Alerts, at: number) => Alerts;
}

/** Whether the alert is left out at that instant. */
type Condition = (alert: FlushedAlert, at: number) => boolean;

/** The stages of a flush that leave alerts out: inhibited, outside the active time, in a mute time, or silenced. */
export class Suppression {
  readonly #parts: SuppressionParts;
  readonly #traces: Traces;
  // Made once: thousands of groups may be flushed at once, and a closure for each would survive collections.
  readonly #isInhibited: Condition = ({ slot }, at) => this.#parts.inhibitor.inhibitedBy(slot, at).length > 0;
  // A silence that ends with its alerts leaves their end to be sent: otherwise the log would hold them as firing, and the next
  // firing would not be sent.
  readonly #isSilenced: Condition = ({ alert, isResolved }) =>
    isResolved
      ? this.#parts.silencer.isEndSilenced(alert.fingerprint)
      : this.#parts.silencer.silencedBy(alert.fingerprint).length > 0;

  /** In their order. */
  readonly #stages: readonly Stage[] = [
    {
      name: 'MuteStage',
      reason: 'inhibition',
      pass: (_, alerts, at) => this.#leaveOut(alerts, 'inhibition', this.#isInhibited, at),
    },
    {
      name: 'TimeActiveStage',
      reason: 'active_time_interval',
      pass: (...flushed) => this.#leaveOutInactive(...flushed),
    },
    { name: 'TimeMuteStage', reason: 'mute_time_interval', pass: (...flushed) => this.#leaveOutMuted(...flushed) },
    { name: 'MuteStage', reason: 'silence', pass: (_, alerts, at) => this.#leaveOutSilenced(alerts, at) },
  ];

  constructor(parts: SuppressionParts) {
    this.#parts = parts;
    this.#traces = parts.traces ?? NO_TRACES;
  }

  /** The alerts that notifications may contain at that instant. */
  pass(group: AlertGroup, alerts: readonly FlushedAlert[], at: number): readonly FlushedAlert[] {
    const { tracer } = this.#traces;
    let left = alerts;
    for (const stage of this.#stages) {
      if (left.length === 0) break;
      left = tracer ? passTraced(tracer, stage, group, left, at) : stage.pass(group, left, at);
    }
    return left;
  }

  #leaveOutSilenced(alerts: Alerts, at: number): Alerts {
    this.#parts.silencer.settle(at);
    return this.#leaveOut(alerts, 'silence', this.#isSilenced, at);
  }

  #leaveOutInactive(group: AlertGroup, alerts: Alerts, at: number): Alerts {
    const names = group.route.activeTimeIntervals;
    const isActive = names.length === 0 || this.#parts.intervals.thatContain(names, at).length > 0;
    group.mutedBy = isActive ? NOTHING : names;
    return isActive ? alerts : this.#leaveOut(alerts, 'active_time_interval', everyone, at);
  }

  #leaveOutMuted(group: AlertGroup, alerts: Alerts, at: number): Alerts {
    const mutedBy = this.#parts.intervals.thatContain(group.route.muteTimeIntervals, at);
    group.mutedBy = mutedBy;
    return mutedBy.length === 0 ? alerts : this.#leaveOut(alerts, 'mute_time_interval', everyone, at);
  }

  #leaveOut(
    alerts: readonly FlushedAlert[],
    reason: SuppressionReason,
    isLeftOut: Condition,
    at: number,
  ): readonly FlushedAlert[] {
    let count = 0;
    for (const alert of alerts) if (isLeftOut(alert, at)) count++;
    if (count === 0) return alerts;
    this.#note(reason, count);
    this.#parts.events?.suppressed(
      reason,
      count === alerts.length ? alerts : alerts.filter((alert) => isLeftOut(alert, at)),
      at,
    );
    return count === alerts.length ? [] : keepOthers(alerts, isLeftOut, at);
  }

  #note(reason: SuppressionReason, count: number): void {
    const { suppressed, log } = this.#parts;
    suppressed(reason, count);
    if (log.debugging) log.debug('Notifications will not be sent for muted alerts', { alerts: count, reason });
  }
}

function passTraced(
  tracer: Tracer,
  { name, reason, pass }: Stage,
  group: AlertGroup,
  alerts: Alerts,
  at: number,
): Alerts {
  const span = tracer.start(`notify.${name}.Exec`, { attributes: { 'alerting.alerts.count': alerts.length } });
  const left = pass(group, alerts, at);
  if (left.length < alerts.length) {
    span.set({
      'alerting.alerts.muted.count': alerts.length - left.length,
      'alerting.alerts.filtered.count': left.length,
      'alerting.suppressed.reason': reason,
    });
  }
  span.end();
  return left;
}

function everyone(): boolean {
  return true;
}

function keepOthers(alerts: readonly FlushedAlert[], isLeftOut: Condition, at: number): readonly FlushedAlert[] {
  return alerts.filter((alert) => !isLeftOut(alert, at));
}
