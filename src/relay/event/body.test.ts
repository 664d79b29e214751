import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Inflater } from './body.ts';

test('bodies wait for their turn, and every one has it, also behind invalid ones', async () => {
  const inflater = new Inflater();
  const bomb = gzipSync(Buffer.alloc(2 ** 20));
  const bodies = Array.from({ length: 30 }, (_, index) => [
    [bomb, 'too large'],
    [gzipSync(`${index}`).subarray(0, -1), 'unreadable'],
    [gzipSync(`${index}`), `${index}`],
    [Buffer.from(`${index}`), 'not gzip'],
  ]).flat() as [Buffer, string][];
  const results = await Promise.all(bodies.map(([bytes]) => inflater.inflate(bytes, 1000)));
  assert.deepEqual(
    results.map((result) => (result.ok ? result.value.toString() : result.reason)),
    bodies.map(([, expected]) => expected),
  );
});

test('a body may inflate to the limit and no byte further', async () => {
  const inflater = new Inflater();
  for (const [size, ok] of [
    [1000, true],
    [1001, false],
  ] as const) {
    assert.equal((await inflater.inflate(gzipSync(Buffer.alloc(size)), 1000)).ok, ok);
  }
});
