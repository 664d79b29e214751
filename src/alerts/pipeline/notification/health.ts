import type { NotificationRecord } from './history.ts';
import { type LogKey, type NotificationLog, printLogKey } from './log.ts';

/** A group that an integration could not be notified of. Instants are epoch milliseconds. */
export interface Failure extends LogKey {
  /** The first failed attempt since the last success. */
  readonly since: number;
  /** The last failed attempt. */
  readonly at: number;
  readonly error: string;
  /** A later attempt of the same flush may still succeed. */
  readonly isRetried: boolean;
}

/** Notifications since the start; instants are epoch milliseconds. */
export interface NotificationCounts {
  readonly sent: number;
  readonly failed: number;
  readonly lastSentAt: number | undefined;
  readonly lastFailedAt: number | undefined;
}

type IntegrationPlace = Pick<LogKey, 'receiver' | 'integration' | 'index'>;

const NOTHING: NotificationCounts = { sent: 0, failed: 0, lastSentAt: undefined, lastFailedAt: undefined };

/** How long a failure is kept that is not repeated, as that of a group that is gone. */
const FORGET_MS = 24 * 3_600_000;

/** What became of the last notifications: counts for each integration, and the groups that failed. */
export class NotificationHealth {
  readonly #counts = new Map<string, NotificationCounts>();
  /** By the key in the notification log. */
  readonly #failures = new Map<string, Failure>();

  countsOf(place: IntegrationPlace): NotificationCounts {
    return this.#counts.get(printPlace(place)) ?? NOTHING;
  }

  /** Whether no failure is known. */
  get isSound(): boolean {
    return this.#failures.size === 0;
  }

  /** Those that nothing has ended yet; some of their groups may need no notification any more. */
  failures(): Iterable<Failure> {
    return this.#failures.values();
  }

  /** One attempt failed, and another follows. */
  stumbled(key: LogKey, at: number, error: string): void {
    this.note({ ...key, since: at, at, error, isRetried: true });
  }

  /** No further attempt follows. */
  failed(record: NotificationRecord, error: string): void {
    const { at } = record;
    const counts = this.countsOf(record);
    this.#counts.set(printPlace(record), { ...counts, failed: counts.failed + 1, lastFailedAt: at });
    this.note(failureOf(record, error));
  }

  sent(record: NotificationRecord): void {
    const counts = this.countsOf(record);
    this.#counts.set(printPlace(record), { ...counts, sent: counts.sent + 1, lastSentAt: record.at });
    this.settled(printLogKey(record));
  }

  /** The integration is up to date with the group of this key. */
  settled(key: string): void {
    this.#failures.delete(key);
  }

  /** Joins it with a known one of the same group. */
  note(failure: Failure): void {
    const key = printLogKey(failure);
    const known = this.#failures.get(key);
    this.#failures.set(key, known ? joinFailures(known, failure) : failure);
  }

  forgetOld(now: number): void {
    for (const [key, { at }] of this.#failures) if (at < now - FORGET_MS) this.#failures.delete(key);
  }
}

/** Takes up a failure of the past or of another node, unless the integration has accepted a notification since. */
export function noteFailure(
  { health, notificationLog }: { readonly health: NotificationHealth; readonly notificationLog: NotificationLog },
  failure: Failure,
): void {
  if ((notificationLog.find(printLogKey(failure))?.at ?? 0) < failure.at) health.note(failure);
}

export function failureOf(record: NotificationRecord, error: string): Failure {
  const { groupKey, receiver, integration, index, at, durationMs } = record;
  return { groupKey, receiver, integration, index, at, since: at - durationMs, error, isRetried: false };
}

function joinFailures(a: Failure, b: Failure): Failure {
  const last = a.at > b.at ? a : b;
  return { ...last, since: Math.min(a.since, b.since), isRetried: a.isRetried && b.isRetried };
}

function printPlace({ receiver, integration, index }: IntegrationPlace): string {
  return `${integration}/${index}/${receiver}`;
}
