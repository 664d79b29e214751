import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../../kernel/clock.ts';
import { HttpClient } from '../../kernel/http-client/http-client.ts';
import { eventually } from '../../testing/eventually.ts';
import { openDynamoDb } from '../stores/dynamodb/client.ts';
import { openRedis } from '../stores/redis/client.ts';
import { startDynamoDb } from '../testing/databases/dynamodb.ts';
import { MemoryBigSegmentStore, patchOf } from '../testing/databases/memory-big-segments.ts';
import { startRedis } from '../testing/databases/redis.ts';
import { RecordingLog } from '../testing/launchdarkly/parts.ts';
import { DynamoDbBigSegmentStore } from './dynamodb-store.ts';
import { RedisBigSegmentStore } from './redis-store.ts';
import type { BigSegmentStore } from './store.ts';

/** A database that two relays use, each with a connection of its own. */
interface Database {
  /** Everything under a prefix, as LaunchDarkly's Relay Proxy and SDKs read it. */
  readonly dump?: (prefix: string) => Promise<unknown>;
  readonly open: (prefix: string) => BigSegmentStore;
  readonly stop: () => Promise<void>;
  readonly start: () => Promise<void>;
}

const PLAIN = { username: undefined, password: undefined, caFile: undefined, certFile: undefined, keyFile: undefined };

async function redis(t: TestContext): Promise<Database | undefined> {
  const server = await startRedis(t);
  if (!server) return undefined;
  const options = { ...PLAIN, url: server.url, connectTimeoutMs: 5000, readTimeoutMs: 5000 };
  return {
    open: (prefix) => {
      const connection = openRedis(options, new RecordingLog(), systemClock);
      return closed(t, new RedisBigSegmentStore({ connection, prefix }));
    },
    stop: server.kill,
    start: server.start,
    async dump(prefix) {
      const { client, close } = await openRedis(options, new RecordingLog(), systemClock);
      const read = async (key: string) => [
        key,
        (await client.type(key)) === 'set' ? await client.sMembers(key) : await client.get(key),
      ];
      const keys = await client.keys(`${prefix}:*`);
      const entries = await Promise.all(keys.toSorted().map(read));
      close();
      return Object.fromEntries(entries);
    },
  };
}

async function dynamoDb(t: TestContext): Promise<Database> {
  const server = await startDynamoDb(t, 'flags');
  const http = new HttpClient();
  t.after(() => http.close());
  return {
    open: (prefix) => {
      const client = openDynamoDb({ url: server.url, tableName: undefined }, { http, clock: systemClock });
      return closed(t, new DynamoDbBigSegmentStore({ client, table: 'flags', prefix }));
    },
    stop: server.stop,
    start: server.start,
    async dump(prefix) {
      const { ScanCommand } = await import('@aws-sdk/client-dynamodb');
      const client = await openDynamoDb({ url: server.url, tableName: undefined }, { http, clock: systemClock });
      const { Items = [] } = await client.send(new ScanCommand({ TableName: 'flags' }));
      return Items.filter(({ namespace }) => namespace?.S?.startsWith(`${prefix}:`)).toSorted((a, b) =>
        String(a.namespace?.S) < String(b.namespace?.S) ? -1 : 1,
      );
    },
  };
}

/** The fake of other tests must not behave differently. */
async function memory(): Promise<Database> {
  const byPrefix = new Map<string, MemoryBigSegmentStore>();
  const fail = (failure: Error | undefined) => {
    for (const store of byPrefix.values()) store.failure = failure;
  };
  return {
    open(prefix) {
      const store = byPrefix.get(prefix) ?? new MemoryBigSegmentStore();
      byPrefix.set(prefix, store);
      return store;
    },
    stop: async () => fail(new Error('away')),
    start: async () => fail(undefined),
  };
}

function closed(t: TestContext, store: BigSegmentStore): BigSegmentStore {
  t.after(() => store.close());
  return store;
}

const add = (...hashes: readonly string[]) => ({ add: hashes, remove: [] });
const remove = (...hashes: readonly string[]) => ({ add: [], remove: hashes });

/** After one patch that includes `a` and excludes `b`, and a synchronisation at 7. */
const LAYOUTS: Readonly<Record<string, unknown>> = {
  Redis: {
    'p:big_segment_exclude:b': ['s.g1'],
    'p:big_segment_include:a': ['s.g1'],
    'p:big_segments_cursor': 'v',
    'p:big_segments_lock': '',
    'p:big_segments_synchronized_on': '7',
  },
  DynamoDB: [
    {
      namespace: { S: 'p:big_segments_metadata' },
      key: { S: 'p:big_segments_metadata' },
      lastVersion: { S: 'v' },
      synchronizedOn: { N: '7' },
    },
    { namespace: { S: 'p:big_segments_user' }, key: { S: 'a' }, included: { SS: ['s.g1'] } },
    { namespace: { S: 'p:big_segments_user' }, key: { S: 'b' }, excluded: { SS: ['s.g1'] } },
  ],
};

const DATABASES = { Redis: redis, DynamoDB: dynamoDb, memory };

for (const [name, start] of Object.entries(DATABASES)) {
  test(`a store of big segments in ${name}`, async (t) => {
    const database = await start(t);
    if (!database) return;
    let stores = 0;
    const open = () => database.open(`p${++stores}`);

    const { dump } = database;
    if (dump) {
      await t.test('has the layout of the Relay Proxy', async () => {
        const store = database.open('p');
        await store.applyPatch(patchOf('', 'v', { included: add('a'), excluded: add('b') }));
        await store.setSynchronizedOn(7);
        assert.deepEqual(await dump('p'), LAYOUTS[name]);
      });
    }

    await t.test('begins empty', async () => {
      const store = open();
      assert.equal(await store.cursor(), '');
      assert.equal(await store.synchronizedOn(), undefined);
      assert.deepEqual(await store.listedSegments('nobody'), { included: [], excluded: [] });
    });

    await t.test('keeps the last synchronisation', async () => {
      const store = open();
      await store.setSynchronizedOn(1_790_000_000_123);
      assert.equal(await store.synchronizedOn(), 1_790_000_000_123);
      assert.equal(await store.cursor(), '');
    });

    await t.test('applies patches that follow each other', async () => {
      const store = open();
      assert.equal(await store.applyPatch(patchOf('', '', { included: add('a', 'b') })), true);
      assert.equal(await store.applyPatch(patchOf('', '1', { segmentId: 't.g2', included: add('a') })), true);
      assert.equal(await store.cursor(), '1');
      const both = { included: remove('a'), excluded: add('a') };
      assert.equal(await store.applyPatch(patchOf('1', '2', both)), true);
      assert.deepEqual(await store.listedSegments('a'), { included: ['t.g2'], excluded: ['s.g1'] });
      assert.deepEqual(await store.listedSegments('b'), { included: ['s.g1'], excluded: [] });
      assert.equal(await store.applyPatch(patchOf('2', '3', { excluded: remove('a', 'never') })), true);
      assert.deepEqual(await store.listedSegments('a'), { included: ['t.g2'], excluded: [] });
      assert.equal(await store.cursor(), '3');
    });

    await t.test('removes what a patch both adds and removes, as in the Relay Proxy', async () => {
      const store = open();
      const lists = { included: { add: ['a'], remove: ['a'] }, excluded: add('a') };
      assert.equal(await store.applyPatch(patchOf('', '1', lists)), true);
      assert.deepEqual(await store.listedSegments('a'), { included: [], excluded: ['s.g1'] });
    });

    await t.test('refuses a patch that does not follow, and changes nothing', async () => {
      const store = open();
      await store.applyPatch(patchOf('', '1', { included: add('a') }));
      for (const previous of ['', '0', '2'])
        assert.equal(await store.applyPatch(patchOf(previous, '3', { included: add('b') })), false);
      assert.deepEqual(await store.listedSegments('b'), { included: [], excluded: [] });
      assert.equal(await store.cursor(), '1');
    });

    await t.test('applies a patch of many contexts', async () => {
      const store = open();
      const hashes = Array.from({ length: 100 }, (_, index) => `hash-${index}`);
      assert.equal(await store.applyPatch(patchOf('', '1', { included: add(...hashes) })), true);
      for (const hash of ['hash-0', 'hash-23', 'hash-24', 'hash-99'])
        assert.deepEqual(await store.listedSegments(hash), { included: ['s.g1'], excluded: [] });
    });

    await t.test('applies concurrent patches of two relays one after the other', async () => {
      const prefix = `p${++stores}`;
      const relays = [database.open(prefix), database.open(prefix)];
      const winners: (string | undefined)[] = [];
      for (let version = 1; version <= 20; version++) {
        const patches = ['x', 'y'].map((relay) =>
          patchOf(version === 1 ? '' : `${version - 1}`, `${version}`, {
            segmentId: `${relay}${version}.g1`,
            included: add('a'),
          }),
        );
        const applied = await Promise.all(patches.map((patch, index) => relays[index]?.applyPatch(patch)));
        assert.deepEqual(applied.toSorted(), [false, true], `version ${version}`);
        winners.push(patches[applied.indexOf(true)]?.segmentId);
      }
      assert.equal(await relays[0]?.cursor(), '20');
      assert.deepEqual((await relays[1]?.listedSegments('a'))?.included.toSorted(), winners.toSorted());
    });

    await t.test('fails while the database is away, and works again afterwards', async () => {
      const store = open();
      await store.applyPatch(patchOf('', '1', { included: add('a') }));
      await database.stop();
      await assert.rejects(store.cursor());
      await assert.rejects(store.applyPatch(patchOf('1', '2')));
      await assert.rejects(store.listedSegments('a'));
      await database.start();
      await eventually('the database', async () => (await store.cursor()) === '1');
      assert.equal(await store.applyPatch(patchOf('1', '2')), true);
    });
  });
}
