import type { Alert } from './alert.ts';
import { expireSilence, type Silence, silenceStateAt } from './silence.ts';

/** A silence with this annotation set to `true` expires when the last alert that it silenced has resolved. */
const EXPIRE_WHEN_RESOLVED = 'expire_when_resolved';

/**
 * A silence with this annotation, an instant in RFC 3339, is an acknowledgement: it ends soon, is renewed up to that instant
 * while an alert fires that fired when it began, and expires with the last of them.
 */
const ACKNOWLEDGED_UNTIL = 'acknowledged_until';

const MINUTE_MS = 60_000;
/** The remaining time of a renewed acknowledgement: without a server that renews it, its alerts notify again after that. */
const RENEWED_FOR_MS = 15 * MINUTE_MS;
/** Far enough from the end that a short outage of the storage does not matter. */
const RENEWED_BELOW_MS = 10 * MINUTE_MS;
/** How far the clock of an alert's sender may be ahead. */
const MAX_CLOCK_SKEW_MS = MINUTE_MS;

type Occurrence = Pick<Alert, 'startsAt' | 'endsAt'>;

/** Whether the end of the silence follows its alerts. */
export function hasFollowingEnd(silence: Silence): boolean {
  return silence.annotations[EXPIRE_WHEN_RESOLVED] === 'true' || limitOf(silence) !== undefined;
}

/**
 * An active silence after a look at the alerts that it matches: expired with the last of them, renewed, or the same. Without
 * an alert it waits. An acknowledgement does not hold for an alert that has begun again: that one notifies.
 */
export function followAlerts(silence: Silence, alerts: readonly Occurrence[], now: number): Silence {
  if (silenceStateAt(silence, now) !== 'active') return silence;
  const limit = limitOf(silence);
  const isOver = (alert: Occurrence) =>
    alert.endsAt <= now || (limit !== undefined && alert.startsAt > silence.startsAt + MAX_CLOCK_SKEW_MS);
  const silenced = alerts.filter(({ endsAt }) => endsAt > silence.startsAt);
  if (silenced.length === 0) return silence;
  if (silenced.every(isOver)) return expireSilence(silence, now);
  return limit === undefined ? silence : renew(silence, limit, now);
}

function renew(silence: Silence, limit: number, now: number): Silence {
  const endsAt = Math.min(now + RENEWED_FOR_MS, limit);
  const isDue = silence.endsAt - now <= RENEWED_BELOW_MS && endsAt > silence.endsAt;
  return isDue ? { ...silence, endsAt, updatedAt: now } : silence;
}

/** The last end of an acknowledgement, in epoch milliseconds; undefined for any other silence. */
function limitOf({ annotations }: Silence): number | undefined {
  const at = Date.parse(annotations[ACKNOWLEDGED_UNTIL] ?? '');
  return Number.isNaN(at) ? undefined : at;
}
