import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { PlainClient } from '../../testing/http/client.ts';
import {
  configFile,
  executablePath,
  listeningAddress,
  runProcess,
  startOpsdeck,
  startServer,
  temporaryFolder,
} from '../../testing/processes.ts';

// A launcher of `alertmanager` must be able to launch opsdeck in its place.

/** Every flag with a value in `alertmanager --help` of 0.34.2, except those that each test sets. */
const FLAGS_WITH_VALUES: readonly (readonly [flag: string, value: string])[] = [
  ['data.retention', '120h'],
  ['data.maintenance-interval', '15m'],
  ['silences.max-silences', '0'],
  ['silences.max-silence-size-bytes', '0'],
  ['alerts.gc-interval', '30m'],
  ['alerts.per-alertname-limit', '0'],
  ['dispatch.maintenance-interval', '30s'],
  ['dispatch.start-delay', '0s'],
  ['web.config.file', ''],
  ['web.external-url', 'http://alerts.example/prefix/'],
  ['web.route-prefix', '/'],
  ['web.get-concurrency', '0'],
  ['web.timeout', '0'],
  ['web.cors.origin', '^https://ops[.]example$'],
  ['auto-gomemlimit.ratio', '0.9'],
  ['cluster.listen-address', '127.0.0.1:0'],
  ['cluster.advertise-address', '127.0.0.1:9094'],
  ['cluster.peer-name', 'stand-in'],
  ['cluster.peer', '127.0.0.1:1'],
  ['cluster.peer-timeout', '15s'],
  ['cluster.peers-resolve-timeout', '15s'],
  ['cluster.gossip-interval', '200ms'],
  ['cluster.pushpull-interval', '1m0s'],
  ['cluster.tcp-timeout', '10s'],
  ['cluster.probe-timeout', '500ms'],
  ['cluster.probe-interval', '1s'],
  ['cluster.settle-timeout', '1m0s'],
  ['cluster.reconnect-interval', '10s'],
  ['cluster.reconnect-timeout', '6h0m0s'],
  ['cluster.tls-config', ''],
  ['cluster.label', ''],
  ['enable-feature', ''],
  ['log.level', 'info'],
  ['log.format', 'logfmt'],
];
const SWITCHES = [
  '--log.silences',
  '--no-log.silences',
  '--no-web.systemd-socket',
  '--cluster.allow-insecure-public-advertise-address-discovery',
  '--no-cluster.allow-insecure-public-advertise-address-discovery',
];

interface Status {
  readonly cluster: {
    readonly name?: string;
    readonly status: string;
    readonly peers: readonly { readonly name: string; readonly address: string }[];
  };
  readonly config: { readonly original: string };
}

async function statusOf(t: TestContext, url: string): Promise<Status> {
  return JSON.parse((await new PlainClient(t, url).get('/api/v2/status')).body) as Status;
}

for (const [form, print] of [
  ['--flag=value', (flag: string, value: string) => [`--${flag}=${value}`]],
  ['--flag value', (flag: string, value: string) => [`--${flag}`, value]],
] as const) {
  test(`every flag of alertmanager is accepted as ${form}`, async (t) => {
    const flags = FLAGS_WITH_VALUES.flatMap(([flag, value]) => print(flag, value));
    const server = await startOpsdeck(t, [...print('config.file', configFile(t)), ...flags, ...SWITCHES]);
    const { cluster } = await statusOf(t, server.url);
    assert.equal(cluster.name, 'stand-in');
  });
}

test('an empty value counts as unset, as launchers pass unset values', async (t) => {
  const empty = [
    'web.config.file',
    'web.cors.origin',
    'web.external-url',
    'web.route-prefix',
    'cluster.peer-name',
    'enable-feature',
  ];
  const server = await startOpsdeck(
    t,
    empty.map((flag) => `--${flag}=`),
  );
  const { cluster } = await statusOf(t, server.url);
  assert.notEqual(cluster.name, '');
  assert.ok(server.stderr().includes(`externalURL=http://${hostname()}:`), server.stderr());
});

test('a flag unknown to alertmanager is refused before anything starts', async (t) => {
  const folder = temporaryFolder(t);
  const args = [
    executablePath(),
    'alerts',
    'serve',
    '--cluster.listen-adress=',
    '--storage.path',
    join(folder, 'data'),
  ];
  const { code, stderr } = await runProcess(process.execPath, args, { cwd: folder });
  assert.equal(code, 2);
  assert.match(stderr, /unknown option '--cluster\.listen-adress='/);
});

test('when ready, the server logs its address, and is its own peer', async (t) => {
  const server = await startOpsdeck(t, ['--config.file', configFile(t)]);
  assert.match(server.stderr(), /^time=\S+ level=INFO msg="Listening on" address=127\.0\.0\.1:\d+$/m);
  const { cluster } = await statusOf(t, server.url);
  assert.equal(cluster.status, 'ready');
  assert.equal(cluster.peers.length, 1);
  assert.equal(cluster.peers[0]?.name, cluster.name);
  assert.match(cluster.peers[0]?.address ?? '', /^[^:]+:\d+$/);
});

test('templates have an address with the name of the machine, unless another is set', async (t) => {
  const server = await startOpsdeck(t, ['--config.file', configFile(t)]);
  const port = new URL(server.url).port;
  assert.ok(server.stderr().includes(`externalURL=http://${hostname()}:${port}\n`), server.stderr());
});

/** What a package or an image would put in the place of the real one. */
function wrapper(t: TestContext): string {
  const path = join(temporaryFolder(t), 'alertmanager');
  writeFileSync(path, `#!/bin/sh\nexec "${process.execPath}" "${executablePath()}" alerts serve "$@"\n`);
  chmodSync(path, 0o755);
  return path;
}

const configWith = (receiver: string) => `
route: {receiver: ${receiver}}
receivers: [{name: ${receiver}}]
`;

test('a script of the name alertmanager reloads at SIGHUP, keeps the old file in force if the new one is invalid, and ends at SIGTERM', async (t) => {
  const folder = temporaryFolder(t);
  const config = configFile(t, configWith('before'));
  const server = await startServer(t, {
    command: wrapper(t),
    args: [`--config.file=${config}`, `--storage.path=${join(folder, 'data')}`, '--web.listen-address=127.0.0.1:0'],
    cwd: folder,
    addressIn: listeningAddress,
  });
  assert.match((await statusOf(t, server.url)).config.original, /receiver: before/);

  writeFileSync(config, configWith('after'));
  process.kill(server.pid, 'SIGHUP');
  await eventually('the new configuration', async () =>
    (await statusOf(t, server.url)).config.original.includes('receiver: after'),
  );

  writeFileSync(config, 'route: {receiver: nobody}\n');
  process.kill(server.pid, 'SIGHUP');
  await eventually('the refusal', () => server.stderr().includes('level=ERROR'));
  assert.match(server.stderr(), /undefined receiver \\"nobody\\" used in route/);
  assert.match((await statusOf(t, server.url)).config.original, /receiver: after/);

  assert.deepEqual(await server.stop('SIGTERM'), { code: 0, signal: null });
});

test('a stop does not wait for an abandoned connection attempt', async (t) => {
  let heldMs: number | undefined;
  const silent = createServer((socket) => {
    const openedAt = performance.now();
    socket
      .on('error', () => {})
      .on('end', () => socket.end())
      .on('close', () => {
        heldMs = performance.now() - openedAt;
      })
      .resume();
  });
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  t.after(() => new Promise((resolve) => silent.close(resolve)));
  // It accepts the connection, and never answers the TLS handshake.
  const url = `https://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const config = configFile(t, `route: {receiver: a}\nreceivers: [{name: a, webhook_configs: [{url: "${url}"}]}]\n`);
  const args = [executablePath(), 'alerts', 'test-receiver', 'a', '--config.file', config, '--timeout', '100ms'];
  const { code, stderr } = await runProcess(process.execPath, args);
  assert.equal(code, 1);
  assert.match(stderr, /1 of 1 deliveries failed/);
  const ms = await eventually('the end of the connection', () => heldMs);
  // Without an end of its own the connection is given up after ten seconds; this one lasts a tenth of a second.
  assert.ok(ms < 8_000, `${ms} ms`);
});
