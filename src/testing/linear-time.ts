import assert from 'node:assert/strict';

/** What a busy machine may add; a quadratic step over the texts of these tests takes seconds. */
const NOISE_MS = 250;
const LENGTH = 16_000;
const ATTEMPTS = 3;

function timeOf(run: () => void): number {
  const began = performance.now();
  run();
  return performance.now() - began;
}

/** Fails where a text of four times the length takes much more than four times as long; `run` may refuse the text. */
export function assertLinear(what: string, textOf: (length: number) => string, run: (text: string) => unknown): void {
  const [short, long] = [textOf(LENGTH), textOf(4 * LENGTH)];
  for (let attempt = 1; ; attempt++) {
    const shortMs = timeOf(() => run(short));
    const longMs = timeOf(() => run(long));
    if (longMs < 8 * shortMs + NOISE_MS) return;
    assert.ok(attempt < ATTEMPTS, `${what}: ${shortMs} ms, four times as long: ${longMs} ms`);
  }
}
