import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../../kernel/clock.ts';
import { openHttpClient } from '../../testing/http/client-parts.ts';
import { ITEM_KINDS } from '../flag-store.ts';
import { FakeConsul } from '../testing/databases/consul.ts';
import { startDynamoDb } from '../testing/databases/dynamodb.ts';
import { startRedis } from '../testing/databases/redis.ts';
import { RecordingLog } from '../testing/launchdarkly/parts.ts';
import type { BlobStore } from './blobs.ts';
import { ConsulDriver } from './consul/driver.ts';
import type { StoreDriver, StoreWrite } from './driver.ts';
import { DynamoDbBlobs } from './dynamodb/blobs.ts';
import { openDynamoDb } from './dynamodb/client.ts';
import { DynamoDbDriver } from './dynamodb/driver.ts';
import { RedisBlobs } from './redis/blobs.ts';
import { openRedis } from './redis/client.ts';
import { RedisDriver } from './redis/driver.ts';
import { Turns } from './turns.ts';

/** A database with its content in a form that shows keys and values as they are. */
interface Database {
  /** Of the environment with this prefix. */
  driver(prefix: string): StoreDriver;
  /** Absent for Consul. */
  readonly blobs?: (name: string) => BlobStore;
  /** The content as `key = value`, sorted, without keys of opsdeck's own. */
  content(): Promise<readonly string[]>;
  /** What the test below has written, as `content` shows it. */
  readonly layout: readonly string[];
}

type OpenDatabase = (t: TestContext) => Promise<Database | undefined>;

async function openRedisDatabase(t: TestContext): Promise<Database | undefined> {
  const redis = await startRedis(t);
  if (!redis) return undefined;
  const options = {
    username: undefined,
    password: undefined,
    caFile: undefined,
    certFile: undefined,
    keyFile: undefined,
  };
  const timeouts = { connectTimeoutMs: 5000, readTimeoutMs: 5000 };
  const connection = openRedis({ url: redis.url, ...options, ...timeouts }, new RecordingLog(), systemClock);
  const { client, close } = await connection;
  t.after(close);
  const turns = new Turns();
  return {
    driver: (prefix) => new RedisDriver({ connection, prefix, turns }),
    blobs: (hash) => new RedisBlobs({ connection, hash, turns }),
    async content() {
      const lines: string[] = [];
      for (const key of await client.keys('*')) {
        if (key.endsWith('$source')) continue;
        if ((await client.type(key)) === 'string') lines.push(`${key} = ${await client.get(key)}`);
        else
          for (const [field, value] of Object.entries(await client.hGetAll(key)))
            lines.push(`${key} ${field} = ${value}`);
      }
      return lines.sort();
    },
    layout: ['p/q:$inited = ', 'p/q:features a = {"version":1}', 'p/q:segments s = {"version":2}'],
  };
}

async function openDynamoDatabase(t: TestContext): Promise<Database> {
  const { url } = await startDynamoDb(t, 'flags');
  const client = openDynamoDb({ url, tableName: undefined }, { http: openHttpClient(t), clock: systemClock });
  return {
    driver: (prefix) => new DynamoDbDriver({ client, table: 'flags', prefix }),
    blobs: (namespace) => new DynamoDbBlobs({ client, table: 'flags', namespace }),
    async content() {
      const { Items = [] } = await (await client).scan({ TableName: 'flags' });
      return Items.map(({ namespace, key, version, item }) =>
        [namespace?.S, key?.S, version?.N, item?.S].filter((one) => one !== undefined).join(' '),
      )
        .filter((line) => !line.includes('$source'))
        .sort();
    },
    layout: ['p/q:$inited p/q:$inited', 'p/q:features a 1 {"version":1}', 'p/q:segments s 2 {"version":2}'],
  };
}

async function openConsulDatabase(t: TestContext): Promise<Database> {
  const consul = await FakeConsul.start(t);
  const http = openHttpClient(t);
  const options = { url: consul.url, token: 'secret', tokenFile: undefined };
  t.after(() => assert.ok(consul.tokens.every((token) => token === 'secret')));
  return {
    driver: (prefix) => new ConsulDriver({ options, prefix, http, clock: systemClock }),
    content: async () =>
      [...consul.pairs]
        .filter(([key]) => !key.endsWith('$source'))
        .map(([key, { value }]) => `${key} = ${value}`)
        .sort(),
    layout: ['p/q/$inited = ', 'p/q/features/a = {"version":1}', 'p/q/segments/s = {"version":2}'],
  };
}

const DATABASES: readonly (readonly [name: string, open: OpenDatabase])[] = [
  ['Redis', openRedisDatabase],
  ['DynamoDB', openDynamoDatabase],
  ['Consul', openConsulDatabase],
];

const put = (key: string, version: number, before?: StoreWrite['revision']): StoreWrite => ({
  kind: 'flags',
  key,
  revision: before,
  item: { version, text: JSON.stringify({ version }) },
});

async function textsOf(driver: StoreDriver): Promise<unknown> {
  const { items } = await driver.read();
  return Object.fromEntries(
    ITEM_KINDS.map((kind) => [kind, [...items[kind]].map(([key, { text }]) => `${key} ${text}`).sort()]),
  );
}

for (const [name, open] of DATABASES) {
  test(name, async (t) => {
    const database = await open(t);
    if (!database) return;

    const blobs = database.blobs?.('configuration');
    if (blobs)
      await t.test('bytes are read as written, and replaced as a whole', async () => {
        assert.deepEqual(await blobs.read(), new Map());
        const bytes = Buffer.from([0, 255, 128, 10]);
        // More than one request of DynamoDB takes.
        const many = new Map(Array.from({ length: 30 }, (_, index) => [`env:${index}`, bytes] as const));
        await blobs.replace(many);
        assert.deepEqual(new Map([...(await blobs.read())].sort()), new Map([...many].sort()));
        await blobs.replace(new Map([['env:1', Buffer.from('é')]]));
        assert.deepEqual(await blobs.read(), new Map([['env:1', Buffer.from('é')]]));
        await blobs.replace(new Map());
        assert.deepEqual(await blobs.read(), new Map());
      });

    await t.test('an empty database is not initialised', async () => {
      const driver = database.driver('empty');
      assert.equal(await driver.isInitialised(), false);
      const { items, ...data } = await driver.read();
      assert.deepEqual(data, { isInitialised: false, source: undefined });
      assert.deepEqual([items.flags.size, items.segments.size], [0, 0]);
      assert.equal(await driver.readItem('flags', 'a'), undefined);
    });

    await t.test('the layout is that of the SDKs', async () => {
      const driver = database.driver('p/q');
      const segment: StoreWrite = { ...put('s', 2), kind: 'segments' };
      assert.equal(await driver.write([put('a', 1), segment], 'mine'), 'written');
      assert.deepEqual(await database.content(), database.layout);
      const { isInitialised, source } = await driver.read();
      assert.deepEqual([isInitialised, source, await driver.isInitialised()], [true, 'mine', true]);
      assert.deepEqual(await textsOf(driver), { flags: ['a {"version":1}'], segments: ['s {"version":2}'] });
    });

    await t.test('an item is replaced and removed only at its revision', async () => {
      const driver = database.driver('revisions');
      assert.equal(await driver.write([put('a', 1)]), 'written');
      assert.equal(await driver.isInitialised(), false);
      const first = await driver.readItem('flags', 'a');
      assert.equal(await driver.write([put('a', 2)]), 'conflict');
      assert.equal(await driver.write([put('a', 2, first?.revision)]), 'written');
      assert.equal(await driver.write([put('a', 3, first?.revision)]), 'conflict');
      const removal: StoreWrite = { kind: 'flags', key: 'a', revision: first?.revision, item: undefined };
      assert.equal(await driver.write([removal]), 'conflict');
      assert.equal((await driver.readItem('flags', 'a'))?.text, '{"version":2}');
      const { items } = await driver.read();
      const revision = items.flags.get('a')?.revision;
      assert.equal(await driver.write([{ ...removal, revision }]), 'written');
      assert.equal(await driver.readItem('flags', 'a'), undefined);
    });

    await t.test('a conflict leaves the data unmarked', async () => {
      const driver = database.driver('unmarked');
      await driver.write([put('a', 1)]);
      assert.equal(await driver.write([put('a', 2), put('b', 1)], 'mine'), 'conflict');
      assert.equal(await driver.isInitialised(), false);
    });

    await t.test('a prefix does not touch the data of a longer one', async () => {
      const [short, long] = [database.driver('x'), database.driver('x/y')];
      await long.write([put('a', 1)], 'long');
      assert.equal(await short.isInitialised(), false);
      assert.deepEqual(await textsOf(short), { flags: [], segments: [] });
    });

    await t.test('of writers at the same time, one wins', async () => {
      const driver = database.driver('race');
      const results = await Promise.all([1, 2, 3].map((version) => driver.write([put('a', version)])));
      assert.deepEqual(results.toSorted(), ['conflict', 'conflict', 'written']);
    });

    await t.test('more than fits on a page of DynamoDB', async () => {
      const driver = database.driver('many');
      const text = JSON.stringify({ version: 1, text: 'é'.repeat(5000) });
      const writes = Array.from(
        { length: 120 },
        (_, n): StoreWrite => ({ ...put(`f${n}`, 1), item: { version: 1, text } }),
      );
      assert.equal(await driver.write(writes, 'mine'), 'written');
      const { items } = await driver.read();
      assert.equal(items.flags.size, 120);
      assert.ok([...items.flags.values()].every((one) => one.text === text));
    });
  });
}

test('DynamoDB takes items of up to 400,000 bytes', () => {
  const driver = new DynamoDbDriver({ client: new Promise(() => {}), table: 't', prefix: 'p' });
  const sized = (length: number): StoreWrite => ({
    ...put('a', 1),
    item: { version: 1, text: 'é'.repeat(length / 2) },
  });
  assert.ok(driver.fits(sized(399_800)));
  assert.ok(!driver.fits(sized(400_000)));
});
