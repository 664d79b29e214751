import type { Log } from '../../kernel/log.ts';
import type { Alert } from '../domain/alert.ts';
import type { TimeIntervals } from '../domain/time-intervals.ts';
import type { Inhibitor } from '../inhibition/inhibitor.ts';
import type { Silencer } from '../silences/silencer.ts';
import type { AlertGroup } from '../store/alert-group.ts';
import type { AlertSlot } from '../store/alert-slot.ts';
import type { ReceiverNotifier } from './receiver-notifier.ts';
import type { Sending } from './send-queue.ts';

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

/** What is left of a flush that has something to tell: whether everybody knows after it. */
export type Telling = Sending<boolean>;

/** Why an alert was not told of, as Alertmanager's metrics name it. */
export const SUPPRESSION_REASONS = ['silence', 'inhibition', 'mute_time_interval', 'active_time_interval'] as const;
export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number];

export interface PipelineParts {
  readonly inhibitor: Inhibitor;
  readonly silencer: Silencer;
  readonly intervals: TimeIntervals;
  /** By the names of those receivers that some route uses. */
  readonly receivers: ReadonlyMap<string, ReceiverNotifier>;
  readonly log: Log;
  readonly suppressed: (reason: SuppressionReason, count: number) => void;
}

const NOTHING: readonly string[] = [];

/** Whether the alert is left out at that instant. */
type Condition = (alert: FlushedAlert, at: number) => boolean;

/** The way of a flush: what is inhibited, out of its time or silenced is left out; the receiver judges the rest. */
export class Pipeline {
  readonly #parts: PipelineParts;
  // Made once: thousands of groups may be flushed at once, and what each of them leaves behind is carried from one
  // young generation to the next.
  readonly #isInhibited: Condition = ({ slot }, at) => this.#parts.inhibitor.inhibitedBy(slot, at).length > 0;
  readonly #isSilenced: Condition = ({ alert }) => this.#parts.silencer.silencedBy(alert.fingerprint).length > 0;

  constructor(parts: PipelineParts) {
    this.#parts = parts;
  }

  /** What there is to tell; undefined: everybody knows who has to, and the resolved alerts are settled. */
  run(flush: Flush): Telling | undefined {
    const alerts = this.#leaveOutSilenced(
      flush,
      this.#leaveOutMuted(flush, this.#leaveOutInactive(flush, this.#leaveOutInhibited(flush))),
    );
    if (alerts.length === 0) return undefined;
    const receiver = this.#parts.receivers.get(flush.group.receiver);
    const { group, at, deadlineAt } = flush;
    return receiver?.judge(alerts === flush.alerts ? flush : { group, alerts, at, deadlineAt });
  }

  #leaveOutInhibited({ at, alerts }: Flush): readonly FlushedAlert[] {
    return this.#leaveOut(alerts, 'inhibition', this.#isInhibited, at);
  }

  #leaveOutSilenced({ at }: Flush, alerts: readonly FlushedAlert[]): readonly FlushedAlert[] {
    if (alerts.length === 0) return alerts;
    this.#parts.silencer.settle(at);
    return this.#leaveOut(alerts, 'silence', this.#isSilenced, at);
  }

  #leaveOutInactive({ group, at }: Flush, alerts: readonly FlushedAlert[]): readonly FlushedAlert[] {
    const names = group.route.activeTimeIntervals;
    if (alerts.length === 0) return alerts;
    const isActive = names.length === 0 || this.#parts.intervals.thatContain(names, at).length > 0;
    group.mutedBy = isActive ? NOTHING : names;
    return isActive ? alerts : this.#leaveOut(alerts, 'active_time_interval', everyone, at);
  }

  #leaveOutMuted({ group, at }: Flush, alerts: readonly FlushedAlert[]): readonly FlushedAlert[] {
    if (alerts.length === 0) return alerts;
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
    return count === alerts.length ? [] : keepOthers(alerts, isLeftOut, at);
  }

  #note(reason: SuppressionReason, count: number): void {
    const { suppressed, log } = this.#parts;
    suppressed(reason, count);
    if (log.debugging) log.debug('Notifications will not be sent for muted alerts', { alerts: count, reason });
  }
}

function everyone(): boolean {
  return true;
}

function keepOthers(alerts: readonly FlushedAlert[], isLeftOut: Condition, at: number): readonly FlushedAlert[] {
  return alerts.filter((alert) => !isLeftOut(alert, at));
}
