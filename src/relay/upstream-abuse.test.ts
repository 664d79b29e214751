import assert from 'node:assert/strict';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../kernel/clock.ts';
import { SERVER } from '../kernel/testdata/tls-certificates.ts';
import { eventually } from '../testing/eventually.ts';
import { openHttpClient } from '../testing/http/client-parts.ts';
import { startHttpSink } from '../testing/http/sink.ts';
import { startFakeLaunchDarkly } from './testing/launchdarkly/fake.ts';
import { plainFlag, redirectTo, type StreamFault, sseEvent } from './testing/launchdarkly/faults.ts';
import { emptySink, plainEnvironment, RecordingLog, SAMPLE_SDK_KEY } from './testing/launchdarkly/parts.ts';
import { createUpstreamSource } from './upstream/source.ts';

// Upstreams that attack memory, time, the log or the key.

function followUpstream(t: TestContext, streamUri: string) {
  const log = new RecordingLog();
  const sink = emptySink(systemClock);
  const source = createUpstreamSource(sink, {
    environment: plainEnvironment(),
    options: { streamUri },
    http: openHttpClient(t),
    clock: systemClock,
    log,
    // The retry follows after at least a second: until then everything comes from the first connection.
    random: () => 0,
  });
  t.after(() => source.close());
  source.start();
  return { log, ...sink };
}

const EMPTY = sseEvent('put', { path: '/', data: { flags: {}, segments: {} } });
const sends = (chunks: Iterable<string | Buffer>): StreamFault => ({ chunks, ending: 'hold' });

function* repeated(head: string, make: (index: number) => string, count: number, tail: string): Generator<string> {
  yield head;
  let text = '';
  for (let index = 0; index < count; index++) {
    text += make(index);
    if (text.length < 2 ** 16) continue;
    yield text;
    text = '';
  }
  yield text + tail;
}

/** The log line for an upstream with this fault. */
async function failureOf(t: TestContext, fault: StreamFault) {
  const fake = await startFakeLaunchDarkly(t, { flags: { a: plainFlag('a', 1) } });
  fake.failAlways(fault);
  const { connection, log, store } = followUpstream(t, fake.url);
  await eventually('a failure', () => connection.lastError, { everyMs: 5 });
  const line = log.lines.find(({ fields }) => fields.kind !== undefined);
  return { kind: line?.fields.kind, error: String(line?.fields.error), log, store, connection };
}

const put = (head: string, make: (index: number) => string, count: number, tail: string) =>
  sends(repeated(`event: put\ndata: {"path":"/","data":${head}`, make, count, `${tail}}\n\n`));

const TOO_MANY_PARTS = 'the data of a put holds more than 1000000 objects and lists';
const TOO_MANY_ITEMS = 'put: more than 100000 flags and segments';
const FULL = 'the patches since the last put are too large; a new put is requested';

const TOO_MUCH: Readonly<Record<string, readonly [fault: StreamFault, error: string]>> = {
  'millions of rules': [put('{"flags":{"a":{"on":true,"rules":[', () => '{},', 1_100_000, '{}]}}}'), TOO_MANY_PARTS],
  'millions of values': [put('{"flags":{"a":{"variations":[', () => '[],', 1_100_000, '0]}}}'), TOO_MANY_PARTS],
  'more flags than there are': [put('{"flags":{', (i) => `"k${i}":{},`, 100_001, '"z":{}}}'), TOO_MANY_ITEMS],
  'more segments than there are': [put('{"segments":{', (i) => `"k${i}":{},`, 100_001, '"z":{}}}'), TOO_MANY_ITEMS],
  'nested lists': [
    put('{"flags":{"a":{"variations":[', () => '[', 100_000, `${']'.repeat(100_000)}]}}}`),
    'the data is nested too deeply',
  ],
  'deletes without end': [
    sends(repeated(EMPTY, (i) => sseEvent('delete', { path: `/flags/k${i}`, version: 1 }), 210_000, '')),
    FULL,
  ],
  'patches without end': [
    sends(
      repeated(
        EMPTY,
        (i) => sseEvent('patch', { path: `/flags/k${i}`, data: { version: 1, salt: 'x'.repeat(100_000) } }),
        1_500,
        '',
      ),
    ),
    FULL,
  ],
  'patches of millions of values': [
    sends(
      repeated(
        EMPTY,
        (i) => `event: patch\ndata: {"path":"/flags/k${i}","data":{"variations":[${'{},'.repeat(100_000)}{}]}}\n\n`,
        30,
        '',
      ),
    ),
    FULL,
  ],
};

for (const [what, [fault, error]] of Object.entries(TOO_MUCH)) {
  test(`an upstream that sends ${what} is refused before memory runs out`, async (t) => {
    const failure = await failureOf(t, fault);
    assert.deepEqual([failure.kind, failure.error], ['INVALID_DATA', error]);
  });
}

test('braces in texts do not count as nesting', async (t) => {
  const fake = await startFakeLaunchDarkly(t, { flags: { a: plainFlag('a', `"\\{[`.repeat(600_000)) } });
  const { connection, log } = followUpstream(t, fake.url);
  await eventually('data', () => connection.state === 'VALID', { everyMs: 5 });
  assert.ok(!log.text.includes('failed'), log.text.slice(0, 500));
});

test('an upstream cannot fill the log, nor put the SDK key there', async (t) => {
  const path = `/${SAMPLE_SDK_KEY}/${SAMPLE_SDK_KEY.toUpperCase()}/${'x'.repeat(100_000)}`;
  const unknown = (index: number) => sseEvent(index % 2 ? 'patch' : `${SAMPLE_SDK_KEY}-${index}`, { path, data: {} });
  const bad = sseEvent('put', { data: { flags: { [path]: 1 } } });
  const failure = await failureOf(t, sends(repeated(EMPTY, unknown, 300, bad)));
  const shown = failure.log.lines.filter(({ level }) => level !== 'debug');
  assert.deepEqual(
    shown.map(({ message }) => message),
    ['upstream has sent its data', 'upstream sent an unknown event', 'upstream failed'],
  );
  assert.ok(failure.log.text.length < 200_000, `${failure.log.text.length} characters`);
  assert.ok(JSON.stringify(shown).length < 2_000, `${JSON.stringify(shown).length} characters`);
  assert.ok(!failure.log.text.toLowerCase().includes(SAMPLE_SDK_KEY.toLowerCase()));
});

test('the SDK key does not follow a redirect to another port, host or scheme', async (t) => {
  const thief = await startHttpSink(t, () => ({ headers: { 'content-type': 'text/event-stream' }, body: EMPTY }));
  const { port } = new URL(thief.url);
  for (const location of [
    thief.url,
    `//127.0.0.1:${port}/all`,
    `http://${SAMPLE_SDK_KEY}.localhost:${port}/`,
    `http://user:pass@localhost:${port}/`,
    'ftp://127.0.0.1/all',
    'data:text/event-stream,x',
  ]) {
    const failure = await failureOf(t, redirectTo(location, 302));
    assert.equal(failure.kind, 'ERROR_RESPONSE');
    assert.match(failure.error, /redirect leads/);
    assert.ok(!failure.log.text.toLowerCase().includes(SAMPLE_SDK_KEY.toLowerCase()), failure.log.text);
  }
  assert.deepEqual(thief.requests, []);
});

test('an upstream with an untrusted certificate is sent no key', async (t) => {
  const keys: unknown[] = [];
  const server = createTlsServer(SERVER, ({ headers }, response) => {
    keys.push(headers.authorization);
    response.end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { connection, log } = followUpstream(t, `https://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await eventually('a failure', () => connection.lastError, { everyMs: 5 });
  assert.equal(connection.lastError?.kind, 'NETWORK_ERROR');
  assert.match(log.text, /certificate/);
  assert.deepEqual(keys, []);
});

test('an upstream that demands an endless retry delay is retried as usual', async (t) => {
  const fake = await startFakeLaunchDarkly(t, { flags: { a: plainFlag('a', 1) } });
  const headers = { 'retry-after': '999999999' };
  fake.failNext({ status: 503, headers }, { chunks: ['retry: 999999999999\n\n'], ending: 'cut' });
  const { connection } = followUpstream(t, fake.url);
  await eventually('data', () => connection.state === 'VALID', { everyMs: 5 });
});

test('an encoded response is reported, and not decompressed', async (t) => {
  const headers = { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' };
  const failure = await failureOf(t, { status: 200, headers, body: 'x' });
  assert.deepEqual(
    [failure.kind, failure.error],
    ['INVALID_DATA', 'the response is encoded as gzip, which was not requested'],
  );
});

test('names of the prototype are flags like others', async (t) => {
  const flags = JSON.stringify({ a: plainFlag('a', 1) })
    .replace('"a":', '"__proto__":')
    .slice(1);
  const data = `{"path":"/","data":{"flags":{"constructor":${JSON.stringify(plainFlag('constructor', 1))},${flags}}}`;
  const fake = await startFakeLaunchDarkly(t);
  fake.failNext(sends([sseEvent('put', data)]));
  const { connection, store } = followUpstream(t, fake.url);
  await eventually('data', () => connection.state === 'VALID', { everyMs: 5 });
  assert.deepEqual([store.version('flags', '__proto__'), store.version('flags', 'constructor')], [1, 1]);
  assert.equal(store.version('flags', 'toString'), undefined);
  assert.deepEqual(Object.keys(Object.prototype), []);
});

for (const version of ['1e999', '"1"', 'true', '[]']) {
  test(`a flag with the version ${version} is refused`, async (t) => {
    const data = `{"data":{"flags":{"a":{"version":${version}}}}}`;
    const failure = await failureOf(t, sends([sseEvent('put', data)]));
    assert.equal(failure.kind, 'INVALID_DATA');
    assert.match(failure.error, /^flags "a": version: /);
  });
}

for (const version of ['1e308', '-7', '0']) {
  test(`a put after the version ${version} is accepted whatever its versions`, async (t) => {
    const fake = await startFakeLaunchDarkly(t);
    const first = `{"data":{"flags":{"a":{"version":${version}}}}}`;
    const second = { data: { flags: { a: plainFlag('a', 1, 2) } } };
    fake.failNext(sends([sseEvent('put', first), sseEvent('put', second)]));
    const { store } = followUpstream(t, fake.url);
    await eventually('the second', () => store.version('flags', 'a') === 2, { everyMs: 5 });
  });
}
