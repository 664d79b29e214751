const WINDOW_MS = 60_000;
const FAILURES = 5;
const OPEN_MS = 30_000;

/** The recent failures of a provider. */
export interface Circuit {
  /** Times of failures within the last minute. */
  readonly failures: readonly number[];
  /** Not asked until then. */
  readonly openUntil: number;
}

export const CLOSED_CIRCUIT: Circuit = { failures: [], openUntil: 0 };

/**
 * After five failures within a minute the circuit opens for half a minute; afterwards one more failure opens it again.
 */
export function circuitAfter({ failures, openUntil }: Circuit, result: 'ok' | 'failed', now: number): Circuit {
  if (result === 'ok') return CLOSED_CIRCUIT;
  const recent = [...failures.filter((at) => at > now - WINDOW_MS), now].slice(-FAILURES);
  const wasOpen = openUntil > 0 && openUntil > now - WINDOW_MS;
  return { failures: recent, openUntil: recent.length >= FAILURES || wasOpen ? now + OPEN_MS : openUntil };
}

/** How long the circuit stays open; 0: closed. A clock that went back does not extend it. */
export function openForMs({ openUntil }: Circuit, now: number): number {
  const leftMs = openUntil - now;
  return leftMs > OPEN_MS ? 0 : Math.max(0, leftMs);
}
