import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../../../kernel/clock.ts';
import { AUTHORITY, CLIENT, SERVER } from '../../../kernel/testdata/tls-certificates.ts';
import { eventually } from '../../../testing/eventually.ts';
import { freePort } from '../../../testing/postgres.ts';
import { temporaryFolder } from '../../../testing/processes.ts';
import { startRedis } from '../../testing/databases/redis.ts';
import { RecordingLog } from '../../testing/launchdarkly/parts.ts';
import type { RedisOptions } from '../options.ts';
import { openRedis, type RedisConnection } from './client.ts';

const SIGN_IN = { username: 'ada', password: 's3cr3t' };
const PLAIN: Omit<RedisOptions, 'url'> = {
  ...SIGN_IN,
  caFile: undefined,
  certFile: undefined,
  keyFile: undefined,
  connectTimeoutMs: 5000,
  readTimeoutMs: 300,
};

interface Opened extends RedisConnection {
  readonly log: RecordingLog;
}

async function open(t: TestContext, url: string, options: Partial<RedisOptions> = {}): Promise<Opened> {
  const log = new RecordingLog();
  const connection = await openRedis({ url, ...PLAIN, ...options }, log, systemClock);
  t.after(() => connection.close());
  return { ...connection, log };
}

function certificateFiles(t: TestContext) {
  const folder = temporaryFolder(t);
  const write = (name: string, content: string) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  return {
    ca: write('ca.pem', AUTHORITY),
    server: { cert: write('server.pem', SERVER.cert), key: write('server.key', SERVER.key) },
    client: { certFile: write('client.pem', CLIENT.cert), keyFile: write('client.key', CLIENT.key) },
  };
}

test('a connection to Redis', async (t) => {
  const { ca, server, client } = certificateFiles(t);
  const tlsPort = await freePort();
  const redis = await startRedis(t, [
    ...['--requirepass', 'other', '--user', SIGN_IN.username, 'on', `>${SIGN_IN.password}`, '~*', '+@all'],
    ...['--tls-port', String(tlsPort), '--tls-auth-clients', 'yes'],
    ...['--tls-ca-cert-file', ca, '--tls-cert-file', server.cert, '--tls-key-file', server.key],
  ]);
  if (!redis) return;
  const tlsUrl = `rediss://localhost:${tlsPort}`;

  await t.test('signs in as a user, in the database of the URL', async (sub) => {
    const { client } = await open(sub, `${redis.url}/3`);
    assert.equal(await client.sendCommand(['ACL', 'WHOAMI']), 'ada');
    await client.set('a', '1');
    const { client: other } = await open(sub, redis.url);
    assert.equal(await other.get('a'), null);
  });

  await t.test('with a wrong password fails at once, and says so without it', async (sub) => {
    const { client, log } = await open(sub, redis.url, { password: 'wr0ng' });
    await assert.rejects(client.get('a'), /offline/);
    assert.match(log.text, /WRONGPASS/);
    assert.doesNotMatch(log.text, /wr0ng/);
  });

  await t.test('speaks TLS with certificates of its own', async (sub) => {
    const trusted = await open(sub, tlsUrl, { caFile: ca, ...client });
    assert.equal(await trusted.client.ping(), 'PONG');
    const untrusted = await open(sub, tlsUrl, client);
    assert.match(untrusted.log.text, /no connection to Redis.*certificate/);
    const anonymous = await open(sub, tlsUrl, { caFile: ca });
    await assert.rejects(anonymous.client.ping());
    assert.doesNotMatch(anonymous.log.text, /connected to Redis/);
  });

  await t.test('is made again when Redis has hung or was killed; commands end meanwhile', async (sub) => {
    const { client } = await open(sub, redis.url);
    redis.pause();
    await assert.rejects(client.get('a'));
    redis.resume();
    await eventually('the connection', () => client.isReady);
    await redis.kill();
    await assert.rejects(client.get('a'));
    await redis.start();
    await eventually('the connection', () => client.isReady);
    assert.equal(await client.ping(), 'PONG');
  });

  await t.test('is not awaited if nothing listens', async (sub) => {
    const { client, log } = await open(sub, `redis://127.0.0.1:${await freePort()}`);
    await assert.rejects(client.get('a'), /offline/);
    assert.match(log.text, /ECONNREFUSED/);
  });
});
