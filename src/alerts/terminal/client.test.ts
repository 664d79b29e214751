import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { type FakeAnswer, runAlerts, startFakeAlertmanager } from '../../testing/fake/alertmanager.ts';
import { FakeTerminal } from '../../testing/fake/terminal.ts';
import { refusalText } from './client.ts';
import { parseServerAddress } from './server-address.ts';

test('the path prefix of the server is kept', async (t) => {
  const server = await startFakeAlertmanager(t, () => ({ json: [] }));
  for (const suffix of ['', '/', '/pre/fix', '/pre/fix/', '/pre/api/v2/']) {
    assert.equal(await runAlerts(['query', '--alertmanager.url', server.url + suffix], new FakeTerminal()), 0);
  }
  assert.deepEqual(
    server.requests.map(({ path }) => path),
    ['/api/v2/alerts', '/api/v2/alerts', '/pre/fix/api/v2/alerts', '/pre/fix/api/v2/alerts', '/pre/api/v2/alerts'],
  );
});

test('OPSDECK_ALERTS_URL names the server, and the flag takes precedence', async (t) => {
  const named = await startFakeAlertmanager(t, () => ({ json: [] }));
  const flagged = await startFakeAlertmanager(t, () => ({ json: [] }));
  const terminal = new FakeTerminal();
  terminal.env.OPSDECK_ALERTS_URL = named.url;
  assert.equal(await runAlerts(['query'], terminal), 0);
  assert.equal(await runAlerts(['query', '--url', flagged.url], terminal), 0);
  assert.equal(named.requests.length, 1);
  assert.equal(flagged.requests.length, 1);
});

test('without flag and environment the server is on this machine', () => {
  assert.equal(parseServerAddress('http://localhost:9093', 'x').apiUrl, 'http://localhost:9093/api/v2');
});

test('credentials in the URL become basic auth and are never shown', async (t) => {
  const server = await startFakeAlertmanager(t, () => ({ status: 401, text: 'Unauthorized' }));
  const terminal = new FakeTerminal();
  const url = server.url.replace('http://', 'http://ann:p%40ss%3Aw%C3%B6rd@');
  assert.equal(await runAlerts(['status', '--alertmanager.url', url], terminal), 4);
  const [scheme, pair] = server.requests[0]?.headers.authorization?.split(' ') ?? [];
  assert.equal(scheme, 'Basic');
  assert.equal(Buffer.from(pair ?? '', 'base64').toString('utf8'), 'ann:p@ss:wörd');
  assert.match(terminal.stderr, /^opsdeck: http:\/\/127\.0\.0\.1:\d+ answered 401: Unauthorized/);
  assert.doesNotMatch(terminal.stderr, /ann|p%40ss|p@ss/);
});

test('without credentials no authorization is sent', async (t) => {
  const server = await startFakeAlertmanager(t, () => ({ json: [] }));
  await runAlerts(['query', '--alertmanager.url', server.url], new FakeTerminal());
  assert.equal(server.requests[0]?.headers.authorization, undefined);
});

const badUrls: [url: string, message: RegExp][] = [
  ['localhost:9093', /--url: "localhost:9093" must be an http or https URL, such as/],
  ['nonsense', /"nonsense" must be an http or https URL/],
  ['ftp://host', /must be an http or https URL/],
  ['http://host/?a=b', /without a query/],
  ['ann:secret@host:9093', /--url: must be an http/],
  ['http://ann:sec%ret@host', /percent-encoded/],
];
for (const [url, message] of badUrls) {
  test(`the address ${url} is refused without repeating a password`, async () => {
    const terminal = new FakeTerminal();
    assert.equal(await runAlerts(['query', '--alertmanager.url', url], terminal), 2);
    assert.match(terminal.stderr, message);
    assert.doesNotMatch(terminal.stderr, /secret|sec%ret/);
  });
}

const answers: [name: string, answer: FakeAnswer, code: number, message: RegExp][] = [
  ['a JSON string', { status: 400, json: 'bad matcher format: b' }, 1, /answered 400: bad matcher format: b\n$/],
  ['an object with a message', { status: 422, json: { code: 612, message: 'too few' } }, 1, /answered 422: too few\n$/],
  ['the answer of API v1', { status: 410, json: { status: 'deprecated', error: 'gone' } }, 1, /answered 410: gone\n$/],
  ['plain text', { status: 503, text: 'try again\n' }, 1, /answered 503: try again\n$/],
  ['an empty 404', { status: 404 }, 1, /answered 404: not found\n$/],
  ['an empty 500', { status: 500 }, 1, /answered 500\n$/],
  ['a page', { status: 502, text: '<h1>x</h1>', headers: { 'content-type': 'text/html' } }, 1, /answered 502\n$/],
  ['several lines', { status: 400, json: 'first\nsecond\n' }, 1, /answered 400: first; second\n$/],
  ['escape sequences', { status: 400, json: 'a\u001b[31mb' }, 1, /a\\u\{1b\}\[31mb\n$/],
  ['a denial', { status: 403, json: 'no' }, 4, /answered 403: no \(credentials go into the URL/],
  ['a conflict', { status: 409, json: 'taken' }, 5, /answered 409: taken\n$/],
  ['success without JSON', { text: '<html>' }, 1, /not JSON; is it an Alertmanager\?/],
  ['success of another API', { json: { status: 'success', data: [] } }, 1, /not of Alertmanager's API v2/],
];
for (const [name, answer, code, message] of answers) {
  test(`${name} ends with ${code} and one line`, async (t) => {
    const server = await startFakeAlertmanager(t, () => answer);
    const terminal = new FakeTerminal();
    assert.equal(await runAlerts(['query', '--alertmanager.url', server.url], terminal), code);
    assert.match(terminal.stderr, message);
    assert.equal(terminal.stderr.split('\n').length, 2);
    assert.equal(terminal.stdout, '');
    assert.equal(server.requests.length, 1, 'nothing is sent twice');
  });
}

for (const args of [['query'], ['add', 'DiskFull'], ['silence', 'expire', 'one']]) {
  test(`${args.join(' ')} is sent once, though the connection is cut`, async (t) => {
    const server = await startFakeAlertmanager(t, () => 'cut');
    const terminal = new FakeTerminal();
    assert.equal(await runAlerts([...args, '--alertmanager.url', server.url], terminal), 3);
    assert.match(terminal.stderr, /^opsdeck: cannot reach http:\S+: the connection was cut\./);
    assert.equal(server.requests.length, 1);
  });
}

test('a POST does not follow a redirect, which would make it a GET', async (t) => {
  const server = await startFakeAlertmanager(t, ({ path }) =>
    path === '/api/v2/alerts' ? { status: 301, headers: { location: '/new/api/v2/alerts' } } : { json: [] },
  );
  const terminal = new FakeTerminal();
  assert.equal(await runAlerts(['add', 'DiskFull', '--alertmanager.url', server.url], terminal), 1);
  assert.match(terminal.stderr, /redirects elsewhere \(301\)/);
  assert.equal(server.requests.length, 1);
  assert.equal(await runAlerts(['query', '--alertmanager.url', server.url], new FakeTerminal()), 0);
});

test('a server that is away ends with 3 and names the address without credentials', async () => {
  const port = await new Promise<number>((done) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => done(typeof address === 'object' && address ? address.port : 0));
    });
  });
  const terminal = new FakeTerminal();
  const url = `http://ann:secret@127.0.0.1:${port}/pre`;
  assert.equal(await runAlerts(['query', '--alertmanager.url', url], terminal), 3);
  assert.equal(
    terminal.stderr,
    `opsdeck: cannot reach http://127.0.0.1:${port}/pre: the connection was refused. Does the server run? --url or OPSDECK_ALERTS_URL names another\n`,
  );
});

test('https where the server speaks http ends with 3 and one line', async (t) => {
  const server = await startFakeAlertmanager(t, () => ({ json: [] }));
  const terminal = new FakeTerminal();
  assert.equal(await runAlerts(['query', '--alertmanager.url', server.url.replace('http', 'https')], terminal), 3);
  assert.match(terminal.stderr, /^opsdeck: cannot reach https:.*\(http instead of https\?\)\. .*\n$/);
});

test('a server that does not answer in time ends with 3', async (t) => {
  const terminal = new FakeTerminal();
  const server = await startFakeAlertmanager(t, () => {
    terminal.clock.advance(5_000);
    return 'never';
  });
  const args = ['query', '--timeout', '5s', '--alertmanager.url', server.url];
  assert.equal(await runAlerts(args, terminal), 3);
  assert.match(terminal.stderr, /no answer within 5s/);
});

for (const timeout of ['0s', '-1s', 'soon']) {
  test(`a timeout of ${timeout} is refused`, async () => {
    const terminal = new FakeTerminal();
    assert.equal(await runAlerts(['query', `--timeout=${timeout}`], terminal), 2);
    assert.match(terminal.stderr, /--timeout/);
  });
}

test('a refusal is at most one line of a bounded length', () => {
  assert.equal(refusalText('x'.repeat(1_000_000), 'text/plain').length, 2000);
});
