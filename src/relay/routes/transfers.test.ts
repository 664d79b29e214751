import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { init, type LDOptions } from '@launchdarkly/node-server-sdk';
import { eventually, HANG_MS } from '../../testing/eventually.ts';
import { openSse } from '../../testing/http/sse-client.ts';
import { createTestRelay, flagOf, MOBILE_KEY, SDK_KEY, type TestRelay } from '../testing/app.ts';

const server = { authorization: SDK_KEY };

interface TransferEvent {
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: of the wire
  readonly data: any;
}

/** `intent reason`, the items with their versions, and whether the present state is named. */
function outline(relay: TestRelay, events: readonly TransferEvent[]): readonly string[] {
  return events.map(({ event, data }) => {
    if (event === 'server-intent') return `${data.payloads[0].intentCode} ${data.payloads[0].reason}`;
    if (event === 'payload-transferred') return data.state === relay.environment.revision ? 'state' : 'other state';
    return `${event} ${data.kind} ${data.key} ${data.version}`;
  });
}

async function poll(relay: TestRelay, basis?: string): Promise<readonly string[]> {
  const query = basis === undefined ? '' : `?basis=${encodeURIComponent(basis)}`;
  const { status, text } = await relay.get(`/sdk/poll${query}`, server);
  assert.equal(status, 200, text);
  return outline(relay, JSON.parse(text).events);
}

const A = { key: 'a', version: 1, on: false, unknown: { kept: true } };
const start = (t: TestContext) =>
  createTestRelay(t, {
    data: {
      flags: { a: A, gone: { key: 'gone', version: 9, deleted: true } },
      segments: { s: { key: 's', version: 2 } },
    },
  });

const FULL = ['put-object flag a 1', 'put-object segment s 2', 'state'];

describe('/sdk/poll', () => {
  test('has everything except deleted items, as received, and the state that this is', async (t) => {
    const relay = start(t);
    const { revision, changes } = relay.environment;
    const { text, headers } = await relay.get('/sdk/poll', server);
    const version = changes.changes;
    assert.deepEqual(JSON.parse(text), {
      events: [
        {
          event: 'server-intent',
          data: {
            payloads: [{ id: 'relay', target: version, intentCode: 'xfer-full', reason: 'payload-missing' }],
          },
        },
        { event: 'put-object', data: { version: 1, kind: 'flag', key: 'a', object: A } },
        { event: 'put-object', data: { version: 2, kind: 'segment', key: 's', object: { key: 's', version: 2 } } },
        { event: 'payload-transferred', data: { state: revision, version, id: 'relay' } },
      ],
    });
    assert.equal(headers.get('content-type'), 'application/json');
    assert.equal(headers.get('x-ld-fd-fallback'), null);
  });

  test('has nothing for a client that is up to date', async (t) => {
    const relay = start(t);
    assert.deepEqual(await poll(relay, relay.environment.revision), ['none up-to-date']);
  });

  test('has what changed since an earlier state, once each, in order, and as it is now', async (t) => {
    const relay = start(t);
    const { store, revision } = relay.environment;
    store.upsert('flags', 'b', { key: 'b', version: 1 });
    const later = relay.environment.revision;
    store.upsert('segments', 's', { key: 's', version: 3 });
    store.upsert('flags', 'a', { key: 'a', version: 2 });
    store.upsert('flags', 'b', { key: 'b', version: 4 });
    store.upsert('flags', 'b', { key: 'b', version: 3 });
    store.remove('flags', 'a', 5);
    const changed = ['put-object segment s 3', 'put-object flag b 4', 'delete-object flag a 5', 'state'];
    assert.deepEqual(await poll(relay, revision), ['xfer-changes stale', ...changed]);
    assert.deepEqual(await poll(relay, later), ['xfer-changes stale', ...changed]);
    assert.deepEqual(await poll(relay, relay.environment.revision), ['none up-to-date']);
  });

  test('has no items after a change of the members of big segments', async (t) => {
    const relay = start(t);
    const { store, revision } = relay.environment;
    store.changeMembers();
    assert.deepEqual(await poll(relay, revision), ['xfer-changes stale', 'state']);
    store.upsert('flags', 'b', { key: 'b', version: 1 });
    assert.deepEqual(await poll(relay, revision), ['xfer-changes stale', 'put-object flag b 1', 'state']);
  });

  test('has everything for an unknown state, and for one before all data were replaced', async (t) => {
    const relay = start(t);
    const { store, revision } = relay.environment;
    const next = `${revision.slice(0, -1)}${(relay.environment.changes.changes + 1).toString(36)}`;
    for (const basis of ['x', 'FDv1Fallback', `${revision}0`, next, revision.toLowerCase().slice(1)])
      assert.deepEqual(await poll(relay, basis), ['xfer-full cant-catchup', ...FULL], basis);
    assert.deepEqual(await poll(relay, ''), ['xfer-full payload-missing', ...FULL]);
    store.replace({ flags: { a: { ...A, version: 7 } }, segments: {} });
    assert.deepEqual(await poll(relay, revision), ['xfer-full cant-catchup', 'put-object flag a 7', 'state']);
  });

  test('has everything for states that the copy of an environment has not seen', async (t) => {
    const relay = start(t);
    const { environment } = relay;
    environment.store.upsert('flags', 'b', { key: 'b', version: 1 });
    const before = environment.revision;
    environment.resume({ changes: 50, changedAt: 0 });
    assert.equal((await poll(relay, before))[0], 'xfer-full cant-catchup');
    const resumed = environment.revision;
    environment.store.upsert('flags', 'b', { key: 'b', version: 2 });
    assert.deepEqual(await poll(relay, resumed), ['xfer-changes stale', 'put-object flag b 2', 'state']);
    environment.resume({ changes: 90, changedAt: 0 });
    environment.store.upsert('flags', 'b', { key: 'b', version: 3 });
    assert.equal((await poll(relay, resumed))[0], 'xfer-full cant-catchup');
  });

  test('is unchanged as long as the data are', async (t) => {
    const relay = start(t);
    const { headers } = await relay.get('/sdk/poll', server);
    const again = { ...server, 'if-none-match': headers.get('etag') ?? '' };
    assert.deepEqual(
      [(await relay.get('/sdk/poll', again)).status, (await relay.get('/sdk/poll', again)).text],
      [304, ''],
    );
    relay.environment.store.remove('flags', 'a', 2);
    assert.equal((await relay.get('/sdk/poll', again)).status, 200);
  });

  test('requires the key of a server and data, and names no fallback', async (t) => {
    for (const path of ['/sdk/poll', '/sdk/stream']) {
      const empty = createTestRelay(t, { data: 'none' });
      const answers = [
        await start(t).get(path),
        await start(t).get(path, { authorization: MOBILE_KEY }),
        await empty.get(path, server),
      ];
      assert.deepEqual(
        answers.map(({ status, headers }) => [status, headers.get('x-ld-fd-fallback')]),
        [
          [401, null],
          [401, null],
          [503, null],
        ],
      );
    }
  });
});

describe('/sdk/stream', () => {
  async function open(t: TestContext, relay: TestRelay, basis?: string) {
    const query = basis === undefined ? '' : `?basis=${basis}`;
    const stream = await openSse(`${await relay.listen()}/sdk/stream${query}`, { headers: server });
    t.after(() => stream.close());
    return async (count: number) => {
      const events: TransferEvent[] = [];
      for (let seen = 0; seen < count; seen++) {
        const next = await stream.next();
        events.push({ event: next?.event ?? 'none', data: JSON.parse(next?.data ?? '') });
      }
      return outline(relay, events);
    };
  }

  test('begins with everything, then sends each change with the state to which it leads', async (t) => {
    const relay = start(t);
    const read = await open(t, relay);
    assert.deepEqual(await read(4), ['xfer-full payload-missing', ...FULL]);
    relay.environment.store.upsert('flags', 'b', { key: 'b', version: 1 });
    assert.deepEqual(await read(2), ['put-object flag b 1', 'state']);
    relay.environment.store.remove('segments', 's', 8);
    assert.deepEqual(await read(2), ['delete-object segment s 8', 'state']);
    relay.environment.store.replace({ flags: {}, segments: {} });
    assert.deepEqual(await read(2), ['xfer-full payload-missing', 'state']);
  });

  test('continues where a client was', async (t) => {
    const relay = start(t);
    const { revision, store } = relay.environment;
    const upToDate = await open(t, relay, revision);
    assert.deepEqual(await upToDate(1), ['none up-to-date']);
    store.upsert('flags', 'b', { key: 'b', version: 1 });
    assert.deepEqual(await upToDate(2), ['put-object flag b 1', 'state']);
    const stale = await open(t, relay, revision);
    assert.deepEqual(await stale(3), ['xfer-changes stale', 'put-object flag b 1', 'state']);
  });
});

describe('the Node SDK with a data system', { timeout: HANG_MS }, () => {
  const systems: Readonly<Record<string, NonNullable<LDOptions['dataSystem']>>> = {
    standard: {},
    'streaming only': { dataSource: { dataSourceOptionsType: 'streamingOnly', streamInitialReconnectDelay: 0.1 } },
    'polling only': { dataSource: { dataSourceOptionsType: 'pollingOnly', pollInterval: 30 } },
  };
  for (const [name, dataSystem] of Object.entries(systems)) {
    test(`${name}: starts, and sees changes, without falling back to version 1`, async (t) => {
      const relay = createTestRelay(t, { data: { flags: { f: flagOf('f'), gone: flagOf('gone') } } });
      const { store } = relay.environment;
      const url = await relay.listen();
      const lines: string[] = [];
      const note = (line: string) => void lines.push(line);
      const logger = { error: note, warn: note, info: () => {}, debug: () => {} };
      const client = init(SDK_KEY, { baseUri: url, streamUri: url, sendEvents: false, logger, dataSystem });
      t.after(() => client.close());
      await client.waitForInitialization({ timeout: 60 });
      const user = { kind: 'user', key: 'ada' };
      const read = async () => [
        await client.variation('f', user, 'none'),
        await client.variation('gone', user, 'none'),
      ];
      assert.deepEqual(await read(), [true, true]);
      if (name !== 'polling only') {
        store.upsert('flags', 'f', flagOf('f', { version: 2, on: false }));
        store.remove('flags', 'gone', 2);
        await eventually('changed', async () => (await read()).join() === 'false,none', { everyMs: 5 });
        store.replace({ flags: { f: flagOf('f', { version: 3 }) }, segments: {} });
        await eventually('replaced', async () => (await read()).join() === 'true,none', { everyMs: 5 });
      }
      const routes = new Set(relay.admitted.map(({ route }) => route));
      const expected = { standard: ['/sdk/poll', '/sdk/stream'], 'streaming only': ['/sdk/stream'] }[name];
      assert.deepEqual([...routes].sort(), expected ?? ['/sdk/poll']);
      assert.deepEqual(
        lines.filter((line) => !line.startsWith('Unknown feature flag "gone"')),
        [],
      );
    });
  }
});
