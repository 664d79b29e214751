import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bundleScript, startChild } from '../testing/child-script.ts';
import { LongWork } from './compiler.ts';

test('work is long from 20 s of processor time within a minute', () => {
  const work = new LongWork();
  assert.equal(work.isReached(1_000, 900), false);
  assert.equal(work.isReached(40_000, 19_999), false);
  assert.equal(work.isReached(40_001, 20_000), true);
});

test('the processor time of earlier minutes does not count', () => {
  const work = new LongWork();
  for (let minute = 1; minute <= 100; minute++) {
    assert.equal(work.isReached(minute * 60_000 - 1, minute * 19_000), false, `minute ${minute}`);
    assert.equal(work.isReached(minute * 60_000, minute * 19_000), false, `minute ${minute}`);
  }
});

/**
 * Works until its function was compiled by each expected compiler in turn, and prints them. Work is long once one has compiled it.
 * The function has no loop, and V8's own code calls it: otherwise its loop, or the caller, may be compiled in its place.
 */
const script = await bundleScript(`
  import { setFlagsFromString } from 'node:v8';
  import { compileFor } from './compiler.ts';
  const [work, expected] = process.argv.slice(1);
  const seen = [];
  compileFor(work, { isReached: () => seen.length > 0 });
  setFlagsFromString('--allow-natives-syntax');
  const statusOf = new Function('f', 'return %GetOptimizationStatus(f)');
  const compilerOf = (status) => (status & 0x40 ? 'turbofan' : status & 0x20 ? 'maglev' : undefined);
  const make = (_, n) => ({ n });
  for (const compiler of expected.split(',')) {
    while (seen.at(-1) !== compiler) {
      Array.from({ length: 1_000 }, make);
      const used = compilerOf(statusOf(make));
      if (used !== undefined && used !== seen.at(-1)) seen.push(used);
      await new Promise((done) => setImmediate(done));
    }
  }
  console.log(seen.join());
`);

async function compilersOf(t: Parameters<typeof startChild>[0], ...args: readonly string[]): Promise<string> {
  const child = startChild(t, script, { args });
  const line = await child.readLine();
  const { code, stderr } = await child.end;
  assert.equal(code, 0, stderr);
  return line ?? '';
}

test('work in bursts is compiled by Maglev, and again by TurboFan once it is long', async (t) => {
  assert.equal(await compilersOf(t, 'bursts', 'maglev,turbofan'), 'maglev,turbofan');
});

test('long work is compiled by TurboFan alone', async (t) => {
  assert.equal(await compilersOf(t, 'long', 'turbofan'), 'turbofan');
});
