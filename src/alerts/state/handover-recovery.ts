import type { Database, Statement } from '../../kernel/database.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { type Announcement, countAsTold, identityOf } from '../domain/deduplication.ts';
import type { HandoverLog } from '../notifications/handover-log.ts';
import { notifiedAlert, pairsOf } from '../notifications/notification-data.ts';
import { MOST_NAMED_ALERTS, type NotificationRecord } from '../notifications/notification-history.ts';
import { parseLogKey } from '../notifications/notification-log.ts';
import type { NotedTelling } from '../notifications/recipient.ts';
import type { AlertState } from './alert-state.ts';

const REMARKS = {
  answered: 'sent: the server was killed before it had noted the answer',
  handedOver: 'counts as sent: the server was killed before the answer was read',
};

export interface HandoverRecoveryParts {
  readonly state: AlertState;
  readonly handovers: HandoverLog;
  readonly database: Database;
  readonly log: Log;
}

/**
 * What the sender of a server that was killed has noted as told is told; returns how many notifications that are. To be
 * called once, when that sender has ended and before the first flush.
 */
export async function countHandedOver({ state, handovers, database, log }: HandoverRecoveryParts): Promise<number> {
  handovers.load();
  const { notificationLog, history } = state;
  const statements: Statement[] = [];
  const begun = [...notificationLog.begun()];
  for (const [key, last, { announcement, ...rest }] of begun) {
    const noted = handovers.recipient(parseLogKey(key)).toldBefore(identityOf(key, rest));
    if (announcement === undefined || noted === undefined) continue;
    const told = countAsTold(last, announcement, { at: noted.at, left: noted.receiverData });
    statements.push(notificationLog.set(key, told, announcement.expiresAt));
    statements.push(history.add(recordOf(key, announcement, noted, state)));
  }
  try {
    await database.writeNow(statements);
    handovers.forgetBefore();
  } catch (error) {
    // The notes stay for the next start.
    log.error('what was handed over before could not be written to the log on disk', { err: messageOf(error) });
  }
  return statements.length / 2;
}

function recordOf(
  key: string,
  { firing, resolved, reason, sendResolved }: Announcement,
  { at, isAnswered }: NotedTelling,
  { alerts, groups }: AlertState,
): NotificationRecord {
  const logKey = parseLogKey(key);
  const group = groups.sorted().find((one) => one.key === logKey.groupKey && one.receiver === logKey.receiver);
  const ended = sendResolved ? resolved : [];
  const told = [...firing, ...ended].slice(0, MOST_NAMED_ALERTS).flatMap((fingerprint, index) => {
    const alert = alerts.get(fingerprint);
    return alert ? [notifiedAlert({ alert, isResolved: index >= firing.length })] : [];
  });
  return {
    ...logKey,
    at,
    groupLabels: group ? pairsOf(group.labels) : {},
    reason,
    attempts: 1,
    durationMs: 0,
    firing: firing.length,
    resolved: ended.length,
    alerts: told.map(({ fingerprint, status, labels }) => ({ fingerprint, status, labels })),
    error: undefined,
    remark: isAnswered ? REMARKS.answered : REMARKS.handedOver,
  };
}
