import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { endSha1, startSha1 } from './sha1.ts';

function sha1(beginning: string, rest: string): string | undefined {
  const start = startSha1(beginning);
  const digest = start && endSha1(start, rest);
  return digest && Array.from(digest, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

test('the hash is that of node:crypto, for every length around the blocks', () => {
  const text = Array.from({ length: 300 }, (_, index) => String.fromCharCode((index * 7) % 128)).join('');
  for (let from = 0; from < 140; from++) {
    for (let to = from; to < from + 140; to++) {
      assert.equal(sha1(text.slice(0, from), text.slice(from, to)), hash('sha1', text.slice(0, to)), `${from} ${to}`);
    }
  }
});

test('one beginning serves many texts', () => {
  const start = startSha1('flag.salt.');
  assert.ok(start);
  const first = endSha1(start, 'a')?.slice();
  endSha1(start, 'b'.repeat(100));
  assert.deepEqual(endSha1(start, 'a'), first);
});

test('other texts than ASCII are left to node:crypto', () => {
  assert.equal(sha1('größe', 'a'), undefined);
  assert.equal(sha1('a', 'größe'), undefined);
});
