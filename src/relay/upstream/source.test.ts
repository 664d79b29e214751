import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { plainFlag, sseEvent } from '../testing/launchdarkly/faults.ts';
import { settle } from '../testing/launchdarkly/http.ts';
import { SAMPLE_SDK_KEY } from '../testing/launchdarkly/parts.ts';
import {
  assertAskedAfter,
  SAMPLE_PUT as PUT,
  type StartOptions,
  startUpstream,
} from '../testing/launchdarkly/upstream.ts';

const MINUTE_MS = 60_000;

describe('the request for a stream', () => {
  test('has the SDK key and identifies the relay', async (t) => {
    const { http } = startUpstream(t);
    const { url, request } = await http.next();
    assert.equal(url, 'https://stream.test/all');
    const { authorization, accept, 'user-agent': agent, 'cache-control': cache } = request.headers ?? {};
    assert.deepEqual([authorization, accept, cache], [SAMPLE_SDK_KEY, 'text/event-stream', 'no-cache']);
    assert.match(agent ?? '', /^LDRelay\/\d/);
  });

  const URLS: Record<string, [StartOptions, string]> = {
    'asks for a payload filter': [{ filter: 'a b&c' }, 'https://stream.test/all?filter=a%20b%26c'],
    'goes below the path of the address': [{ streamUri: 'http://relay:8030/x/' }, 'http://relay:8030/x/all'],
  };
  for (const [name, [options, url]] of Object.entries(URLS)) {
    test(name, async (t) => assert.equal((await startUpstream(t, options).http.next()).url, url));
  }

  test('is made once, however often the source is started', async (t) => {
    const { source, http } = startUpstream(t);
    source.start();
    await settle();
    assert.equal(http.asked.length, 1);
  });
});

describe('the events of the stream', () => {
  test('is put into the store', async (t) => {
    const { http, store, connection } = startUpstream(t);
    const asked = await http.next();
    asked.stream(PUT.slice(0, 20));
    await settle();
    assert.deepEqual([store.isInitialised, connection.state], [false, 'INITIALIZING']);
    asked.send(PUT.slice(20));
    asked.send(sseEvent('patch', { path: '/segments/s', data: { key: 's', version: 4 } }));
    await settle();
    assert.deepEqual([store.version('flags', 'a'), store.version('segments', 's')], [1, 4]);
    asked.send(sseEvent('patch', { path: '/flags/a', data: plainFlag('a', 2, 2) }));
    asked.send(sseEvent('delete', { path: '/segments/s', version: 5 }));
    await settle();
    assert.deepEqual([store.version('flags', 'a'), store.json('segments', 's')], [2, undefined]);
    assert.equal(connection.state, 'VALID');
  });

  test('is accepted with heartbeats and unknown events in between', async (t) => {
    const { http, store, log } = startUpstream(t);
    (await http.next()).stream(':\n', ':\n\n', sseEvent('heart-beat', {}), PUT);
    await settle();
    assert.ok(store.isInitialised);
    assert.ok(log.lines.some(({ fields }) => fields.what === 'event "heart-beat"'));
  });

  test('counts as data only from a put on', async (t) => {
    const { http, connection, store } = startUpstream(t);
    (await http.next()).stream(sseEvent('patch', { path: '/flags/a', data: plainFlag('a', 1) }));
    await settle();
    assert.deepEqual([connection.state, store.isInitialised], ['INITIALIZING', false]);
  });
});

describe('waits', () => {
  test('double up to half a minute, and begin anew after a good minute', async (t) => {
    const upstream = startUpstream(t);
    let asked = await upstream.http.next();
    for (const waitMs of [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]) {
      asked.respond(503);
      asked = await assertAskedAfter(upstream, waitMs);
    }
    asked.stream(PUT);
    await settle();
    upstream.clock.advance(MINUTE_MS);
    asked.end();
    await assertAskedAfter(upstream, 1000);
  });

  test('do not begin anew where a connection is good for a moment only', async (t) => {
    const upstream = startUpstream(t);
    let asked = await upstream.http.next();
    for (const waitMs of [1000, 2000, 4000]) {
      asked.stream(PUT);
      await settle();
      asked.end();
      asked = await assertAskedAfter(upstream, waitMs);
    }
  });

  test('for the head of an answer end after ten seconds', async (t) => {
    const upstream = startUpstream(t);
    const asked = await upstream.http.next();
    await settle();
    upstream.clock.advance(9999);
    assert.ok(!asked.isCancelled);
    upstream.clock.advance(1);
    await settle();
    assert.ok(asked.isCancelled);
    assert.equal(upstream.connection.lastError?.kind, 'NETWORK_ERROR');
    assert.equal(upstream.log.lines.at(-1)?.fields.error, 'no response for 10 s');
    await assertAskedAfter(upstream, 1000);
  });

  test('for a sign of life end after five minutes', async (t) => {
    const upstream = startUpstream(t);
    const asked = await upstream.http.next();
    asked.stream(PUT);
    for (let beats = 0; beats < 4; beats++) {
      await settle();
      upstream.clock.advance(5 * MINUTE_MS - 1);
      assert.ok(!asked.isCancelled);
      asked.send(':\n');
    }
    await settle();
    upstream.clock.advance(5 * MINUTE_MS);
    await settle();
    assert.ok(asked.isCancelled);
    assert.equal(upstream.connection.state, 'INTERRUPTED');
    await assertAskedAfter(upstream, 1000);
  });
});

describe('redirects', () => {
  test('are followed on the same host, with the key', async (t) => {
    const { http, connection } = startUpstream(t, { streamUri: 'http://stream.test' });
    (await http.next()).respond(308, { location: 'https://stream.test/v2/all' });
    const asked = await http.next();
    assert.deepEqual([asked.url, asked.request.headers?.authorization], ['https://stream.test/v2/all', SAMPLE_SDK_KEY]);
    asked.stream(PUT);
    await settle();
    assert.equal(connection.state, 'VALID');
  });

  test('that go round in a circle come to an end', async (t) => {
    const { http, connection, log } = startUpstream(t);
    for (let hops = 0; hops < 6; hops++) (await http.next()).respond(302, { location: '/all' });
    await settle();
    assert.deepEqual([http.asked.length, connection.lastError?.statusCode], [6, 302]);
    assert.equal(log.lines.at(-1)?.fields.error, 'too many redirects');
  });
});

describe('the log', () => {
  test('reports the same failure once', async (t) => {
    const upstream = startUpstream(t);
    let asked = await upstream.http.next();
    for (const waitMs of [1000, 2000, 4000]) {
      asked.respond(503);
      asked = await assertAskedAfter(upstream, waitMs);
    }
    asked.fail(new Error('gone'));
    await settle();
    assert.deepEqual(
      upstream.log.lines.map(({ level, fields }) => `${level} ${fields.error}`),
      [
        'warn the response has the status 503',
        'debug the response has the status 503',
        'debug the response has the status 503',
        'warn gone',
      ],
    );
  });

  test('has no key, even if an error quotes it', async (t) => {
    const { http, log } = startUpstream(t);
    (await http.next()).fail(new TypeError(`Headers.append: "${SAMPLE_SDK_KEY}" is an invalid header value.`));
    await settle();
    assert.equal(log.lines.length, 1);
    assert.ok(!log.text.includes(SAMPLE_SDK_KEY), log.text);
  });
});

describe('a closed source', () => {
  test('aborts its request and sends no more', async (t) => {
    const { source, http, clock, log, connection } = startUpstream(t);
    const asked = await http.next();
    await source.close();
    await source.close();
    assert.ok(asked.isCancelled);
    clock.advance(60 * MINUTE_MS);
    await settle();
    assert.deepEqual([http.asked.length, log.lines.length, connection.lastError], [1, 0, undefined]);
  });

  test('reports nothing that arrives afterwards', async (t) => {
    const { source, http, store } = startUpstream(t);
    const asked = await http.next();
    asked.stream();
    await settle();
    asked.send(PUT);
    await source.close();
    assert.equal(store.isInitialised, false);
  });

  test('does not try again after a failure', async (t) => {
    const { source, http, clock } = startUpstream(t);
    (await http.next()).respond(503);
    await settle();
    await source.close();
    clock.advance(60 * MINUTE_MS);
    await settle();
    assert.equal(http.asked.length, 1);
  });

  test('does not begin', async (t) => {
    const { source, http } = startUpstream(t);
    await source.close();
    source.start();
    await settle();
    assert.equal(http.asked.length, 1);
  });
});
