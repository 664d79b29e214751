import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { eventually } from '../testing/eventually.ts';
import { PlainClient, type PlainRequest } from '../testing/http/client.ts';
import {
  connectManyHostile,
  type HostileClient,
  pump,
  sendForStatus,
  statusOf,
} from '../testing/http/hostile-clients.ts';
import { type Cleanup, memoryOf, type RunningServer } from '../testing/processes.ts';
import { ENV_ID, SDK_KEY } from './testing/app.ts';
import { type FakeLaunchDarkly, startFakeLaunchDarkly } from './testing/launchdarkly/fake.ts';
import { plainFlag } from './testing/launchdarkly/faults.ts';
import { relayConfigFile, startRelayProcess } from './testing/process.ts';

// Malicious or broken clients, and the executable.

const MB = 2 ** 20;
/** The peak, not what is kept: before it collects, V8 lets the heap grow to 195–255 MB here, as its timing has it. */
const MAY_GROW = 400 * MB;

const JSON_TYPE = { 'content-type': 'application/json' };
const GOOD = '{"kind":"user","key":"ada"}';
const encode = (context: unknown): string => Buffer.from(JSON.stringify(context)).toString('base64url');
const nested = (depth: number, open = '[', close = ']'): string => open.repeat(depth) + close.repeat(depth);

/** Patterns with exponential time in backtracking engines. */
const EVIL_PATTERNS = ['(a+)+$', '(a|aa)+$', '([a-zA-Z]+)*$', '(.*)*x', '^(([a-z])+.)+[A-Z]([a-z])+$', '(x+x+)+y'];

function matchingFlag(pattern: string, index: number): Readonly<Record<string, unknown>> {
  const clauses = [{ contextKind: 'user', attribute: 'text', op: 'matches', values: [pattern] }];
  return {
    ...plainFlag(`evil-${index}`, false),
    variations: [false, true],
    rules: [{ id: 'r', variation: 1, clauses }],
  };
}

interface Storm {
  readonly name: string;
  readonly passes: (t: Cleanup, relay: RunningServer, client: PlainClient) => Promise<void>;
}

const AUTHORIZED = { authorization: SDK_KEY };
const evaluation = (context: string): PlainRequest => ({
  method: 'GET',
  path: `/sdk/evalx/contexts/${context}`,
  headers: AUTHORIZED,
});
const report = (body: string | Buffer, headers: Record<string, string> = JSON_TYPE): PlainRequest => ({
  method: 'REPORT',
  path: '/sdk/evalx/context',
  headers: { ...AUTHORIZED, ...headers },
  body,
});
const ofrep = (body: string): PlainRequest => ({
  method: 'POST',
  path: '/ofrep/v1/evaluate/flags',
  headers: { authorization: `Bearer ${SDK_KEY}`, ...JSON_TYPE },
  body,
});
const post = (body: string | Buffer, headers: Record<string, string> = {}): PlainRequest => ({
  method: 'POST',
  path: '/bulk',
  headers: { ...AUTHORIZED, ...JSON_TYPE, ...headers },
  body,
});
const get = (path: string): PlainRequest => ({ method: 'GET', path, headers: AUTHORIZED });

const GZIP = { 'content-encoding': 'gzip' };
const MANY_KINDS = Array.from({ length: 50_000 }, (_, index) => `"k${index}":{"key":"a"}`).join(',');

const REQUESTS: readonly (readonly [name: string, request: PlainRequest, status: number])[] = [
  ['base64 with plus signs', evaluation('e30+'), 400],
  ['base64 of no length', evaluation('abcde'), 400],
  ['half an escape', evaluation('%E0%A4%A'), 400],
  ['an escaped zero', evaluation('%00'), 400],
  ['base64 of invalid JSON', evaluation(Buffer.from('{"key":').toString('base64url')), 400],
  ['base64 of null', evaluation(encode(null)), 400],
  ['an environment that cannot be decoded', get(`/sdk/evalx/%E0%A4%A/contexts/${encode({ key: 'a' })}`), 404],
  ['a filter that cannot be decoded', get('/sdk/flags?filter=%'), 404],
  ['a flag by the name of a method', get('/sdk/flags/toString'), 404],
  ['a flag by the name of the prototype', get('/sdk/flags/__proto__'), 404],
  ['a segment by the name of the prototype', get('/sdk/segments/__proto__'), 404],
  ['the status of the prototype', get('/status/__proto__'), 404],
  ['an image with broken events', get(`/a/${ENV_ID}.gif?d=%`), 200],
  ['a context of a megabyte in the path', evaluation(encode({ kind: 'user', key: 'a', x: 'y'.repeat(700_000) })), 200],
  ['a body that is nested deeply', report(nested(100_000)), 400],
  ['an attribute that is nested deeply', report(`{"kind":"user","key":"a","x":${nested(100_000)}}`), 200],
  [
    'objects in objects',
    report(`{"key":"a","custom":{"x":${nested(50_000, '{"a":', '}').replace(':}', ':1}')}}}`),
    200,
  ],
  ['50,000 kinds', report(`{"kind":"multi",${MANY_KINDS}}`), 200],
  ['an attribute by the name of the prototype', report('{"kind":"user","key":"a","__proto__":{"x":1}}'), 200],
  ['half a character for a key', report('{"kind":"user","key":"\\ud800"}'), 200],
  ['bytes other than a text', report(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])), 400],
  ['a report without a type', report(GOOD, {}), 415],
  ['a report of plain text', report(GOOD, { 'content-type': 'text/plain' }), 415],
  ['a form', report(GOOD, { 'content-type': 'multipart/form-data; boundary=x' }), 415],
  ['a report in gzip', report(gzipSync(GOOD), { ...JSON_TYPE, ...GZIP }), 400],
  ['a report of 6 MB', report(' '.repeat(6 * MB)), 413],
  ['OpenFeature without a body', ofrep(''), 400],
  ['OpenFeature with a list', ofrep('[]'), 400],
  ['OpenFeature with a number for a key', ofrep('{"context":{"targetingKey":1}}'), 400],
  ['OpenFeature, nested deeply', ofrep(`{"context":{"targetingKey":"a","x":${nested(100_000)}}}`), 200],
  ['events other than gzip', post('[]', GZIP), 400],
  ['events that end too early', post(gzipSync('[{}]').subarray(0, 20), GZIP), 400],
  ['no events', post(''), 400],
  ['events other than JSON', post('[{'), 202],
  ['events that are nested deeply', post(nested(100_000)), 202],
  ['events of a strange type', post('[]', { 'content-type': 'text/html' }), 202],
  ['events by a method of no use', { ...post('[]'), method: 'PROPFIND' }, 405],
  ['a HEAD', { ...get('/all'), method: 'HEAD' }, 405],
  ['a TRACE', { ...get('/status'), method: 'TRACE' }, 405],
];

const head = (line: string, ...fields: readonly string[]): string =>
  `${[line, 'Host: a', `Authorization: ${SDK_KEY}`, ...fields].join('\r\n')}\r\n\r\n`;

/** Invalid HTTP requests, and acceptable statuses; 0: the connection is cut. */
const BYTES: readonly (readonly [name: string, bytes: string | Buffer, statuses: readonly number[]])[] = [
  ['a method of its own', head('FOO /status HTTP/1.1'), [400]],
  ['a CONNECT', head('CONNECT a:80 HTTP/1.1'), [0, 400, 405]],
  ['the beginning of TLS', Buffer.from([0x16, 3, 1, 0, 1, 0]), [400]],
  ['no host', 'GET /status HTTP/1.1\r\n\r\n', [400]],
  ['a broken host', 'GET /status HTTP/1.1\r\nHost: [::1\r\n\r\n', [400]],
  ['two lengths', head('POST /bulk HTTP/1.1', 'Content-Length: 2', 'Transfer-Encoding: chunked'), [400]],
  ['a negative length', head('POST /bulk HTTP/1.1', 'Content-Length: -2'), [400]],
  ['an expectation of its own', head('POST /bulk HTTP/1.1', 'Expect: tea', 'Content-Length: 2'), [417]],
  ['two keys', head('GET /sdk/flags HTTP/1.1', 'Authorization: other'), [200, 401]],
  ['a request for a web socket', head('GET /status HTTP/1.1', 'Connection: Upgrade', 'Upgrade: websocket'), [200]],
  ['100,000 header fields', head('GET /status HTTP/1.1', ...Array<string>(100_000).fill('a: b')), [200, 431]],
  ['a path of 2 MB', head(`GET /sdk/evalx/contexts/${'a'.repeat(2 * MB)} HTTP/1.1`), [431, 0]],
];

const STORMS: readonly Storm[] = [
  {
    name: 'patterns that would take years are answered',
    async passes(_, __, client) {
      for (const text of [`${'a'.repeat(50_000)}!`, 'x'.repeat(50_000), `${'ab'.repeat(20_000)}1`]) {
        const { status, body } = await client.send(report(JSON.stringify({ kind: 'user', key: 'ada', text })));
        assert.deepEqual([status, Object.keys(JSON.parse(body)).length], [200, EVIL_PATTERNS.length + 1]);
      }
    },
  },
  {
    name: 'forty bombs of 100 MB each are refused with 413',
    async passes(_, __, client) {
      const bomb = gzipSync(Buffer.alloc(100 * MB));
      const statuses = await Promise.all(Array.from({ length: 40 }, () => client.send(post(bomb, GZIP))));
      assert.deepEqual([...new Set(statuses.map(({ status }) => status))], [413]);
    },
  },
  {
    name: 'bodies of 100 MB in chunks are refused with 413',
    async passes(t, relay, client) {
      const hostile = await connectManyHostile(t, relay.url, 4);
      for (const { socket } of hostile) socket.write(head('POST /bulk HTTP/1.1', 'Transfer-Encoding: chunked'));
      const piece = Buffer.concat([Buffer.from(`${MB.toString(16)}\r\n`), Buffer.alloc(MB, ' '), Buffer.from('\r\n')]);
      const pumped = Promise.all(hostile.map((one) => pump(one, piece, 100 * MB)));
      await assertServed(client);
      await pumped;
      await eventually('an answer to each', () => hostile.every((one) => statusOf(one) !== 0));
      assert.deepEqual(hostile.map(statusOf), [413, 413, 413, 413]);
    },
  },
  {
    name: 'a thousand writers of a byte at a time do not delay other requests',
    async passes(t, relay, client) {
      const hostile = await connectManyHostile(t, relay.url, 1000);
      const beginnings = [
        'GET /all HTTP/1.1\r\nX: ',
        `REPORT /eval/${ENV_ID} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n{`,
        '',
      ];
      for (const [index, { socket }] of hostile.entries()) socket.write(beginnings[index % beginnings.length] ?? '');
      await assertServed(client, 1);
      assertPending(hostile);
      for (let round = 0; round < 10; round++) {
        for (const { socket } of hostile) socket.write('1');
        await assertServed(client, 1);
      }
      for (const { socket } of hostile) socket.destroy();
    },
  },
  {
    name: 'unread streams do not delay other requests',
    async passes(t, relay, client) {
      const hostile = await connectManyHostile(t, relay.url, 200);
      for (const { socket } of hostile) {
        socket.pause();
        socket.write(head('GET /all HTTP/1.1'));
      }
      await assertServed(client, 3);
      assertPending(hostile);
      for (const { socket } of hostile) socket.destroy();
    },
  },
];

/** Whether no client has been answered or cut. */
function assertPending(hostile: readonly HostileClient[]): void {
  for (const { socket, received } of hostile) assert.deepEqual([socket.destroyed, received()], [false, '']);
}

/** A regular client, which must not be affected. */
async function assertServed(client: PlainClient, times = 5): Promise<void> {
  for (let left = times; left > 0; left--) {
    const { status, body } = await client.send(evaluation(encode({ kind: 'user', key: 'ada' })));
    assert.equal(status, 200, body);
    assert.equal(JSON.parse(body).good.value, 'good');
  }
}

async function start(t: Cleanup): Promise<{ upstream: FakeLaunchDarkly; relay: RunningServer; client: PlainClient }> {
  const evil = Object.fromEntries(
    EVIL_PATTERNS.map((pattern, index) => [`evil-${index}`, matchingFlag(pattern, index)]),
  );
  const upstream = await startFakeLaunchDarkly(t, { flags: { good: plainFlag('good', 'good'), ...evil } });
  const relay = await startRelayProcess(t, [
    '--config',
    relayConfigFile(t, { upstream: upstream.url }),
    '--workers',
    '2',
  ]);
  const client = new PlainClient(t, relay.url);
  await eventually('data', async () => (await client.get('/readyz')).status === 200);
  return { upstream, relay, client };
}

test('hostile clients', async (t) => {
  const { relay, client } = await start(t);
  await assertServed(client);
  const before = memoryOf(relay.pid)?.rss ?? 0;
  for (const [name, request, status] of REQUESTS) {
    await t.test(`${name}: ${status}`, async () => {
      const answer = await client.send(request);
      assert.equal(answer.status, status, answer.body.slice(0, 200));
    });
  }
  for (const [name, bytes, statuses] of BYTES) {
    await t.test(`${name}: ${statuses.join(' or ')}`, async (t) => {
      const status = await sendForStatus(t, relay.url, bytes);
      assert.ok(statuses.includes(status), String(status));
    });
  }
  for (const { name, passes } of STORMS) {
    await t.test(name, async (t) => {
      await passes(t, relay, client);
      await assertServed(client);
    });
  }
  await t.test('none of it is kept, logged as an error of the relay, or logged with a key or a context', async () => {
    await assertServed(client);
    const grown = (memoryOf(relay.pid)?.peak ?? 0) - before;
    assert.ok(grown < MAY_GROW, `it grew by ${Math.round(grown / MB)} MB`);
    assert.doesNotMatch(relay.stderr(), /level=ERROR|\n {4}at /);
    assert.doesNotMatch(relay.stderr(), new RegExp(`${SDK_KEY}|${encode({ kind: 'user', key: 'ada' })}`));
    assert.deepEqual(await relay.stop(), { code: 0, signal: null });
  });
});

test('events that upstream does not accept are limited, and reported', async (t) => {
  const { upstream, relay, client } = await start(t);
  const before = memoryOf(relay.pid)?.rss ?? 0;
  upstream.answerEventsNext(...Array<number>(1000).fill(503));
  const events = JSON.stringify(
    Array.from({ length: 5000 }, (_, index) => ({ kind: 'custom', key: `event ${index}` })),
  );
  const headers = { 'x-launchdarkly-event-schema': '4' };
  const statuses = await Promise.all(Array.from({ length: 400 }, () => client.send(post(events, headers))));
  assert.deepEqual([...new Set(statuses.map(({ status }) => status))], [202]);
  await assertServed(client);
  const grown = (memoryOf(relay.pid)?.peak ?? 0) - before;
  assert.ok(grown < MAY_GROW, `it grew by ${Math.round(grown / MB)} MB`);
  assert.match(relay.stderr(), /level=WARN/);
});
