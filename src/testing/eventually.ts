/**
 * Asks again and again until the probe gives something other than undefined, null or false. For waiting on real
 * processes only: throws after the deadline, naming what was waited for and the probe's last error.
 */
export async function eventually<T>(
  what: string,
  probe: () => Promise<T | undefined | null | false> | T | undefined | null | false,
  { deadlineMs = 15_000, everyMs = 50 } = {},
): Promise<T> {
  const givenUpAt = performance.now() + deadlineMs;
  let lastError = '';
  while (performance.now() < givenUpAt) {
    try {
      const found = await probe();
      if (found !== undefined && found !== null && found !== false) return found;
    } catch (error) {
      lastError = ` (${error instanceof Error ? error.message : String(error)})`;
    }
    await new Promise((done) => setTimeout(done, everyMs));
  }
  throw new Error(`${what}: not within ${deadlineMs} ms${lastError}`);
}
