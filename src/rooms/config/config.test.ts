import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { loadConfig, type RoomsFlags, type Variables } from './config.ts';

function optionsOf(flags: RoomsFlags = {}, env: Variables = {}, content?: unknown) {
  const config = loadConfig(flags, env, content === undefined ? undefined : { path: 'rooms.yml', content });
  if (!config.ok) throw new Error(config.problems.join('\n'));
  return config.value.options;
}

function problemsOf(flags: RoomsFlags, env: Variables = {}, content?: unknown): readonly string[] {
  const config = loadConfig(flags, env, content === undefined ? undefined : { path: 'rooms.yml', content });
  return config.ok ? [] : config.problems;
}

test('without any configuration it serves this machine alone, without sign-in', () => {
  const { nodeId, ...options } = optionsOf();
  assert.match(nodeId, /^[0-9a-f]{6}$/);
  assert.deepEqual(options, {
    listenAddress: { host: '127.0.0.1', port: 8065 },
    dataDir: 'data/rooms',
    auth: 'none',
    baseUrl: undefined,
    allowedHosts: [],
    corsOrigins: [],
    maxBodyBytes: 65_536,
    maxUploadBytes: 26_214_400,
    retentionMs: 0,
    alertsUrl: undefined,
    alertsRooms: [],
    readOnly: false,
    rateLimits: false,
    requireIfMatch: false,
    keepEditHistory: true,
    presence: true,
    editWindowMs: 86_400_000,
    durability: 'full',
    adminToken: undefined,
    secretKey: undefined,
    secretsDir: undefined,
  });
});

test('flags stand above variables, those above the file, and that above defaults', () => {
  const file = { port: 1, 'max-body': '2KiB', 'node-id': 'file' };
  const env = { OPSDECK_ROOMS_PORT: '2', OPSDECK_ROOMS_NODE_ID: 'env' };
  const options = optionsOf({ port: '3' }, env, file);
  assert.equal(options.listenAddress.port, 3);
  assert.equal(options.nodeId, 'env');
  assert.equal(options.maxBodyBytes, 2048);
});

test('rooms for alerts are named by flag, variable or file', () => {
  const alerts = { alerts: 'http://127.0.0.1:9093' };
  assert.deepEqual(optionsOf(alerts, { OPSDECK_ROOMS_ALERTS_ROOMS: 'ops, sre' }).alertsRooms, ['ops', 'sre']);
  assert.deepEqual(optionsOf(alerts, {}, { 'alerts-rooms': ['ops'] }).alertsRooms, ['ops']);
});

test('elsewhere than on this machine everybody shows a token', () => {
  for (const host of ['0.0.0.0', '::', '10.0.0.1', 'chat.example.com']) {
    const options = optionsOf({ host });
    assert.equal(options.auth, 'token', host);
    assert.equal(options.rateLimits, true, host);
  }
  for (const host of ['127.0.0.1', 'localhost', '::1']) assert.equal(optionsOf({ host }).auth, 'none', host);
});

test('nobody is let in without a token from elsewhere', () => {
  assert.deepEqual(problemsOf({ host: '0.0.0.0', auth: 'none' }), [
    '--auth none lets everybody in who can reach 0.0.0.0: use --auth token, or listen on 127.0.0.1',
  ]);
});

test('rate limits go with tokens, and can be turned off', () => {
  assert.equal(optionsOf({ auth: 'token' }).rateLimits, true);
  assert.equal(optionsOf({ auth: 'token', 'rate-limits': false }).rateLimits, false);
  assert.equal(optionsOf({ auth: 'token' }, { OPSDECK_ROOMS_RATE_LIMITS: '0' }).rateLimits, false);
});

describe('values', () => {
  const values: readonly (readonly [RoomsFlags, object])[] = [
    [{ 'upload-max': '25MiB' }, { maxUploadBytes: 25 * 2 ** 20 }],
    [{ 'upload-max': '1 gb' }, { maxUploadBytes: 1e9 }],
    [{ retention: '30d' }, { retentionMs: 30 * 86_400_000 }],
    [{ retention: '0d' }, { retentionMs: 0 }],
    [{ 'edit-window': 'always' }, { editWindowMs: null }],
    [{ 'edit-window': 'never' }, { editWindowMs: 0 }],
    [{ 'edit-window': '90m' }, { editWindowMs: 5_400_000 }],
    [{ 'base-url': 'https://chat.example.com/' }, { baseUrl: 'https://chat.example.com' }],
    [{ 'allowed-host': ['Chat.Example.com', '10.0.0.1'] }, { allowedHosts: ['chat.example.com', '10.0.0.1'] }],
    [
      { 'cors-origin': 'https://a.example, https://b.example' },
      { corsOrigins: ['https://a.example', 'https://b.example'] },
    ],
    [
      { presence: false, 'edit-history': false },
      { presence: false, keepEditHistory: false },
    ],
    [
      { alerts: 'http://127.0.0.1:9093', 'alerts-rooms': ['ops,oncall', 'sre'] },
      { alertsRooms: ['ops', 'oncall', 'sre'] },
    ],
    [{ 'log-shards': '1' }, {}],
  ];
  for (const [flags, expected] of values) {
    test(JSON.stringify(flags), () => {
      const options = optionsOf(flags);
      assert.deepEqual({ ...options, ...expected }, options);
    });
  }
});

describe('mistakes', () => {
  const mistakes: readonly (readonly [RoomsFlags, Variables, unknown, RegExp])[] = [
    [{ port: '99999' }, {}, undefined, /^--port: "99999" is not understood; write a whole number from 0 to 65535$/],
    [{}, { OPSDECK_ROOMS_PORT: 'http' }, undefined, /^OPSDECK_ROOMS_PORT: "http" is not understood/],
    [{}, {}, { port: [1] }, /^rooms\.yml: port: \[1\] is not understood/],
    [{}, {}, { prot: 1 }, /^rooms\.yml: there is no setting prot; host, port/],
    [{}, {}, ['port'], /^rooms\.yml: write settings such as/],
    [{}, {}, { 'read-only': 'maybe' }, /read-only: "maybe" is not understood; write true or false/],
    [{}, {}, { auth: 'password' }, /auth: "password" is not understood; write none or token/],
    [{ retention: 'soon' }, {}, undefined, /--retention: "soon" is not understood; write a duration/],
    [{ 'max-body': '1' }, {}, undefined, /--max-body: "1" is not understood; write a size/],
    [{ 'base-url': 'ftp://x' }, {}, undefined, /--base-url: "ftp:\/\/x" is not understood; write an http/],
    [{ alerts: 'http://a:b@c' }, {}, undefined, /--alerts/],
    [{ 'alerts-rooms': 'ops' }, {}, undefined, /^--alerts-rooms: there is no alert server .*; give --alerts URL/],
    [{}, { OPSDECK_ROOMS_ALERTS_ROOMS: 'ops' }, undefined, /^--alerts-rooms: there is no alert server/],
    [{}, {}, { 'alerts-rooms': ['ops'] }, /^--alerts-rooms: there is no alert server/],
    [
      { alerts: 'http://a', 'alerts-rooms': '#ops' },
      {},
      undefined,
      /^--alerts-rooms: "#ops" is not understood; write slugs/,
    ],
    [{ alerts: 'http://a', 'alerts-rooms': 'ops,,x' }, {}, undefined, /^--alerts-rooms: .* is not understood/],
    [{ 'cors-origin': ['https://a.example/path'] }, {}, undefined, /--cors-origin/],
    [{ 'cors-origin': '*' }, {}, undefined, /--cors-origin/],
    [{ 'allowed-host': 'a:80' }, {}, undefined, /--allowed-host/],
    [{ database: 'postgres://x' }, {}, undefined, /^--database: .* is not part of this build/],
    [{ redis: 'redis://x' }, {}, undefined, /^--redis: .* is not part of this build/],
    [{ 'log-shards': '4' }, {}, undefined, /^--log-shards: .* is not part of this build/],
  ];
  for (const [flags, env, content, expected] of mistakes) {
    test(String(expected), () => {
      const [problem = '', ...others] = problemsOf(flags, env, content);
      assert.match(problem, expected);
      assert.deepEqual(others, []);
    });
  }

  test('all of them are told at once', () =>
    assert.equal(problemsOf({ port: 'x', retention: 'y' }, {}, { prot: 1 }).length, 3));

  test('a bad admin token is not repeated', () => {
    const [problem = ''] = problemsOf({}, { OPSDECK_ROOMS_ADMIN_TOKEN: 'short secret' });
    assert.match(problem, /^OPSDECK_ROOMS_ADMIN_TOKEN/);
    assert.ok(!problem.includes('short secret'));
  });
});
