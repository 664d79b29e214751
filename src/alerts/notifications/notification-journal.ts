import type { Clock } from '../../kernel/clock.ts';
import type { Database } from '../../kernel/database.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { type BegunNotification, contentOf, dataFor, identityOf } from '../domain/deduplication.ts';
import type { NotificationReason, ReceiverData } from '../domain/notification.ts';
import type { AlertSlot } from '../store/alert-slot.ts';
import type { NotificationHistory, NotificationRecord } from './notification-history.ts';
import type { NotificationLog } from './notification-log.ts';
import type { Flush } from './pipeline.ts';

export interface NotificationJournalParts {
  readonly notificationLog: NotificationLog;
  readonly history: NotificationHistory;
  readonly database: Database;
  /** Writes alerts in one commit with what else is written in the same turn; never rejects. */
  readonly writeAlerts: (slots: readonly AlertSlot[]) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
  /** How long an entry of the notification log is kept at most. */
  readonly retentionMs: number;
}

/** Fingerprints of the alerts of a flush. */
export interface FlushedFingerprints {
  readonly firing: readonly string[];
  readonly resolved: readonly string[];
}

/** A flush with the fingerprints of its alerts. */
export interface JournalFlush extends FlushedFingerprints {
  readonly flush: Flush;
}

/** A notification that is noted as begun. */
export interface Beginning {
  /** In the notification log. */
  readonly key: string;
  /** That of the notification. */
  readonly id: string;
  readonly reason: NotificationReason;
  /** What the last notification of the group left behind. */
  readonly receiverData: ReceiverData;
  readonly begun: BegunNotification;
  /** What was perhaps told to fire before this. */
  readonly perhapsBefore: BegunNotification['perhapsFiring'];
}

/** What is to be remembered of a notification that was told. */
export interface Success {
  readonly record?: NotificationRecord;
  /** For the next notification of the group; undefined keeps what there is. */
  readonly receiverData?: ReceiverData | undefined;
}

/** Notes of every notification that it is about to be told, and what came of it, so that a crash at any moment loses neither. */
export class NotificationJournal {
  readonly #parts: NotificationJournalParts;

  constructor(parts: NotificationJournalParts) {
    this.#parts = parts;
  }

  /**
   * To be committed before it is told. What was begun before and says the same is tried once more. The alerts come along,
   * or after a crash they would be older than what was told of them: over, and firing anew.
   */
  begin(key: string, sendResolved: boolean, reason: NotificationReason, { flush, firing }: JournalFlush): Beginning {
    const { notificationLog, database } = this.#parts;
    const last = notificationLog.find(key);
    const before = last?.begun;
    const expiresAt = this.#expiryOf(flush);
    const content = contentOf(sendResolved ? flush.alerts : flush.alerts.filter(({ isResolved }) => !isResolved));
    const begun = {
      at: before?.content === content ? before.at : flush.at,
      content,
      perhapsFiring: new Set([...(before?.perhapsFiring ?? []), ...firing]),
    };
    const entry = notificationLog.begin(key, begun, expiresAt);
    void this.#written([database.write([entry], 'system'), this.#writeAlerts(flush)], key);
    return {
      key,
      id: identityOf(key, begun),
      reason,
      receiverData: dataFor(reason, last?.receiverData ?? {}),
      begun,
      perhapsBefore: before?.perhapsFiring ?? new Set(),
    };
  }

  /** Whatever ends the process after this does not take back what was begun. */
  commit(): void {
    void this.#written([this.#parts.database.writeNow([], 'system')]);
  }

  /**
   * It was told, or there was nobody who wanted to hear it. Whatever ends the process now, it is not told again: it is
   * committed in the turn in which the answer came.
   */
  async succeed(
    { key, receiverData: lastData }: Beginning,
    { flush, firing, resolved }: JournalFlush,
    { record, receiverData = lastData }: Success = {},
  ): Promise<void> {
    const { notificationLog, history, database, clock } = this.#parts;
    const told = { at: clock.now(), firing: new Set(firing), resolved: new Set(resolved), receiverData };
    const entry = notificationLog.set(key, told, this.#expiryOf(flush));
    const statements = record ? [entry, history.add(record)] : [entry];
    await this.#written([database.writeNow(statements)], key);
  }

  /** Another attempt in a later flush is the same notification, unless it was refused for good. */
  async fail(
    { key, begun, perhapsBefore }: Beginning,
    { flush }: JournalFlush,
    record: NotificationRecord,
    isRetried: boolean,
  ): Promise<void> {
    const { notificationLog, history, database } = this.#parts;
    const content = isRetried ? begun.content : '';
    const failed = { at: begun.at, content, perhapsFiring: perhapsBefore };
    const entry = notificationLog.begin(key, failed, this.#expiryOf(flush));
    // Lost by a kill, it is begun still, and tried once more.
    await this.#written([database.write([entry, history.add(record)])], key);
  }

  #expiryOf({ group }: Flush): number {
    const { clock, retentionMs } = this.#parts;
    const { repeatIntervalMs, groupIntervalMs } = group.route;
    // Where groups are flushed less often than they repeat, the next flush still has to find it.
    return clock.now() + Math.min(retentionMs, 2 * Math.max(repeatIntervalMs, groupIntervalMs));
  }

  #writeAlerts({ alerts }: Flush): Promise<void> {
    return this.#parts.writeAlerts(alerts.map(({ slot }) => slot));
  }

  /** What was sent is not sent again because a disk is full: memory knows of it as long as the process lives. */
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
