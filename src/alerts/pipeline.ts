import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { AlertGroup } from './alert-group.ts';
import type { AlertSlot } from './alert-slot.ts';
import type { Alert } from './domain/alert.ts';
import type { TimeIntervals } from './domain/time-intervals.ts';
import type { Inhibitor } from './inhibitor.ts';
import type { ReceiverNotifier } from './receiver-notifier.ts';
import type { Silencer } from './silencer.ts';

/** An alert as it was when its group was flushed. */
export interface FlushedAlert {
  readonly slot: AlertSlot;
  readonly alert: Alert;
  readonly isResolved: boolean;
}

export interface Flush {
  readonly group: AlertGroup;
  /** By job, instance and labels. */
  readonly alerts: readonly FlushedAlert[];
  /** The instant of the tick. */
  readonly at: number;
  /** Until when its notifications may be tried; epoch milliseconds. */
  readonly deadlineAt: number;
}

/** Why an alert was not told of, as Alertmanager's metrics name it. */
export const SUPPRESSION_REASONS = ['silence', 'inhibition', 'mute_time_interval', 'active_time_interval'] as const;
export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number];

export interface PipelineParts {
  readonly inhibitor: Inhibitor;
  readonly silencer: Silencer;
  readonly intervals: TimeIntervals;
  /** By the names of those receivers that some route uses. */
  readonly receivers: ReadonlyMap<string, ReceiverNotifier>;
  readonly clock: Clock;
  readonly log: Log;
  readonly suppressed: (reason: SuppressionReason, count: number) => void;
}

/** The way of a flush: what is inhibited, out of its time or silenced is left out; the receiver is told of the rest. */
export class Pipeline {
  readonly #parts: PipelineParts;

  constructor(parts: PipelineParts) {
    this.#parts = parts;
  }

  /** Whether everybody knows now who has to: then the resolved alerts among them are settled. */
  run(flush: Flush): boolean | Promise<boolean> {
    const alerts = this.#leaveOutSilenced(
      this.#leaveOutMuted(flush, this.#leaveOutInactive(flush, this.#leaveOutInhibited(flush.alerts))),
    );
    if (alerts.length === 0) return true;
    const receiver = this.#parts.receivers.get(flush.group.receiver);
    return receiver ? receiver.tell({ ...flush, alerts }) : true;
  }

  #leaveOutInhibited(alerts: readonly FlushedAlert[]): readonly FlushedAlert[] {
    const { inhibitor, clock } = this.#parts;
    const now = clock.now();
    return this.#leaveOut(alerts, 'inhibition', ({ slot }) => inhibitor.inhibitedBy(slot, now).length > 0);
  }

  #leaveOutSilenced(alerts: readonly FlushedAlert[]): readonly FlushedAlert[] {
    if (alerts.length === 0) return alerts;
    const { silencer, clock } = this.#parts;
    silencer.settle(clock.now());
    return this.#leaveOut(alerts, 'silence', ({ alert }) => silencer.silencedBy(alert.fingerprint).length > 0);
  }

  #leaveOutInactive({ group, at }: Flush, alerts: readonly FlushedAlert[]): readonly FlushedAlert[] {
    const names = group.route.activeTimeIntervals;
    if (alerts.length === 0) return alerts;
    const isActive = names.length === 0 || this.#parts.intervals.thatContain(names, at).length > 0;
    group.mutedBy = isActive ? [] : names;
    return isActive ? alerts : this.#leaveOut(alerts, 'active_time_interval', () => true);
  }

  #leaveOutMuted({ group, at }: Flush, alerts: readonly FlushedAlert[]): readonly FlushedAlert[] {
    if (alerts.length === 0) return alerts;
    const mutedBy = this.#parts.intervals.thatContain(group.route.muteTimeIntervals, at);
    group.mutedBy = mutedBy;
    return mutedBy.length === 0 ? alerts : this.#leaveOut(alerts, 'mute_time_interval', () => true);
  }

  #leaveOut(
    alerts: readonly FlushedAlert[],
    reason: SuppressionReason,
    isLeftOut: (alert: FlushedAlert) => boolean,
  ): readonly FlushedAlert[] {
    const rest = alerts.filter((alert) => !isLeftOut(alert));
    const count = alerts.length - rest.length;
    if (count === 0) return alerts;
    const { suppressed, log } = this.#parts;
    suppressed(reason, count);
    if (log.debugging) log.debug('Notifications will not be sent for muted alerts', { alerts: count, reason });
    return rest;
  }
}
