import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { describe, test } from 'node:test';
import type { Variables } from '../../kernel/settings/settings.ts';
import { loadConfig, type RoomsFlags } from './config.ts';

const DATABASE = 'postgres://opsdeck:secret@127.0.0.1/opsdeck';

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
    storageUrl: undefined,
    storageWaitMs: 30_000,
    filesDir: undefined,
    auth: 'none',
    insecure: false,
    exposure: undefined,
    baseUrl: undefined,
    allowedHosts: [],
    corsOrigins: [],
    maxBodyBytes: 65_536,
    maxUploadBytes: 26_214_400,
    retentionMs: 0,
    alertsUrl: undefined,
    relayUrl: undefined,
    relayKey: undefined,
    dashboardUrl: undefined,
    deckUrl: undefined,
    outboundProxy: undefined,
    alertsRooms: [],
    readOnly: false,
    rateLimits: false,
    requireIfMatch: false,
    keepEditHistory: true,
    presence: true,
    editWindowMs: 86_400_000,
    durability: 'full',
    adminToken: undefined,
    metricsToken: undefined,
    secretKey: undefined,
    secretsDir: undefined,
  });
});

test('flags override variables, these the file, and the file the defaults', () => {
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

test('remote clients need a token', () => {
  for (const host of ['0.0.0.0', '::', '10.0.0.1', 'chat.example.com']) {
    const options = optionsOf({ host });
    assert.equal(options.auth, 'token', host);
    assert.equal(options.rateLimits, true, host);
  }
  for (const host of ['127.0.0.1', 'localhost', '::1']) assert.equal(optionsOf({ host }).auth, 'none', host);
});

describe('remote clients need a token, however they reach the server', () => {
  const exposed: readonly (readonly [RoomsFlags, string])[] = [
    [{ host: '0.0.0.0' }, '--host 0.0.0.0'],
    [{ 'base-url': 'https://chat.example.com' }, '--base-url https://chat.example.com'],
    [{ 'base-url': 'http://10.0.0.1:8065/rooms' }, '--base-url http://10.0.0.1:8065/rooms'],
    [{ 'base-url': 'http://localhost.example.com' }, '--base-url http://localhost.example.com'],
    [{ 'allowed-host': ['localhost', 'chat.example.com'] }, '--allowed-host chat.example.com'],
    [{ 'allowed-host': '10.0.0.1' }, '--allowed-host 10.0.0.1'],
    [{ 'cors-origin': 'https://tools.example.com' }, '--cors-origin https://tools.example.com'],
  ];
  for (const [flags, cause] of exposed) {
    test(cause, () => {
      const options = optionsOf(flags);
      assert.deepEqual([options.auth, options.rateLimits, options.exposure], ['token', true, cause]);
      assert.deepEqual(problemsOf({ ...flags, auth: 'none' }), [
        `--auth none lets everybody in as an admin, and ${cause} lets others reach the server: use --auth token, leave that setting out, or force it with --auth insecure-none`,
      ]);
      assert.deepEqual(
        [optionsOf({ ...flags, auth: 'insecure-none' })].map(({ auth, insecure }) => [auth, insecure]),
        [['none', true]],
      );
    });
  }

  test('from any source of the setting', () => {
    assert.equal(optionsOf({}, { OPSDECK_ROOMS_BASE_URL: 'https://chat.example.com' }).auth, 'token');
    assert.equal(optionsOf({}, {}, { 'allowed-host': ['chat.example.com'] }).auth, 'token');
    assert.equal(problemsOf({}, { OPSDECK_ROOMS_AUTH: 'none' }, { 'base-url': 'https://chat.example.com' }).length, 1);
  });

  test('names of this machine are not such a setting', () => {
    for (const flags of [
      { 'base-url': 'http://localhost:8065' },
      { 'base-url': 'http://[::1]:8065' },
      { 'allowed-host': ['rooms.localhost', '127.0.0.2'] },
      { 'cors-origin': 'http://127.0.0.1:5173' },
    ])
      assert.deepEqual([optionsOf(flags).auth, optionsOf(flags).exposure], ['none', undefined], JSON.stringify(flags));
  });

  test('a forced start gives a warning', () => {
    const config = loadConfig({ auth: 'insecure-none', 'base-url': 'https://chat.example.com' }, {});
    assert.deepEqual(config.ok && config.value.warnings, [
      'there is no sign-in: every client that can reach this server is its admin (--auth insecure-none)',
    ]);
  });
});

test('a database takes the place of the data directory', () => {
  const env = { OPSDECK_STORAGE_URL: DATABASE, OPSDECK_DATA_DIR: '/var/lib/opsdeck' };
  const { storageUrl, storageWaitMs, filesDir, nodeId } = optionsOf({ 'storage-wait': '2m', 'files-dir': 'f' }, env);
  assert.deepEqual(
    { storageUrl, storageWaitMs, filesDir },
    { storageUrl: DATABASE, storageWaitMs: 120_000, filesDir: 'f' },
  );
  assert.notEqual(optionsOf({}, env).nodeId, nodeId);
  assert.ok(nodeId.startsWith(`${hostname()}-`), nodeId);
  assert.equal(optionsOf({ 'node-id': 'a' }, env).nodeId, 'a');
});

test('rate limits follow tokens, and can be turned off', () => {
  assert.equal(optionsOf({ auth: 'token' }).rateLimits, true);
  assert.equal(optionsOf({ auth: 'token', 'rate-limits': false }).rateLimits, false);
  assert.equal(optionsOf({ auth: 'token' }, { OPSDECK_ROOMS_RATE_LIMITS: '0' }).rateLimits, false);
});

test('an outbound proxy may hold a name and password', () => {
  const url = 'http://user:p%40ss@proxy.example:3128/';
  assert.equal(optionsOf({}, { OPSDECK_ROOMS_OUTBOUND_PROXY: url }).outboundProxy, url);
});

test('an unused proxy of the environment is reported, without its password', () => {
  const warningsOf = (flags: RoomsFlags) => {
    const config = loadConfig(flags, { https_proxy: 'http://user:hunter2@proxy.example' });
    return config.ok ? config.value.warnings : assert.fail();
  };
  assert.deepEqual(warningsOf({}), [
    'https_proxy is not used for outgoing hooks and copilots; --outbound-proxy sets a proxy for them',
  ]);
  assert.deepEqual(warningsOf({ 'outbound-proxy': 'http://proxy.example' }), []);
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
    [{ port: '99999' }, {}, undefined, /^--port: "99999" is invalid; write a whole number from 0 to 65535$/],
    [{}, { OPSDECK_ROOMS_PORT: 'http' }, undefined, /^OPSDECK_ROOMS_PORT: "http" is invalid/],
    [{}, {}, { port: [1] }, /^rooms\.yml: port: \[1\] is invalid/],
    [{}, {}, { prot: 1 }, /^rooms\.yml: there is no setting prot; write one of host, port/],
    [{}, {}, ['port'], /^rooms\.yml: write settings such as/],
    [{}, {}, { 'read-only': 'maybe' }, /read-only: "maybe" is invalid; write true or false/],
    [{}, {}, { auth: 'password' }, /auth: "password" is invalid; write none, token or insecure-none/],
    [{ retention: 'soon' }, {}, undefined, /--retention: "soon" is invalid; write a duration/],
    [{ 'max-body': '1' }, {}, undefined, /--max-body: "1" is invalid; write a size/],
    [{ 'base-url': 'ftp://x' }, {}, undefined, /--base-url: "ftp:\/\/x" is invalid; write an http/],
    [{ alerts: 'http://a:b@c' }, {}, undefined, /--alerts/],
    [{ relay: 'http://a' }, {}, undefined, /^--relay: .* put it into OPSDECK_ROOMS_RELAY_KEY/],
    [{ 'alerts-rooms': 'ops' }, {}, undefined, /^--alerts-rooms: there is no alert server .*; give --alerts URL/],
    [{}, { OPSDECK_ROOMS_ALERTS_ROOMS: 'ops' }, undefined, /^--alerts-rooms: there is no alert server/],
    [{}, {}, { 'alerts-rooms': ['ops'] }, /^--alerts-rooms: there is no alert server/],
    [{ alerts: 'http://a', 'alerts-rooms': '#ops' }, {}, undefined, /^--alerts-rooms: "#ops" is invalid; write slugs/],
    [{ alerts: 'http://a', 'alerts-rooms': 'ops,,x' }, {}, undefined, /^--alerts-rooms: .* is invalid/],
    [{ 'cors-origin': ['https://a.example/path'] }, {}, undefined, /--cors-origin/],
    [{ 'cors-origin': '*' }, {}, undefined, /--cors-origin/],
    [{ 'allowed-host': 'a:80' }, {}, undefined, /--allowed-host/],
    [{ database: 'postgres://x' }, {}, undefined, /^--database: there is no such setting: write --storage-url$/],
    [{ 'files-dir': 'files' }, {}, undefined, /^--files-dir: files lie in --data-dir; leave it out, or give --storage/],
    [
      { 'data-dir': 'data' },
      { OPSDECK_STORAGE_URL: DATABASE },
      undefined,
      /^--data-dir: OPSDECK_STORAGE_URL keeps everything in PostgreSQL; leave out one$/,
    ],
    [{ 'storage-url': DATABASE }, {}, { 'data-dir': 'data' }, /^rooms\.yml: data-dir: --storage-url keeps everything/],
    [{ 'storage-url': DATABASE, durability: 'off' }, {}, undefined, /^--durability: PostgreSQL's synchronous_commit/],
  ];
  for (const [flags, env, content, expected] of mistakes) {
    test(String(expected), () => {
      const [problem = '', ...others] = problemsOf(flags, env, content);
      assert.match(problem, expected);
      assert.deepEqual(others, []);
    });
  }

  test('all of them are reported at once', () =>
    assert.equal(problemsOf({ port: 'x', retention: 'y' }, {}, { prot: 1 }).length, 3));

  for (const url of [
    'http://user:hunter2@proxy.example/path',
    'user:hunter2@proxy',
    'http://user:hunter2',
    'http://u:hunter2%@p',
  ]) {
    test(`the password of an outbound proxy is not repeated: ${url}`, () => {
      const problems = [
        ...problemsOf({ 'outbound-proxy': url }),
        ...problemsOf({}, { OPSDECK_ROOMS_OUTBOUND_PROXY: url }),
        ...problemsOf({}, {}, { 'outbound-proxy': url }),
      ];
      assert.equal(problems.length, 3);
      for (const problem of problems) {
        assert.match(problem, /outbound.proxy.*write an http/i);
        assert.ok(!problem.includes('hunter2'), problem);
      }
    });
  }

  test('a password in another address is not repeated', () => {
    const [problem = ''] = problemsOf({ alerts: 'http://ana:hunter2@alerts.example' });
    assert.match(problem, /^--alerts: "…@alerts.example" is invalid/);
  });

  for (const name of ['OPSDECK_ROOMS_ADMIN_TOKEN', 'OPSDECK_ROOMS_METRICS_TOKEN'])
    test(`a bad ${name} is not repeated`, () => {
      const [problem = ''] = problemsOf({}, { [name]: 'short secret' });
      assert.match(problem, new RegExp(`^${name}: `));
      assert.ok(!problem.includes('short secret'));
    });
});
