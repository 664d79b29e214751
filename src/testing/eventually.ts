/** Deadline that only ends a hang, even on a busy machine. */
export const HANG_MS = 120_000;

/** Between two probes: grows, since the probes of a long wait would take processor time from what is awaited. */
const [FIRST_PAUSE_MS, MAX_PAUSE_MS, PAUSE_GROWTH] = [20, 200, 1.4];

/**
 * Polls the probe until it returns something other than undefined, null or false, with `everyMs` at a constant pace. For real
 * processes only. Throws after {@link HANG_MS} with `what` and the last error of the probe.
 */
export async function eventually<T>(
  what: string,
  probe: () => Promise<T | undefined | null | false> | T | undefined | null | false,
  { everyMs }: { readonly everyMs?: number } = {},
): Promise<T> {
  const givenUpAt = performance.now() + HANG_MS;
  let pauseMs = everyMs ?? FIRST_PAUSE_MS;
  for (;;) {
    // One more probe after the deadline: this process may have been delayed itself.
    const isLast = performance.now() >= givenUpAt;
    let failure: unknown;
    try {
      const found = await probe();
      if (found !== undefined && found !== null && found !== false) return found;
    } catch (error) {
      failure = error;
    }
    if (isLast) throw new Error(`${what}: not within ${HANG_MS} ms`, { cause: failure });
    await new Promise((done) => setTimeout(done, pauseMs));
    if (everyMs === undefined) pauseMs = Math.min(pauseMs * PAUSE_GROWTH, MAX_PAUSE_MS);
  }
}
