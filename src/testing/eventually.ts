/** A deadline only ends a hang: what has not happened by then, on however busy a machine, never will. */
export const HANG_MS = 120_000;

/**
 * Asks again and again until the probe gives something other than undefined, null or false. For waiting on real
 * processes only: throws after {@link HANG_MS}, naming what was waited for and the probe's last error.
 */
export async function eventually<T>(
  what: string,
  probe: () => Promise<T | undefined | null | false> | T | undefined | null | false,
  { everyMs = 50 } = {},
): Promise<T> {
  const givenUpAt = performance.now() + HANG_MS;
  for (;;) {
    // Whatever is found by the probe that follows the deadline counts: this process may itself have been held up.
    const isLast = performance.now() >= givenUpAt;
    let failure: unknown;
    try {
      const found = await probe();
      if (found !== undefined && found !== null && found !== false) return found;
    } catch (error) {
      failure = error;
    }
    if (isLast) throw new Error(`${what}: not within ${HANG_MS} ms`, { cause: failure });
    await new Promise((done) => setTimeout(done, everyMs));
  }
}
