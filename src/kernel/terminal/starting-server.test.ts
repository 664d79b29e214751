import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../testing/fake/clock.ts';
import { awaitStart } from './starting-server.ts';

const refused = () =>
  Promise.reject(new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) }));

/** Runs requests that fail until `startsAfterMs`, in steps of 10 ms; the number of requests and when it ended. */
async function run(url: string, startsAfterMs: number, fail: () => Promise<never> = refused) {
  const clock = new FakeClock();
  let requests = 0;
  const sending = awaitStart(url, { clock, startWaitMs: 2_000 }, async () => {
    requests++;
    return clock.monotonic() < startsAfterMs ? fail() : 'answer';
  }).catch(() => 'failed');
  let result: string | undefined;
  void sending.then((text) => {
    result = text;
  });
  for (let step = 0; step < 400 && result === undefined; step++) {
    await new Promise(setImmediate);
    if (result === undefined) clock.advance(10);
  }
  return { result, requests, ms: clock.monotonic() };
}

for (const url of ['http://localhost:9093', 'http://127.0.0.1:8030/prefix', 'http://[::1]:8065'])
  test(`a request to ${url} waits up to two seconds for a server that starts`, async () => {
    const { result, ms } = await run(url, 1_500);
    assert.equal(result, 'answer');
    assert.ok(ms >= 1_500 && ms < 1_600, String(ms));
    const late = await run(url, 2_500);
    assert.equal(late.result, 'failed');
    assert.ok(late.ms <= 2_000, String(late.ms));
  });

test('a server of another machine, and a failure other than a refused connection, are not waited for', async () => {
  assert.deepEqual(await run('http://alerts.example.org:9093', 500), { result: 'failed', requests: 1, ms: 0 });
  const reset = () => Promise.reject(Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
  assert.deepEqual(await run('http://localhost:9093', 500, reset), { result: 'failed', requests: 1, ms: 0 });
});
