import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HttpAnswer } from '../../kernel/http-client/exchange.ts';
import type { HttpRequest } from '../../kernel/http-client/http-client.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import { patchOf } from '../testing/databases/memory-big-segments.ts';
import { FakeHttp, settle } from '../testing/launchdarkly/http.ts';
import { BigSegmentUpstream } from './upstream.ts';

const WIRE = {
  environmentId: 'e',
  segmentId: 's.g1',
  version: '2',
  previousVersion: '1',
  changes: { included: { add: ['a', 'b'], remove: null }, excluded: null },
};
const PATCH = patchOf('1', '2', { included: { add: ['a', 'b'], remove: [] } });

const HALF = { signal: new AbortController().signal };

function open() {
  const clock = new FakeClock();
  const http = new FakeHttp();
  const requests: HttpRequest[] = [];
  let answer = async (_: HttpRequest) => answerOf(200, '[]');
  const upstream = new BigSegmentUpstream({
    baseUri: 'https://sdk.test/base',
    streamUri: 'https://stream.test',
    sdkKey: () => `sdk-${requests.length}`,
    http: {
      open: (request) => http.open(request),
      send: async (request) => {
        requests.push(request);
        return answer(request);
      },
    },
    clock,
  });
  return {
    clock,
    http,
    requests,
    upstream,
    answerWith: (next: typeof answer) => {
      answer = next;
    },
  };
}

const answerOf = (status: number, text: string, isWhole = true) =>
  new HttpAnswer(status, new Headers(), Buffer.from(text), isWhole);

test('a poll asks for the patches after the cursor, with the present key', async () => {
  const { upstream, requests, answerWith } = open();
  answerWith(async () => answerOf(200, JSON.stringify([WIRE])));
  assert.deepEqual(await upstream.poll('', HALF.signal), [PATCH]);
  assert.deepEqual(await upstream.poll('a b/1', HALF.signal), [PATCH]);
  assert.deepEqual(
    requests.map(({ url, headers }) => [url, headers?.authorization]),
    [
      ['https://sdk.test/base/sdk/big-segments/revisions', 'sdk-0'],
      ['https://sdk.test/base/sdk/big-segments/revisions?after=a%20b%2F1', 'sdk-1'],
    ],
  );
});

test('a poll throws for anything but whole patches, and does not quote them', async () => {
  const { upstream, answerWith } = open();
  const cases: readonly (readonly [HttpAnswer, RegExp])[] = [
    [answerOf(401, ''), /status 401/],
    [answerOf(200, '[{', false), /exceeds/],
    [answerOf(200, 'garbage'), /not JSON/],
    [answerOf(200, '{}'), /not an array/],
    [answerOf(200, '[7]'), /patches\[0\]: expected object/],
    [answerOf(200, '[{"version":1}]'), /patches\[0\]\.version: expected string/],
    [answerOf(200, '[{"changes":{"included":{"add":"x"}}}]'), /changes\.included\.add: expected array/],
  ];
  for (const [answer, expected] of cases) {
    answerWith(async () => answer);
    await assert.rejects(upstream.poll('', HALF.signal), (error: Error) => expected.test(error.message));
  }
  answerWith(async () => {
    throw Object.assign(new Error('GET https://sdk.test?key=secret'), { code: 'ECONNREFUSED' });
  });
  await assert.rejects(upstream.poll('', HALF.signal), { message: 'connection refused' });
});

test('a poll without an answer ends after 30 s', async () => {
  const { upstream, clock, answerWith } = open();
  answerWith(
    ({ signal }) => new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
  );
  const ended = assert.rejects(upstream.poll('', HALF.signal), { message: 'no answer within 30 s' });
  clock.advance(30_000);
  await ended;
});

test('the stream yields the patches of each event, and ends with the connection', async () => {
  const { upstream, http } = open();
  const opening = upstream.open(HALF.signal);
  const request = await http.next();
  assert.equal(request.url, 'https://stream.test/big-segments');
  assert.equal(request.request.headers?.authorization, 'sdk-0');
  request.stream(`:\n\nevent: patch\ndata: ${JSON.stringify([WIRE])}\n\n`, 'data: []\n\n');
  const stream = (await opening)[Symbol.asyncIterator]();
  assert.deepEqual(await stream.next(), { done: false, value: [PATCH] });
  assert.deepEqual(await stream.next(), { done: false, value: [] });
  request.end();
  assert.equal((await stream.next()).done, true);
});

test('a stream with garbage, without data for five minutes, or that is refused, throws', async () => {
  const { upstream, http, clock } = open();
  const opened = async () => {
    const opening = upstream.open(HALF.signal);
    const request = (await http.next()).stream();
    return { request, stream: (await opening)[Symbol.asyncIterator]() };
  };
  const garbage = await opened();
  garbage.request.send('data: {"no":"array"}\n\n');
  await assert.rejects(garbage.stream.next(), /not an array/);
  assert.ok(garbage.request.isCancelled);

  const silent = await opened();
  const ended = assert.rejects(silent.stream.next(), { message: 'no data for 300 s' });
  await settle();
  clock.advance(299_999);
  silent.request.send(':\n');
  await settle();
  clock.advance(299_999);
  await settle();
  assert.ok(!silent.request.isCancelled);
  clock.advance(1);
  await ended;

  const refused = upstream.open(HALF.signal);
  (await http.next()).respond(401);
  await assert.rejects(refused, /status 401/);
});
