import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../testing/fake/clock.ts';
import { hashContextKey, MembershipCache } from './membership-cache.ts';

/** A store whose answers the test releases. */
function openCache() {
  const clock = new FakeClock();
  const asked: string[] = [];
  const answers: ((failure?: Error) => void)[] = [];
  const cache = new MembershipCache(
    {
      listedSegments: (hash) => {
        asked.push(hash);
        return new Promise((resolve, reject) =>
          answers.push((failure) => (failure ? reject(failure) : resolve({ included: ['s.g1'], excluded: [] }))),
        );
      },
    },
    clock,
  );
  const read = async (key: string) => {
    const pending = cache.read(key);
    answers.shift()?.();
    await pending;
  };
  return { clock, asked, answers, cache, read };
}

test('a context is named by the standard base64 of the SHA-256 of its key', () => {
  assert.equal(hashContextKey('userkey'), '72cBpXPyn4N6TqqlS8Tti37jEcoNhFzL9ZdG1jXkILE=');
});

test('a membership is known for five seconds', async () => {
  const { clock, cache, read } = openCache();
  assert.equal(cache.known('a'), undefined);
  await read('a');
  assert.deepEqual([...(cache.known('a')?.included ?? [])], ['s.g1']);
  clock.advance(4999);
  assert.ok(cache.known('a'));
  clock.advance(1);
  assert.equal(cache.known('a'), undefined);
});

test('a thousand are known, the last used ones', async () => {
  const { cache, read } = openCache();
  for (let index = 0; index < 1000; index++) await read(`key-${index}`);
  assert.ok(cache.known('key-0'));
  await read('another');
  assert.ok(cache.known('key-0'));
  assert.equal(cache.known('key-1'), undefined);
  assert.ok(cache.known('key-2'));
});

test('callers share a look-up, and a failure is not kept', async () => {
  const { cache, asked, answers } = openCache();
  const reads = [cache.read('a'), cache.read('a'), cache.read('b')];
  assert.equal(asked.length, 2);
  for (const answer of answers.splice(0)) answer(new Error('away'));
  for (const read of reads) await assert.rejects(read, /away/);
  const again = cache.read('a');
  answers.shift()?.();
  await again;
  assert.ok(cache.known('a'));
});

test('after a change, look-ups that began before it are not kept, and not shared', async () => {
  const { cache, asked, answers } = openCache();
  const before = cache.read('a');
  cache.clear();
  const after = cache.read('a');
  assert.equal(asked.length, 2);
  answers[0]?.();
  await before;
  assert.equal(cache.known('a'), undefined);
  const shared = cache.read('a');
  assert.equal(asked.length, 2);
  answers[1]?.();
  await Promise.all([after, shared]);
  assert.ok(cache.known('a'));
});
