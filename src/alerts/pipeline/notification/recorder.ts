import type { Clock } from '../../../kernel/clock.ts';
import { messageOf } from '../../../kernel/errors.ts';
import type { Log } from '../../../kernel/log.ts';
import { StorageAwayError } from '../../../kernel/postgres/storage-error.ts';
import type { ReceiverData } from '../../domain/notification.ts';
import type { AlertSlot } from '../../store/slot.ts';
import type { Evaluation } from '../pipeline.ts';
import type { NotificationRecord } from './history.ts';
import type { NotificationLog } from './log.ts';
import type { NotificationResult, NotificationStorage } from './storage.ts';

export interface NotificationRecorderParts {
  readonly notificationLog: NotificationLog;
  readonly storage: Pick<NotificationStorage, 'writeResult'>;
  /** Writes alerts in one commit with all other writes of the same turn; never rejects. */
  readonly writeAlerts: (slots: readonly AlertSlot[]) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
  /** Maximum retention of an entry of the notification log. */
  readonly retentionMs: number;
}

/** What is stored of a delivery; without a record when nothing had to be sent. */
export interface Delivered {
  readonly record?: NotificationRecord;
  /** For the next notification of the group. */
  readonly receiverData: ReceiverData;
}

/** Records the results of notifications: log entry, history and the notified alerts, in one commit. */
export class NotificationRecorder {
  readonly #parts: NotificationRecorderParts;

  constructor(parts: NotificationRecorderParts) {
    this.#parts = parts;
  }

  /**
   * In one commit with the alerts: an alert in the log that is not on disk would never get its resolved notification.
   */
  async delivered(key: string, evaluation: Evaluation, { record, receiverData }: Delivered): Promise<void> {
    const { notificationLog, clock, writeAlerts } = this.#parts;
    const { firing, resolved, alerts } = evaluation;
    const entryValue = { at: clock.now(), firing: new Set(firing), resolved: new Set(resolved), receiverData };
    const entry = notificationLog.set(key, entryValue, this.#expiryOf(evaluation));
    const written = writeAlerts(alerts.map(({ slot }) => slot));
    await Promise.all([written, this.#write({ evaluation, entry, record })]);
  }

  failed(evaluation: Evaluation, record: NotificationRecord): Promise<void> {
    return this.#write({ evaluation, record });
  }

  #expiryOf({ group }: Evaluation): number {
    const { clock, retentionMs } = this.#parts;
    const { repeatIntervalMs, groupIntervalMs } = group.route;
    // With a group_interval above repeat_interval, the next flush must still find the entry.
    return clock.now() + Math.min(retentionMs, 2 * Math.max(repeatIntervalMs, groupIntervalMs));
  }

  /** A failed write repeats no notification: the entry stays in memory. */
  async #write(result: NotificationResult): Promise<void> {
    try {
      await this.#parts.storage.writeResult(result);
    } catch (error) {
      // That PostgreSQL is away is logged once for everything.
      if (!(error instanceof StorageAwayError)) {
        this.#parts.log.error('a notification could not be written to the log on disk', { err: messageOf(error) });
      }
      // The next process needs it as well.
      if (result.entry) this.#parts.notificationLog.writeLater(result.entry.key);
    }
  }
}
