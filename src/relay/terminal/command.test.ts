import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { FakeTerminal } from '../../testing/fake/terminal.ts';
import { runRelay } from '../testing/command.ts';

const commands: [command: string, flags: readonly string[]][] = [
  [
    'serve',
    [
      '--config <file>',
      '--from-env',
      '--allow-missing-file',
      '--port <port>',
      '--flags <path>',
      '--evaluated-streams',
      '--record <folder>',
      '--host <address>',
      '--log.level <level>',
      '--log.format <format>',
      '--version',
    ],
  ],
  ['check-config', ['--config <file>', '--from-env', '--allow-missing-file', '--port <port>', '--flags <path>']],
  [
    'eval',
    ['--context <json>', '--explain', '--flags <path>', '--url <url>', '--sdk-key <key>', '--timeout', '--json'],
  ],
  ['flags', ['--flags <path>', '--url <url>', '--sdk-key <key>', '--timeout <duration>', '--json']],
  ['status', ['--url <url>', '--timeout <duration>', '--json']],
  ['set', ['--flags <path>', '--json']],
  ['sample', []],
];
for (const [command, flags] of commands) {
  test(`the help of relay ${command} gives examples and its flags`, async () => {
    const terminal = new FakeTerminal();
    assert.equal(await runRelay([command, '--help'], terminal), 0);
    assert.match(terminal.stdout, new RegExp(`Examples:\\n.*opsdeck relay ${command}`));
    for (const flag of flags) assert.ok(terminal.stdout.includes(flag), flag);
    assert.equal(terminal.stderr, '');
  });
}

const mistakes: [args: readonly string[], expected: RegExp][] = [
  [['evla'], /unknown command 'evla'\n\(Did you mean eval\?\)/],
  [['eval', '-c', '{}'], /missing required argument 'flag'/],
  [['eval', 'f'], /required option '-c, --context <json>' not specified/],
  [['eval', 'f', '-c', '{'], /--context: the context is not valid JSON, such as/],
  [['eval', 'f', '-c', '{}'], /--context: "key" property not found/],
  [['eval', 'f', '-c', '{"key":"a"}', '--flags', 'f', '--url', 'http://h'], /use either --flags or --url, not both/],
  [['eval', 'f', '-c', '{"key":"a"}', '--url', 'ftp://h'], /--url: write an http or https URL/],
  [['flags', '--timeout', 'soon'], /--timeout: write a duration such as 30s/],
  [['flags', '--flags', '/nowhere/f.yml'], /\/nowhere\/f\.yml: no such file or folder/],
  [['set', 'f'], /missing required argument 'value'/],
  [['set', 'f', 'on'], /--flags or OPSDECK_RELAY_FLAGS must name the file or folder/],
  [['serve', '--port', '70000'], /--port: "70000" is invalid; write a whole number from 0 to 65535/],
  [['serve', '--log.level', 'loud'], /--log\.level: "loud" is invalid; write debug, info, warn, error or none/],
  [['serve', '--config', '/nowhere/relay.conf'], /cannot read the configuration file \/nowhere\/relay\.conf/],
  [['check-config', '--config', '/nowhere/relay.conf'], /there is no such file/],
];
for (const [args, expected] of mistakes) {
  test(`relay ${args.join(' ')} reports its mistake and ends with 2`, async () => {
    const terminal = new FakeTerminal();
    assert.equal(await runRelay([...args], terminal), 2);
    assert.match(terminal.stderr, expected);
    assert.equal(terminal.stdout, '');
  });
}

test('relay sample prints the sample', async () => {
  const terminal = new FakeTerminal();
  assert.equal(await runRelay(['sample'], terminal), 0);
  assert.match(terminal.stdout, /^# What `opsdeck relay serve` serves/);
});

test('relay check-config prints the effective configuration, without a key', async () => {
  const terminal = new FakeTerminal();
  terminal.env = {
    LD_ENV_prod: 'sdk-11111111-2222-3333-4444-555555555555',
    LD_MOBILE_KEY_prod: 'mob-11111111-2222-3333-4444-666666666666',
    LD_CLIENT_SIDE_ID_prod: 'abc',
    LD_MOBILE_KEY_prd: 'x',
    LD_TTL_prod: '5m',
    PROXY_URL: 'http://name:secret@proxy:3128',
    USE_EVENTS: '1',
  };
  assert.equal(await runRelay(['check-config', '--from-env', '--port', '9000'], terminal), 0);
  assert.equal(
    terminal.stdout,
    [
      'Listens on           every interface, port 9000',
      'Threads              one for each processor, at most 4',
      'Stream               https://stream.launchdarkly.com',
      'Polling              https://sdk.launchdarkly.com',
      'Client-side polling  https://clientsdk.launchdarkly.com',
      'Proxy                http://name:***@proxy:3128',
      'Init timeout         10s',
      'Events               forwarded to https://events.launchdarkly.com every 5s',
      'Heartbeat            3m',
      'Maximum stream       none',
      'Client streams       pings',
      'Disconnected after   1m',
      'Maximum body         5242880 bytes',
      'Page                 on this machine only',
      'Log level            info',
      'Prometheus           no separate listener',
      'Environment prod     SDK key sdk-********-****-****-****-*******55555, mobile key mob-********-****-****-****-*******66666, id abc, TTL 5m',
      '',
    ].join('\n'),
  );
  assert.equal(
    terminal.stderr,
    'warning: LD_MOBILE_KEY_prd has no effect: there is no LD_ENV_prd; is it LD_MOBILE_KEY_prod?\n',
  );
});

test('relay check-config reports every mistake and exits with 2', async () => {
  const terminal = new FakeTerminal();
  terminal.env = { PORT: 'x', TLS_ENABLED: '1' };
  assert.equal(await runRelay(['check-config', '--from-env'], terminal), 2);
  assert.equal(terminal.stdout, '');
  assert.equal(
    terminal.stderr,
    'opsdeck: the configuration is refused:\n  PORT: "x" is invalid; write a whole number from 1 to 65535\n  TLS_ENABLED: TLS needs tlsCert and tlsKey\n',
  );
});

test('relay check-config reports certificates that cannot be used', async () => {
  const terminal = new FakeTerminal();
  terminal.env = {
    LD_ENV_a: 's',
    LD_PREFIX_a: 'a',
    PROXY_CA_CERTS: '/nowhere/ca',
    USE_REDIS: '1',
    REDIS_CLIENT_CERT_FILE: '/nowhere/redis',
    REDIS_CLIENT_KEY_FILE: '/nowhere/redis.key',
    TLS_ENABLED: '1',
    TLS_CERT: 'c',
    TLS_KEY: '/nowhere/k',
  };
  assert.equal(await runRelay(['check-config', '--from-env'], terminal), 2);
  assert.deepEqual(terminal.stderr.trimEnd().split('\n').slice(1), [
    '  cannot read /nowhere/ca: there is no such file',
    '  cannot read /nowhere/redis: there is no such file',
    '  cannot read c: there is no such file',
  ]);
});

test('relay check-config reports mistakes in flag files', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'check-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'a.yml');
  writeFileSync(file, 'flags:\n  a: 1\n  b: {on: 1}\n');
  const terminal = new FakeTerminal();
  assert.equal(await runRelay(['check-config', '--flags', folder], terminal), 2);
  const [first, ...problems] = terminal.stderr.trimEnd().split('\n');
  assert.equal(first, 'opsdeck: the configuration is refused:');
  assert.deepEqual(problems, [
    `  ${file}:2: flag "a": expected object, got number`,
    `  ${file}:3: flag "b": on: expected boolean, got number`,
  ]);
});
