import assert from 'node:assert/strict';
import { closeSync, existsSync, openSync } from 'node:fs';
import { test } from 'node:test';
import { Metrics } from './metrics.ts';

/** By name. */
async function numbers(): Promise<Readonly<Record<string, number>>> {
  const metrics = new Metrics();
  metrics.process(5_000);
  const lines = (await metrics.render()).split('\n').filter((line) => line.startsWith('process_'));
  return Object.fromEntries(lines.map((line) => line.split(' ')).map(([name, value]) => [name, Number(value)]));
}

test('a process reports its start and its memory', async () => {
  const { process_start_time_seconds: start, process_resident_memory_bytes: rss = 0 } = await numbers();
  assert.equal(start, 5);
  assert.ok(rss > 20e6 && rss < 8e9, `${rss} bytes`);
});

test('on Linux it reports open files and their limit', async (t) => {
  if (!existsSync('/proc/self/limits')) return t.skip('there is no /proc');
  const before = await numbers();
  const descriptors = Array.from({ length: 50 }, () => openSync('/dev/null', 'r'));
  const after = await numbers();
  for (const descriptor of descriptors) closeSync(descriptor);
  const opened = Number(after.process_open_fds) - Number(before.process_open_fds);
  assert.ok(opened > 40 && opened < 60, `${opened} more`);
  assert.ok(Number(after.process_max_fds) > Number(after.process_open_fds));
  assert.ok(Number(after.process_virtual_memory_bytes) > Number(after.process_resident_memory_bytes));
});
