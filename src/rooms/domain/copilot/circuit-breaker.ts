const WINDOW_MS = 60_000;
const FAILURES = 5;
const OPEN_MS = 30_000;

/** How a provider has fared of late. */
export interface Circuit {
  /** When it failed, within the last minute. */
  readonly failures: readonly number[];
  /** Until then it is not asked. */
  readonly openUntil: number;
}

export const CLOSED_CIRCUIT: Circuit = { failures: [], openUntil: 0 };

/** After five failures within a minute it is left alone for half a minute; then one more failure is enough. */
export function circuitAfter({ failures, openUntil }: Circuit, result: 'ok' | 'failed', now: number): Circuit {
  if (result === 'ok') return CLOSED_CIRCUIT;
  const recent = [...failures.filter((at) => at > now - WINDOW_MS), now].slice(-FAILURES);
  const wasOpen = openUntil > 0 && openUntil > now - WINDOW_MS;
  return { failures: recent, openUntil: recent.length >= FAILURES || wasOpen ? now + OPEN_MS : openUntil };
}

/** For how long it is not to be asked; 0: it may be. A clock that went back does not make that longer. */
export function openForMs({ openUntil }: Circuit, now: number): number {
  const leftMs = openUntil - now;
  return leftMs > OPEN_MS ? 0 : Math.max(0, leftMs);
}
