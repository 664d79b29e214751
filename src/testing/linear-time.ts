import assert from 'node:assert/strict';

/** Tolerance for garbage collection and compilation; a quadratic algorithm takes seconds with these texts. */
const NOISE_MS = 250;
const LENGTH = 16_000;
const ATTEMPTS = 3;

/** CPU time of this process in milliseconds, which is independent of other load. */
export function processorMs(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Fails if a text of four times the length takes much more than four times the CPU time. */
export function assertLinear(what: string, textOf: (length: number) => string, run: (text: string) => unknown): void {
  const [short, long] = [textOf(LENGTH), textOf(4 * LENGTH)];
  for (let attempt = 1; ; attempt++) {
    const shortMs = processorMs(() => run(short));
    const longMs = processorMs(() => run(long));
    if (longMs < 8 * shortMs + NOISE_MS) return;
    assert.ok(attempt < ATTEMPTS, `${what}: ${shortMs} ms, four times as long: ${longMs} ms`);
  }
}
