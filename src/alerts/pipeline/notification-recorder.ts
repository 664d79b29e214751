import type { Clock } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import type { Database } from '../../kernel/storage/database.ts';
import type { ReceiverData } from '../domain/notification.ts';
import type { AlertSlot } from '../store/alert-slot.ts';
import type { NotificationHistory, NotificationRecord } from './notification-history.ts';
import type { NotificationLog } from './notification-log.ts';
import type { Evaluation } from './pipeline.ts';

export interface NotificationRecorderParts {
  readonly notificationLog: NotificationLog;
  readonly history: NotificationHistory;
  readonly database: Database;
  /** Writes alerts in one commit with everything else that is written in the same turn; never rejects. */
  readonly writeAlerts: (slots: readonly AlertSlot[]) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
  /** How long an entry of the notification log is kept at most. */
  readonly retentionMs: number;
}

/** What is to be remembered of a delivery; without a record nothing had to be sent. */
export interface Delivered {
  readonly record?: NotificationRecord;
  /** For the next notification of the group. */
  readonly receiverData: ReceiverData;
}

/** Writes down what came of notifications: the entry of the log, the story, and the alerts that were told of, in one commit. */
export class NotificationRecorder {
  readonly #parts: NotificationRecorderParts;

  constructor(parts: NotificationRecorderParts) {
    this.#parts = parts;
  }

  /**
   * The log must not know more than the alerts on disk: told that something fires that the disk does not hold, nobody
   * would ever tell its end.
   */
  async delivered(key: string, evaluation: Evaluation, { record, receiverData }: Delivered): Promise<void> {
    const { notificationLog, history, database, clock, writeAlerts } = this.#parts;
    const { firing, resolved, alerts } = evaluation;
    const entryValue = { at: clock.now(), firing: new Set(firing), resolved: new Set(resolved), receiverData };
    const entry = notificationLog.set(key, entryValue, this.#expiryOf(evaluation));
    const statements = record ? [entry, history.add(record)] : [entry];
    await this.#written([writeAlerts(alerts.map(({ slot }) => slot)), database.write(statements)], key);
  }

  async failed(record: NotificationRecord): Promise<void> {
    const { history, database } = this.#parts;
    await this.#written([database.write([history.add(record)], 'system')]);
  }

  #expiryOf({ group }: Evaluation): number {
    const { clock, retentionMs } = this.#parts;
    const { repeatIntervalMs, groupIntervalMs } = group.route;
    // Where groups are flushed less often than they repeat, the next flush still has to find it.
    return clock.now() + Math.min(retentionMs, 2 * Math.max(repeatIntervalMs, groupIntervalMs));
  }

  /** A full disk repeats no notification: memory knows of it as long as the process lives. */
  async #written(writing: readonly Promise<void>[], key?: string): Promise<void> {
    try {
      await Promise.all(writing);
    } catch (error) {
      this.#parts.log.error('a notification could not be written to the log on disk', { err: messageOf(error) });
      // The next process has to know of it, too.
      if (key !== undefined) this.#parts.notificationLog.writeLater(key);
    }
  }
}
