import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SharedRead } from './shared-read.ts';

/** Reads that the test ends. */
function openReads() {
  const ends: ((error?: Error) => void)[] = [];
  const reads = new SharedRead(
    () => new Promise<void>((resolve, reject) => ends.push((error) => (error ? reject(error) : resolve()))),
  );
  return { reads, ends };
}

const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

test('calls of one turn share a read, and those during it share the next', async () => {
  const { reads, ends } = openReads();
  const first = [reads.run()];
  await Promise.resolve();
  first.push(reads.run());
  await turn();
  assert.equal(ends.length, 1);
  const second = [reads.run(), reads.run()];
  await turn();
  assert.equal(ends.length, 1, 'the next read begins after the one that runs');
  ends[0]?.();
  await Promise.all(first);
  await turn();
  assert.equal(ends.length, 2);
  ends[1]?.();
  await Promise.all(second);
});

test('a failure reaches the callers of its read alone', async () => {
  const { reads, ends } = openReads();
  const failing = reads.run();
  await turn();
  const next = reads.run();
  ends[0]?.(new Error('away'));
  await assert.rejects(failing, /away/);
  await turn();
  ends[1]?.();
  await next;
  await reads.ended();
});
