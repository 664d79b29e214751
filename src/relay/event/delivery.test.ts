import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createLog } from '../../kernel/log.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import { httpAnswer } from '../../testing/http/client-parts.ts';
import { type EventHostAnswer, FakeEventHost, settled } from '../testing/test-forwarder.ts';
import { type DeliveryResult, deliver } from './delivery.ts';

const PAYLOAD = {
  url: 'https://events.example.com/bulk',
  headers: { authorization: 'sdk-secret', 'x-launchdarkly-payload-id': 'id-1' },
  body: Buffer.from('[{"kind":"custom"}]'),
  what: 'server events',
};

function setUp(answers: readonly EventHostAnswer[]) {
  const clock = new FakeClock(0);
  const host = new FakeEventHost(clock);
  host.answerNext(...answers);
  const lines: string[] = [];
  const abort = new AbortController();
  const log = createLog({ level: 'debug', format: 'json', clock, write: (line) => lines.push(line) });
  return { clock, host, lines, abort, parts: { http: host, clock, log, signal: abort.signal } };
}

/** Advances time in seconds until the delivery has ended. */
async function finish(delivery: Promise<DeliveryResult>, clock: FakeClock): Promise<DeliveryResult> {
  let result: DeliveryResult | undefined;
  void delivery.then((done) => {
    result = done;
  });
  await settled(() => {
    clock.advance(1000);
    return result !== undefined;
  });
  return result as DeliveryResult;
}

const networkError = () => Object.assign(new Error('sdk-secret'), { code: 'ECONNREFUSED' });

const OUTCOMES: readonly [string, readonly EventHostAnswer[], DeliveryResult['outcome'], number][] = [
  ['200', [200], 'sent', 1],
  ['202', [202], 'sent', 1],
  ...[400, 408, 429, 500, 503, 301].flatMap((status): typeof OUTCOMES => [
    [`${status}, then 202`, [status, 202], 'sent', 2],
    [`${status} twice`, [status, status, 202], 'failed', 2],
  ]),
  ['no connection, then 202', [networkError(), 202], 'sent', 2],
  ['no connection twice', [networkError(), networkError()], 'failed', 2],
  ['no answer, then 202', ['hang', 202], 'sent', 2],
  ['no answer twice', ['hang', 'hang'], 'failed', 2],
  ['401', [401], 'refused', 1],
  ['403', [403], 'refused', 1],
  ['404', [404], 'refused', 1],
  ['503, then 401', [503, 401], 'refused', 2],
  ['413', [413], 'failed', 1],
];

describe('the result of a payload', () => {
  for (const [name, answers, outcome, posts] of OUTCOMES) {
    test(`${name}: ${outcome} after ${posts} posts`, async () => {
      const { clock, host, parts } = setUp(answers);
      assert.equal((await finish(deliver(PAYLOAD, parts), clock)).outcome, outcome);
      assert.equal(host.posts.length, posts);
    });
  }
});

test('the retry comes a second after the failure and is the same post, with the same payload id', async () => {
  const { clock, host, parts } = setUp([503]);
  const delivery = deliver(PAYLOAD, parts);
  await settled(() => host.posts.length === 1);
  // Including waits not yet begun.
  for (let turn = 0; turn < 5; turn++) await new Promise((done) => setImmediate(done));
  clock.advance(999);
  for (let turn = 0; turn < 5; turn++) await new Promise((done) => setImmediate(done));
  assert.equal(host.posts.length, 1);
  clock.advance(1);
  assert.equal((await delivery).outcome, 'sent');
  const [first, second] = host.posts;
  assert.deepEqual({ ...second, at: 0 }, { ...first, at: 0 });
  assert.equal(first?.headers['content-encoding'], 'gzip');
  assert.equal(first?.headers['content-type'], 'application/json');
  assert.equal(first?.headers['x-launchdarkly-payload-id'], 'id-1');
});

test('an answer is waited for ten seconds', async () => {
  const { clock, host, parts } = setUp(['hang']);
  const delivery = deliver(PAYLOAD, parts);
  await settled(() => host.posts.length === 1);
  clock.advance(9_999);
  for (let turn = 0; turn < 5; turn++) await new Promise((done) => setImmediate(done));
  assert.equal(host.posts.length, 1);
  assert.equal((await finish(delivery, clock)).outcome, 'sent');
});

test("upstream's Date is returned if present", async () => {
  const date = 'Thu, 01 Jan 2026 00:00:05 GMT';
  const { parts } = setUp([httpAnswer(202, '', { date }), 202]);
  assert.equal((await deliver(PAYLOAD, parts)).serverTime, Date.parse(date));
  assert.equal((await deliver(PAYLOAD, parts)).serverTime, undefined);
});

test('the end of the forwarder ends the wait for an answer and for the retry', async () => {
  for (const answer of ['hang', 503] as const) {
    const { host, abort, parts } = setUp([answer]);
    const delivery = deliver(PAYLOAD, parts);
    await settled(() => host.posts.length === 1);
    abort.abort();
    assert.equal((await delivery).outcome, 'failed');
    assert.equal(host.posts.length, 1);
  }
});

test('no log line quotes the key', async () => {
  const { clock, lines, parts } = setUp([networkError(), 503]);
  await finish(deliver(PAYLOAD, parts), clock);
  assert.equal(lines.length, 2);
  assert.match(lines.join(''), /ECONNREFUSED.*\n.*503/);
  assert.doesNotMatch(lines.join(''), /secret/);
});
