import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { PlainClient } from '../../testing/http/client.ts';
import { needsPostgres, openTestDatabase } from '../../testing/postgres.ts';
import { type Cleanup, configFile, Janitor, startOpsdeck } from '../../testing/processes.ts';
import type { ServerStatus } from '../contract/wire.ts';

const configOf = (receiver: string) => `{route: {receiver: ${receiver}}, receivers: [{name: ${receiver}}]}`;

function createJanitor(t: TestContext): Janitor {
  const janitor = new Janitor();
  t.after(() => janitor.clean());
  return janitor;
}

/** A node and what it says of itself and the others. */
async function startNode(t: Cleanup, args: readonly string[]) {
  const server = await startOpsdeck(t, args);
  const client = new PlainClient(t, server.url);
  return {
    ...server,
    async peers() {
      const { cluster } = JSON.parse((await client.get('/api/v2/status')).body) as ServerStatus;
      return `${cluster.name}: ${cluster.status} ${cluster.peers.map(({ name }) => name).join(' ')}`;
    },
    async metric(name: string) {
      const { body } = await client.get('/metrics');
      return Number(new RegExp(`^${name}(?:{.*})? (.*)$`, 'm').exec(body)?.[1]);
    },
    async metricLine(name: string) {
      return new RegExp(`^${name}.*$`, 'm').exec((await client.get('/metrics')).body)?.[0];
    },
    async ready() {
      const { status, body } = await client.get('/-/ready');
      return `${status} ${body}`;
    },
    reload: () => client.post('/-/reload', {}),
  };
}

test('nodes show each other, notice who was killed, and forget at once who has left', async (t) => {
  if (!needsPostgres(t)) return;
  const janitor = createJanitor(t);
  const { url } = await openTestDatabase();
  const config = configFile(janitor);
  const start = (name: string) =>
    startNode(janitor, ['--storage.url', url, '--config.file', config, '--cluster.peer-name', name]);
  const a = await start('a');
  assert.equal(await a.peers(), 'a: ready a');
  const b = await start('b');
  await eventually('both', async () => (await a.peers()) === 'a: ready a b');
  assert.equal(await b.peers(), 'b: ready a b');
  for (const [node, position] of [
    [a, 0],
    [b, 1],
  ] as const) {
    assert.equal(await node.metric('alertmanager_cluster_members'), 2);
    assert.equal(await node.metric('alertmanager_cluster_failed_peers'), 0);
    assert.equal(await node.metric('alertmanager_peer_position'), position);
    assert.equal(await node.metric('alertmanager_cluster_enabled'), 1);
    assert.equal(await node.metric('alertmanager_cluster_health_score'), 0);
    assert.equal(await node.metric('opsdeck_storage_up'), 1);
    assert.equal(await node.metric('opsdeck_cluster_config_mismatch'), 0);
    assert.ok(Math.abs(await node.metric('opsdeck_storage_clock_skew_seconds')) < 1);
  }
  assert.equal(await b.metricLine('alertmanager_cluster_peer_info'), 'alertmanager_cluster_peer_info{peer="b"} 1');

  await a.stop('SIGKILL');
  await eventually('the failed peer', async () => (await b.metric('alertmanager_cluster_failed_peers')) === 1);
  assert.equal(await b.metric('alertmanager_cluster_members'), 1);
  assert.equal(await b.metric('alertmanager_peer_position'), 0);
  assert.equal(await b.peers(), 'b: ready b');
  const again = await start('a');
  await eventually('its return', async () => (await b.metric('alertmanager_cluster_members')) === 2);
  assert.equal(await b.metric('alertmanager_cluster_failed_peers'), 0);
  await again.stop();
  await eventually('its leave', async () => (await b.metric('alertmanager_cluster_members')) === 1);
  assert.equal(await b.metric('alertmanager_cluster_failed_peers'), 0);
});

test('nodes whose configurations differ say so until they agree', async (t) => {
  if (!needsPostgres(t)) return;
  const janitor = createJanitor(t);
  const { url } = await openTestDatabase();
  const files = [configFile(janitor, configOf('one')), configFile(janitor, configOf('two'))] as const;
  const start = (name: string, file: string) =>
    startNode(janitor, ['--storage.url', url, '--config.file', file, '--cluster.peer-name', name]);
  const a = await start('a', files[0]);
  const b = await start('b', files[1]);
  for (const [node, other] of [
    [a, 'b'],
    [b, 'a'],
  ] as const) {
    await eventually(
      `what differs from ${other}`,
      async () => (await node.ready()) === `200 OK, but the configuration differs from that of ${other}`,
    );
    assert.equal(await node.metric('opsdeck_cluster_config_mismatch'), 1);
    await eventually('the line', () =>
      new RegExp(`level=WARN msg="the config files of the nodes differ: .*" nodes=${other}\n`).test(node.stderr()),
    );
  }
  copyFileSync(files[0], files[1]);
  assert.equal((await b.reload()).status, 200);
  for (const node of [a, b]) {
    await eventually('the agreement', async () => (await node.ready()) === '200 OK');
    assert.equal(await node.metric('opsdeck_cluster_config_mismatch'), 0);
    assert.equal(node.stderr().match(/files of the nodes differ/g)?.length, 1);
  }
});

test('flags of gossip are refused nowhere; without a database the log names what to use instead', async (t) => {
  const janitor = createJanitor(t);
  const gossip = ['--cluster.peer', 'am-2:9094', '--cluster.gossip-interval', '200ms'];
  const alone = await startNode(janitor, gossip);
  assert.match(
    alone.stderr(),
    /level=WARN msg="flags without effect: .* same --storage\.url of a PostgreSQL database; .*" flags="--cluster\.peer --cluster\.gossip-interval"/,
  );
  if (!needsPostgres(t)) return;
  const { url } = await openTestDatabase();
  const shared = await startNode(janitor, ['--storage.url', url, ...gossip]);
  assert.match(shared.stderr(), /level=INFO msg="flags without effect: the nodes share a database and do not gossip"/);
  assert.doesNotMatch(shared.stderr(), /level=WARN/);
});
