import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ConnectionErrorKind } from './status/connection-status.ts';
import { sseEvent } from './testing/launchdarkly/faults.ts';
import { type PendingRequest, settle } from './testing/launchdarkly/http.ts';
import { assertAskedAfter, SAMPLE_PUT as PUT, startUpstream } from './testing/launchdarkly/upstream.ts';

const MINUTE_MS = 60_000;

/** Faults of a connection, and how they are reported. */
const FAILURES: Record<
  string,
  [fail: (asked: PendingRequest) => void, kind: ConnectionErrorKind, statusCode?: number]
> = {
  'no connection': [(asked) => asked.fail(new Error('connect ECONNREFUSED')), 'NETWORK_ERROR'],
  'an end of the stream': [(asked) => asked.stream().end(), 'NETWORK_ERROR'],
  'a cut stream': [(asked) => asked.stream().fail(new Error('other side closed')), 'NETWORK_ERROR'],
  'half an event and an end': [(asked) => asked.stream('event: put\ndata: {"pa').end(), 'NETWORK_ERROR'],
  'data other than JSON': [(asked) => asked.stream(sseEvent('put', '{"path":')), 'INVALID_DATA'],
  'a flag of the wrong form': [
    (asked) => asked.stream(sseEvent('put', { path: '/', data: { flags: { a: { key: 'a', version: 'one' } } } })),
    'INVALID_DATA',
  ],
  'a page instead of a stream': [(asked) => asked.respond(200, { 'content-type': 'text/html' }), 'INVALID_DATA'],
  ...Object.fromEntries(
    [400, 408, 429, 500, 502, 503, 504].map((status) => [
      `the status ${status}`,
      [(asked: { respond(status: number): void }) => asked.respond(status), 'ERROR_RESPONSE', status] as const,
    ]),
  ),
  'a redirect to another host': [
    (asked) => asked.respond(307, { location: 'https://elsewhere.test/all' }),
    'ERROR_RESPONSE',
    307,
  ],
  'a redirect away from https': [
    (asked) => asked.respond(307, { location: 'http://stream.test/all' }),
    'ERROR_RESPONSE',
    307,
  ],
  'a redirect to nowhere': [(asked) => asked.respond(302), 'ERROR_RESPONSE', 302],
};

describe('before any data', () => {
  for (const [name, [fail, kind, statusCode]] of Object.entries(FAILURES)) {
    test(`${name} keeps the state, reports the error, and is retried after a second`, async (t) => {
      const upstream = startUpstream(t);
      const asked = await upstream.http.next();
      fail(asked);
      await settle();
      const { connection, clock } = upstream;
      assert.equal(connection.state, 'INITIALIZING');
      assert.ok(asked.request.signal?.aborted, 'nothing is left of the connection');
      const { kind: reported, time, statusCode: code } = connection.lastError ?? {};
      assert.deepEqual([reported, time, code], [kind, clock.now(), statusCode]);
      (await assertAskedAfter(upstream, 1000)).stream(PUT);
      await settle();
      assert.equal(connection.state, 'VALID');
      assert.equal(connection.lastError?.kind, kind, 'the error is kept after recovery');
    });
  }
});

describe('after data', () => {
  for (const [name, fail] of Object.entries({
    'an end of the stream': (asked: { end(): void }) => asked.end(),
    'data other than JSON': (asked: { send(text: string): void }) => asked.send(sseEvent('patch', '{')),
    'a cut stream': (asked: { fail(error: Error): void }) => asked.fail(new Error('cut')),
  })) {
    test(`${name} interrupts, and the data stays`, async (t) => {
      const upstream = startUpstream(t);
      const asked = await upstream.http.next();
      asked.stream(PUT);
      await settle();
      upstream.clock.advance(5000);
      fail(asked as never);
      await settle();
      const { connection, clock, store } = upstream;
      assert.deepEqual([connection.state, connection.stateSince], ['INTERRUPTED', clock.now()]);
      assert.equal(store.version('flags', 'a'), 1);
      (await assertAskedAfter(upstream, 1000)).stream(PUT);
      await settle();
      assert.equal(connection.state, 'VALID');
    });
  }

  test('a refusal turns the state off, and the data stays', async (t) => {
    const upstream = startUpstream(t);
    const asked = await upstream.http.next();
    asked.stream(PUT);
    await settle();
    asked.end();
    (await assertAskedAfter(upstream, 1000)).respond(401);
    await settle();
    assert.deepEqual([upstream.connection.state, upstream.connection.isRefusedFromTheStart], ['OFF', false]);
    assert.equal(upstream.store.version('flags', 'a'), 1);
  });
});

describe('a refusal', () => {
  for (const status of [401, 403, 404, 405, 410]) {
    test(`by ${status} turns the state off, and is tried again after five minutes`, async (t) => {
      const upstream = startUpstream(t);
      (await upstream.http.next()).respond(status);
      await settle();
      const { connection, log } = upstream;
      const { state, lastError, isRefusedFromTheStart } = connection;
      assert.deepEqual([state, lastError?.kind, lastError?.statusCode], ['OFF', 'ERROR_RESPONSE', status]);
      assert.ok(isRefusedFromTheStart);
      assert.deepEqual(
        log.lines.map(({ level, message, fields }) => [level, message, fields.sdkKey]),
        [['error', 'upstream refuses the SDK key', 'sdk-********-****-****-****-*******b3c4d']],
      );
      (await assertAskedAfter(upstream, 5 * MINUTE_MS)).stream(PUT);
      await settle();
      assert.equal(upstream.connection.state, 'VALID');
    });
  }

  test('is tried again at once when the source is refreshed; a connection in progress goes on', async (t) => {
    const { http, source } = startUpstream(t);
    (await http.next()).respond(401);
    await settle();
    source.refresh?.();
    source.refresh?.();
    await settle();
    assert.equal(http.asked.length, 2);
  });
});
