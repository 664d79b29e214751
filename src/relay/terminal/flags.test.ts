import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../../kernel/clock.ts';
import { createLog } from '../../kernel/log.ts';
import { FakeTerminal } from '../../testing/fake/terminal.ts';
import { LOCAL_ENVIRONMENT } from '../config/relay-defaults.ts';
import { SAMPLE_FLAGS } from '../file-source/sample.ts';
import { startRelay } from '../server.ts';
import { runRelay } from '../testing/command.ts';
import { RELAY_DEFAULTS } from '../testing/config.ts';

const ADA = '{"kind": "user", "key": "ada"}';
const KIM = '{"kind": "user", "key": "kim", "email": "kim@example.org"}';

/** A relay that serves the sample, and a terminal with its URL. */
async function openRelay(t: TestContext): Promise<FakeTerminal> {
  const log = createLog({ level: 'error', format: 'logfmt', clock: systemClock, write: () => {} });
  const options = {
    ...RELAY_DEFAULTS,
    port: 0,
    host: '127.0.0.1',
    isLocal: true,
    environments: [{ ...LOCAL_ENVIRONMENT, dataFile: SAMPLE_FLAGS }],
  };
  const relay = await startRelay(options, systemClock, log);
  t.after(() => relay.close());
  return terminalAt(relay.url);
}

function terminalAt(url: string): FakeTerminal {
  const terminal = new FakeTerminal();
  terminal.env = { OPSDECK_RELAY_URL: url };
  return terminal;
}

/** A server with these responses. */
async function openServer(
  t: TestContext,
  answer: (request: IncomingMessage) => [status: number, body: string],
): Promise<FakeTerminal> {
  const server = createServer((request, response) => {
    const [status, body] = answer(request);
    response.writeHead(status).end(body);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return terminalAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

test('relay flags lists the flags of a relay, as those of a file', async (t) => {
  const terminal = await openRelay(t);
  assert.equal(await runRelay(['flags'], terminal), 0);
  assert.equal(
    terminal.stdout,
    [
      'FLAG              STATE  DEFAULT                   TARGETS  RULES  VERSION',
      'button-color      on     20 % "blue", 80 % "grey"  1        1      1',
      'express-shipping  on     false                     0        1      1',
      'new-checkout      on     true                      0        0      1',
      'page-size         on     25                        0        0      1',
      'welcome-text      on     "Hello from opsdeck"      0        0      1',
      '',
    ].join('\n'),
  );
  const local = new FakeTerminal();
  assert.equal(await runRelay(['flags', '--flags', SAMPLE_FLAGS], local), 0);
  assert.equal(local.stdout, terminal.stdout);
  assert.equal(await runRelay(['flags', '--flags', SAMPLE_FLAGS, '--json'], local), 0);
  assert.match(local.stdout, /\n\{"new-checkout":\{"on":true,/);
});

const evaluations: [args: readonly string[], printed: string][] = [
  [['new-checkout', '-c', ADA], 'true\nvariation 0, FALLTHROUGH: no target and no rule matches\n'],
  [['button-color', '-c', ADA], '"red"\nvariation 2, TARGET_MATCH: the context is a target\n'],
  [['button-color', '-c', KIM], '"blue"\nvariation 1, RULE_MATCH: a rule matches, rule 0 (team)\n'],
  [
    ['button-color', '-c', KIM, '--explain'],
    `"blue"
variation 1, RULE_MATCH: a rule matches, rule 0 (team)

flag "button-color" is on
target of 2 user keys, variation 2: no match
rule 0 (team)
    clause: user email ("kim@example.org") endsWith "@example.org": matches
    segment "team": in (rule 0)
  clause: segmentMatch "team": matches
`,
  ],
  [
    ['button-color', '-c', KIM, '--json'],
    '{"key":"button-color","value":"blue","variation":1,"reason":{"kind":"RULE_MATCH","ruleIndex":0,"ruleId":"team"},"prerequisites":[]}\n',
  ],
];
for (const [args, printed] of evaluations) {
  test(`relay eval ${args.join(' ')} prints the same for a relay and for a file`, async (t) => {
    for (const [terminal, more] of [
      [await openRelay(t), []],
      [new FakeTerminal(), ['--flags', SAMPLE_FLAGS]],
    ] as const) {
      assert.equal(await runRelay(['eval', ...args, ...more], terminal), 0);
      assert.equal(terminal.stdout, printed);
    }
  });
}

test('relay eval reads a context from standard input', async () => {
  const terminal = new FakeTerminal();
  terminal.input = ADA;
  assert.equal(await runRelay(['eval', 'button-color', '-c', '-', '--flags', SAMPLE_FLAGS], terminal), 0);
  assert.match(terminal.stdout, /^"red"\n/);
});

test('relay eval names the flag that may have been meant', async () => {
  const terminal = new FakeTerminal();
  assert.equal(await runRelay(['eval', 'buttoncolor', '-c', ADA, '--flags', SAMPLE_FLAGS], terminal), 1);
  assert.equal(terminal.stderr, 'opsdeck: unknown flag "buttoncolor"; did you mean button-color?\n');
});

test('relay eval asks the relay if the result depends on members of a big segment', async (t) => {
  const rules = [{ id: 'r', variation: 0, clauses: [{ attribute: '', op: 'segmentMatch', values: ['s'] }] }];
  const flags = { f: { key: 'f', version: 1, on: true, variations: [1, 2], fallthrough: { variation: 1 }, rules } };
  const data = { flags, segments: { s: { key: 's', version: 1, unbounded: true, generation: 1 } } };
  const reason = { kind: 'RULE_MATCH', ruleIndex: 0, ruleId: 'r', bigSegmentsStatus: 'STALE' };
  const terminal = await openServer(t, ({ url = '' }) =>
    url === '/sdk/latest-all'
      ? [200, JSON.stringify(data)]
      : [200, JSON.stringify({ f: { value: 1, variation: 0, version: 1, reason } })],
  );
  assert.equal(await runRelay(['eval', 'f', '-c', ADA, '--explain'], terminal), 0);
  assert.equal(
    terminal.stdout,
    `1
variation 0, RULE_MATCH: a rule matches, rule 0 (r), big segments STALE

flag "f" is on
rule 0 (r)
    segment "s": not in (not included, no rule matches)
  clause: segmentMatch "s": no match
fallthrough
these steps are without the members of big segments, which only the relay knows; the result is with them
`,
  );
  terminal.stdout = '';
  assert.equal(await runRelay(['eval', 'f', '-c', ADA, '--json'], terminal), 0);
  assert.deepEqual(JSON.parse(terminal.stdout), { key: 'f', value: 1, variation: 0, reason, prerequisites: [] });
});

test('relay eval evaluates in a relay that does not return flags', async (t) => {
  const asked: string[] = [];
  const terminal = await openServer(t, ({ url = '', headers }) => {
    asked.push(`${url} ${headers.authorization}`);
    if (!url.startsWith('/sdk/evalx/contexts/')) return [404, '404 page not found\n'];
    return [200, '{"f":{"value":1,"variation":2,"version":3,"reason":{"kind":"OFF"}}}'];
  });
  assert.equal(await runRelay(['eval', 'f', '-c', ADA, '--sdk-key', 'sdk-x'], terminal), 0);
  assert.equal(terminal.stdout, '1\nvariation 2, OFF: the flag is off\n');
  const encoded = Buffer.from(ADA).toString('base64url');
  assert.deepEqual(asked, ['/sdk/latest-all sdk-x', `/sdk/evalx/contexts/${encoded}?withReasons=true sdk-x`]);
  assert.equal(await runRelay(['eval', 'f', '-c', ADA, '--explain'], terminal), 1);
  assert.match(terminal.stderr, /does not return flags, which --explain requires/);
  assert.equal(await runRelay(['eval', 'g', '-c', ADA], terminal), 1);
  assert.match(terminal.stderr, /unknown flag "g"/);
  assert.equal(await runRelay(['flags'], terminal), 1);
  assert.match(terminal.stderr, /this relay does not return flags/);
});

test('an unknown key is denied with code 4, and not shown', async (t) => {
  const terminal = await openRelay(t);
  terminal.env.OPSDECK_RELAY_SDK_KEY = 'sdk-secret-secret';
  assert.equal(await runRelay(['flags'], terminal), 4);
  assert.match(terminal.stderr, /answered 401: .*\(set the SDK key with --sdk-key or OPSDECK_RELAY_SDK_KEY\)/);
  assert.doesNotMatch(terminal.stderr, /secret/);
});

test('a relay that echoes a key does not bring it to the terminal', async (t) => {
  const terminal = await openServer(t, ({ headers }) => [500, `no ${headers.authorization}\u001b[31m`]);
  assert.equal(await runRelay(['flags', '--sdk-key', 'sdk-11112222-3333'], terminal), 1);
  assert.doesNotMatch(terminal.stderr, /11112222/);
  assert.ok(!terminal.stderr.includes('\u001b'));
  assert.match(terminal.stderr, /answered 500: no sdk-/);
});

const nonsense: [body: string, command: string, expected: RegExp][] = [
  ['<html>', 'status', /did not return JSON; is it a relay\?/],
  ['{}', 'status', /did not return the status of a relay/],
  ['[]', 'flags', /did not return flags/],
  ['{"flags": {"a": {"on": 1}}}', 'flags', /flags "a": on: expected boolean, got number/],
];
for (const [body, command, expected] of nonsense) {
  test(`relay ${command} reports the error in the response ${body}`, async (t) => {
    const terminal = await openServer(t, () => [200, body]);
    assert.equal(await runRelay([command], terminal), 1);
    assert.match(terminal.stderr, expected);
    assert.equal(terminal.stdout, '');
  });
}

test('a relay that cannot be reached is reported with code 3', async (t) => {
  const terminal = await openServer(t, () => [200, '']);
  const gone = new FakeTerminal();
  // No server listens on a port that was just released.
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  assert.equal(await runRelay(['status', '--url', `http://127.0.0.1:${port}`], gone), 3);
  assert.match(gone.stderr, /cannot reach http:\/\/127\.0\.0\.1:\d+: the connection was refused/);
  assert.equal(terminal.stderr, '');
});

test('a relay that does not respond times out', async (t) => {
  let asked = () => {};
  const wasAsked = new Promise<void>((done) => {
    asked = done;
  });
  const server = createServer(() => asked());
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const terminal = terminalAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const running = runRelay(['status', '--timeout', '5s'], terminal);
  await wasAsked;
  terminal.clock.advance(5_000);
  assert.equal(await running, 3);
  assert.match(terminal.stderr, /no response within 5s/);
});

test('relay status shows the relay and its environments', async (t) => {
  const now = new FakeTerminal().clock.now();
  const environment = (status: string, state: string, more: object) => ({
    sdkKey: 'sdk-***',
    status,
    connectionStatus: { state, stateSince: now - 90_000, ...more },
  });
  const status = {
    environments: {
      production: environment('connected', 'VALID', {}),
      staging: environment('disconnected', 'INTERRUPTED', { lastError: { kind: 'NETWORK_ERROR', time: now - 5_000 } }),
    },
    status: 'degraded',
    version: '8.10.1',
    clientVersion: '7.7.0',
  };
  const terminal = await openServer(t, () => [200, JSON.stringify(status)]);
  assert.equal(await runRelay(['status'], terminal), 0);
  const url = terminal.env.OPSDECK_RELAY_URL;
  assert.equal(
    terminal.stdout,
    `Relay    ${url}
Version  8.10.1
Status   degraded

ENVIRONMENT  STATUS        UPSTREAM     SINCE      LAST ERROR
production   connected     VALID        1m30s ago
staging      disconnected  INTERRUPTED  1m30s ago  NETWORK_ERROR, 5s ago
`,
  );
  assert.equal(await runRelay(['status', '--json'], terminal), 0);
  assert.deepEqual(JSON.parse(terminal.stdout.trimEnd().split('\n').at(-1) ?? ''), status);
});
