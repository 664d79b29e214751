import type { Clock } from '../../kernel/clock.ts';
import { Conditions } from '../../kernel/conditions.ts';
import type { Log } from '../../kernel/log.ts';
import type { Database } from '../../kernel/storage/database.ts';
import { reportWrites } from '../../kernel/storage/write-report.ts';
import type { Claims } from '../pipeline/claims.ts';
import { GroupTimers, type TimerStorage } from '../pipeline/group-timers.ts';
import { NotificationHistory } from '../pipeline/notification/history.ts';
import { LocalNotifications, type NotificationStorage } from '../pipeline/notification/storage.ts';
import { LocalSilences, type SilenceStorage } from '../silences/storage.ts';
import type { AlertStorage } from '../store/storage.ts';
import { AlertWriter } from '../store/writer.ts';

/** Where the server keeps its state: the data directory, or the database of several nodes. */
export interface AlertServerStorage {
  readonly silences: SilenceStorage;
  readonly alerts: AlertStorage;
  readonly timers: TimerStorage;
  readonly notifications: NotificationStorage;
  /** What cannot be stored at present. */
  readonly conditions: Conditions;
  /** Undefined: this node is the only one. */
  readonly claims?: Claims;
  /** Commits what was written in this turn. */
  commit(): void;
}

export interface LocalStorageParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** How long notifications stay in the history. */
  readonly retentionMs: number;
}

/** The storage of a single node. */
export function localStorage({ database, clock, log, retentionMs }: LocalStorageParts): AlertServerStorage {
  const conditions = new Conditions();
  const history = new NotificationHistory(database, retentionMs);
  const report = reportWrites({ what: 'sent notifications', meanwhile: 'they are kept in memory', log, conditions });
  return {
    silences: new LocalSilences(database),
    alerts: new AlertWriter(database, clock, log, conditions),
    timers: new GroupTimers(database, clock, log, conditions),
    notifications: new LocalNotifications(database, history, report),
    conditions,
    commit: () => void database.writeNow([], 'system').catch(() => {}),
  };
}
