import type { HookProgress, OutgoingHook } from './hook.ts';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
/**
 * Delays after consecutive failures; the last one repeats. Source: Standard Webhooks, "deliverability and reliability".
 */
const PAUSES_MS = [5, 30, 120, 600, 1_800]
  .map((seconds) => seconds * SECOND_MS)
  .concat([1, 2, 4, 6].map((h) => h * HOUR_MS));
/** A receiver that fails for longer is paused. */
const GIVE_UP_MS = 24 * HOUR_MS;

/** Whether a hook subscribes to events of a type: by its name, by `message.*`, or by `*`. */
export function wantsEvent({ events }: Pick<OutgoingHook, 'events'>, type: string): boolean {
  return events.some(
    (wanted) => wanted === '*' || wanted === type || (wanted.endsWith('.*') && type.startsWith(wanted.slice(0, -1))),
  );
}

/** After a delivery, or after an event that the hook does not subscribe to. */
export function advanced(progress: HookProgress, pos: number, status: number | null): HookProgress {
  return {
    ...progress,
    cursor: pos,
    failures: 0,
    lastStatus: status ?? progress.lastStatus,
    lastError: null,
    failingSince: null,
  };
}

/** After a failed attempt; `retryInMs` is `null` when the hook is to be paused. */
export function failed(
  progress: HookProgress,
  {
    status,
    error,
    now,
    random,
  }: { readonly status: number | null; readonly error: string; readonly now: number; readonly random: number },
): { readonly progress: HookProgress; readonly retryInMs: number | null } {
  const failingSince = progress.failingSince ?? now;
  const next = { ...progress, failures: progress.failures + 1, lastStatus: status, lastError: error, failingSince };
  // 410: the receiver is gone for good.
  if (now - failingSince >= GIVE_UP_MS || status === 410) return { progress: next, retryInMs: null };
  const pauseMs = PAUSES_MS[Math.min(progress.failures, PAUSES_MS.length - 1)] ?? HOUR_MS;
  // Jitter: receivers that failed together are not all retried together.
  return { progress: next, retryInMs: Math.round(pauseMs * (0.9 + 0.2 * random)) };
}

/** When an event occurred (RFC 3339); `undefined`: those of members, reactions and pins have no time. */
export function timeOf(type: string, data: string): string | undefined {
  const [kind = ''] = type.split('.');
  const parsed = JSON.parse(data) as Readonly<Record<string, Readonly<Record<string, unknown>> | null>>;
  const object = parsed[kind === 'alert' ? 'message' : kind];
  const times = ['updatedAt', 'finishedAt', 'startedAt', 'queuedAt'].map((name) => object?.[name]);
  return times.find((time) => typeof time === 'string');
}

/** The body of a delivery, the same at each attempt. `timestamp`: of the event; `data`: its JSON. */
export function printDelivery(type: string, timestamp: string, data: string): string {
  return `{"type":${JSON.stringify(type)},"timestamp":${JSON.stringify(timestamp)},"data":${data}}`;
}
