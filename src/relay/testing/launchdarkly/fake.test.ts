import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { openSse } from '../../../testing/http/sse-client.ts';
import { startFakeLaunchDarkly } from './fake.ts';
import { answerStatus, halfAnEvent, plainFlag } from './faults.ts';

const AUTHORIZED = { headers: { authorization: 'sdk-1' } };

test('a stream begins with a put, followed by every change', async (t) => {
  const fake = await startFakeLaunchDarkly(t, { flags: { a: plainFlag('a', 1) } });
  const stream = await openSse(`${fake.url}/all`, AUTHORIZED);
  const put = await stream.next();
  assert.equal(put?.event, 'put');
  assert.deepEqual(JSON.parse(put?.data ?? ''), { path: '/', data: { flags: { a: plainFlag('a', 1) }, segments: {} } });
  fake.patch('flags', plainFlag('a', 2, 2));
  assert.deepEqual(JSON.parse((await stream.next())?.data ?? ''), { path: '/flags/a', data: plainFlag('a', 2, 2) });
  fake.delete('flags', 'a', 3);
  assert.deepEqual(JSON.parse((await stream.next())?.data ?? ''), { path: '/flags/a', version: 3 });
  stream.close();
});

test('data of a filter goes to its streams alone', async (t) => {
  const fake = await startFakeLaunchDarkly(t);
  fake.put({ flags: { f: plainFlag('f', 1) } }, { filter: 'mine' });
  const [mine, all] = await Promise.all(
    ['?filter=mine', ''].map((query) => openSse(`${fake.url}/all${query}`, AUTHORIZED)),
  );
  assert.match((await mine?.next())?.data ?? '', /"f"/);
  assert.doesNotMatch((await all?.next())?.data ?? '', /"f"/);
  fake.patch('flags', plainFlag('g', 1), { filter: 'mine' });
  assert.match((await mine?.next())?.data ?? '', /"g"/);
  fake.patch('flags', plainFlag('h', 1));
  assert.match((await all?.next())?.data ?? '', /"h"/);
  mine?.close();
  all?.close();
});

test('each fault applies to one request', async (t) => {
  const fake = await startFakeLaunchDarkly(t, { sdkKeys: ['sdk-1'] });
  fake.failNext(answerStatus(503), halfAnEvent(), 'reset');
  assert.equal((await openSse(`${fake.url}/all`, AUTHORIZED)).status, 503);
  const half = await openSse(`${fake.url}/all`, AUTHORIZED);
  assert.equal(await half.over, 'broken');
  assert.match(half.text(), /"half"/);
  await assert.rejects(openSse(`${fake.url}/all`, AUTHORIZED));
  assert.equal((await openSse(`${fake.url}/all`, { headers: { authorization: 'sdk-2' } })).status, 401);
  const stream = await openSse(`${fake.url}/all`, AUTHORIZED);
  assert.equal((await stream.next())?.event, 'put');
  fake.dropStreams('end');
  assert.equal(await stream.over, 'ended');
});

test('events are recorded, inflated, and answered with the given status', async (t) => {
  const fake = await startFakeLaunchDarkly(t);
  fake.answerEventsNext(503);
  const post = () =>
    fetch(`${fake.url}/bulk`, {
      method: 'POST',
      headers: { 'content-encoding': 'gzip' },
      body: gzipSync('[{"kind":"custom"}]'),
    });
  assert.deepEqual([(await post()).status, (await post()).status], [503, 202]);
  await fake.until(({ eventPosts }) => eventPosts.length === 2);
  assert.deepEqual(fake.eventPosts[1]?.json, [{ kind: 'custom' }]);
  assert.equal((await fetch(`${fake.url}/nothing`)).status, 404);
});

test('it comes back on the same port', async (t) => {
  const fake = await startFakeLaunchDarkly(t);
  const { url } = fake;
  await fake.stop();
  await assert.rejects(openSse(`${url}/all`, AUTHORIZED));
  await fake.listen();
  assert.equal(fake.url, url);
  assert.deepEqual(await (await fetch(`${url}/sdk/goals/env`)).json(), []);
});
