import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { CommandError } from '../../kernel/errors.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import type { EnvironmentOptions } from '../config/relay-options.ts';
import type { Json } from '../domain/json.ts';
import {
  AUTO_CONFIG_KEY,
  configurationPut,
  type Represented,
  representation,
} from '../testing/launchdarkly/auto-config.ts';
import { sseEvent } from '../testing/launchdarkly/faults.ts';
import { FakeHttp, settle } from '../testing/launchdarkly/http.ts';
import { RecordingLog } from '../testing/launchdarkly/parts.ts';
import type { ConfigurationMemory } from './memory.ts';
import { type AutoConfigParts, AutoConfigSync } from './sync.ts';

const MINUTE_MS = 60_000;

interface Options {
  /** What is kept from before; an Error cannot be read, a function gives one or the other. */
  readonly kept?: unknown;
  readonly deadlineMs?: number;
}

function startSync(t: TestContext, { kept, deadlineMs }: Options = {}) {
  const clock = new FakeClock();
  const http = new FakeHttp();
  const log = new RecordingLog();
  const lists: (readonly EnvironmentOptions[])[] = [];
  const credentials = { isComplete: true };
  const memory: ConfigurationMemory & { json: Json | undefined } = {
    json: undefined,
    read: async () => {
      const found = typeof kept === 'function' ? kept() : kept;
      if (found instanceof Error) throw found;
      return found;
    },
    keep(json) {
      memory.json = json();
    },
    close: async () => {},
  };
  const parts: AutoConfigParts = {
    options: { key: AUTO_CONFIG_KEY, cache: undefined, allowedOrigins: [], allowedHeaders: [] },
    streamUri: 'https://stream.test',
    list: { update: (list) => void lists.push(list) },
    credentials,
    memories: [memory],
    deadlineMs,
    http,
    clock,
    log,
    random: () => 0,
  };
  const sync = new AutoConfigSync(parts);
  t.after(() => sync.close());
  sync.start();
  const names = () => lists.at(-1)?.map(({ name }) => name);
  return { sync, clock, http, log, lists, names, credentials, memory };
}

const patch = (one: Represented) => sseEvent('patch', { path: `/environments/${one.envID}`, data: one });
const keptOf = (...environments: readonly Represented[]) => ({
  environments: Object.fromEntries(environments.map((one) => [one.envID, one])),
});

test('the stream is requested with the key, and its first put is the list', async (t) => {
  const { sync, http, names, credentials } = startSync(t);
  const asked = await http.next();
  assert.equal(asked.url, 'https://stream.test/relay_auto_config?rpacProtocolVersion=2');
  assert.equal((asked.request.headers as Record<string, string>).authorization, AUTO_CONFIG_KEY);
  assert.equal(credentials.isComplete, false);
  asked.stream(configurationPut([representation('a')], { f: { projKey: 'shop', key: 'few', version: 1 } }));
  await sync.listed;
  assert.deepEqual([names(), credentials.isComplete, sync.connection.state], [['a', 'a/few'], true, 'VALID']);
});

test('a list without environments is a list', async (t) => {
  const { sync, http, names, credentials } = startSync(t);
  (await http.next()).stream(configurationPut([]));
  await sync.listed;
  assert.deepEqual([names(), credentials.isComplete], [[], true]);
});

test('changes before the first put are no list, but count', async (t) => {
  const { http, names, credentials } = startSync(t);
  const asked = await http.next();
  asked.stream(patch(representation('a', { version: 2 })), sseEvent('delete', { path: '/environments/b', version: 5 }));
  await settle();
  assert.deepEqual([names(), credentials.isComplete], [undefined, false]);
  asked.send(configurationPut([representation('a', { envName: 'old' }), representation('b'), representation('c')]));
  await settle();
  assert.deepEqual(names(), ['a', 'c']);
});

describe('after the first put', () => {
  async function listed(t: TestContext) {
    const started = startSync(t);
    const stream = (await started.http.next()).stream(configurationPut([representation('a')]));
    await started.sync.listed;
    /** Asserts that the next request follows after this time, and answers it. */
    const again = async (ms: number) => {
      await settle();
      const before = started.http.asked.length;
      started.clock.advance(ms - 1);
      await settle();
      assert.equal(started.http.asked.length, before);
      started.clock.advance(1);
      return started.http.next();
    };
    return { ...started, stream, again };
  }

  test('a patch adds and changes, a delete removes', async (t) => {
    const { stream, names, sync } = await listed(t);
    stream.send(patch(representation('b')));
    await settle();
    assert.deepEqual(names(), ['a', 'b']);
    stream.send(sseEvent('delete', { path: '/environments/a', version: 2 }));
    await settle();
    assert.deepEqual([names(), sync.connection.state], [['b'], 'VALID']);
  });

  test('a dropped stream keeps the list, and is opened again', async (t) => {
    const { stream, names, sync, again, lists } = await listed(t);
    stream.end();
    const next = await again(1000);
    assert.deepEqual([sync.connection.state, sync.connection.lastError?.kind], ['INTERRUPTED', 'NETWORK_ERROR']);
    assert.deepEqual([names(), lists.length], [['a'], 1]);
    next.stream(configurationPut([representation('b')]));
    await settle();
    assert.deepEqual([names(), sync.connection.state], [['b'], 'VALID']);
  });

  for (const [name, garbage] of Object.entries({
    'that is no JSON': sseEvent('put', '{"path":"/","data":{'),
    'without environments': sseEvent('put', { path: '/', data: {} }),
    'in a patch': sseEvent('patch', '"sdk-secret"'),
  })) {
    test(`garbage ${name} keeps the list, and the stream is opened again`, async (t) => {
      const { stream, names, sync, again, log } = await listed(t);
      stream.send(garbage);
      await settle();
      assert.ok(stream.isCancelled);
      assert.deepEqual([sync.connection.state, sync.connection.lastError?.kind], ['INTERRUPTED', 'INVALID_DATA']);
      (await again(1000)).stream(configurationPut([representation('a')]));
      await settle();
      assert.deepEqual([names(), sync.connection.state], [['a'], 'VALID']);
      assert.doesNotMatch(log.text, /sdk-secret/);
    });
  }

  test('a lie is logged and ignored, and the stream goes on', async (t) => {
    const { stream, names, sync, log } = await listed(t);
    stream.send(sseEvent('patch', { path: '/environments/a', data: representation('b', { version: 9 }) }));
    stream.send(patch(representation('c', { sdkKey: { value: '' } })));
    stream.send(patch(representation('d')));
    await settle();
    assert.deepEqual([names(), sync.connection.state, stream.isCancelled], [['a', 'd'], 'VALID', false]);
    assert.equal(log.lines.filter(({ level }) => level === 'error').length, 2);
  });

  test('a request to reconnect is followed, and is no failure', async (t) => {
    const { stream, sync, again } = await listed(t);
    stream.send(sseEvent('reconnect', ''));
    const next = await again(1000);
    assert.ok(stream.isCancelled);
    assert.deepEqual([sync.connection.state, sync.connection.lastError], ['VALID', undefined]);
    next.stream(configurationPut([representation('a')]));
  });

  for (const status of [401, 403, 404]) {
    test(`a refusal by ${status} keeps the list, and is tried again slowly`, async (t) => {
      const { stream, names, sync, again, log } = await listed(t);
      stream.end();
      (await again(1000)).respond(status);
      await settle();
      assert.deepEqual([sync.connection.state, sync.connection.lastError?.statusCode], ['OFF', status]);
      assert.equal(log.lines.at(-1)?.message, 'LaunchDarkly refuses the automatic configuration key');
      (await again(5 * MINUTE_MS)).stream(configurationPut([representation('b')]));
      await settle();
      assert.deepEqual([names(), sync.connection.state], [['b'], 'VALID']);
    });
  }

  test('every change is kept for the next start', async (t) => {
    const { stream, memory } = await listed(t);
    stream.send(patch(representation('b')));
    await settle();
    assert.deepEqual(memory.json, { ...keptOf(representation('a'), representation('b')), filters: {} });
  });
});

describe('at the start', () => {
  for (const status of [401, 403]) {
    test(`a refusal by ${status} ends the relay, and names the remedy`, async (t) => {
      const { sync, http, credentials, log } = startSync(t, { kept: keptOf(representation('a')) });
      (await http.next()).respond(status);
      await assert.rejects(sync.listed, (error) => {
        assert.ok(error instanceof CommandError);
        assert.match(
          error.message,
          new RegExp(`refuses the .* rel-\\**.*-\\**0000c \\(${status}\\): check AUTO_CONFIG_KEY`),
        );
        return true;
      });
      assert.equal(credentials.isComplete, false);
      assert.ok(!log.text.includes(AUTO_CONFIG_KEY));
    });
  }

  for (const status of [404, 429, 500]) {
    test(`the status ${status} is tried again`, async (t) => {
      const { sync, http, clock, names } = startSync(t);
      (await http.next()).respond(status);
      await settle();
      assert.equal(sync.connection.state, status === 404 ? 'OFF' : 'INITIALIZING');
      clock.advance(status === 404 ? 5 * MINUTE_MS : 1000);
      (await http.next()).stream(configurationPut([representation('a')]));
      await sync.listed;
      assert.deepEqual(names(), ['a']);
    });
  }

  test('without a list in time the relay ends, if that is configured', async (t) => {
    const { sync, clock } = startSync(t, { deadlineMs: 10_000 });
    clock.advance(10_000);
    await assert.rejects(sync.listed, /no list of environments from LaunchDarkly within 10 s/);
  });
});

describe('the last configuration is used', () => {
  test('when LaunchDarkly fails, until it delivers', async (t) => {
    const { sync, http, clock, names, credentials, memory } = startSync(t, { kept: keptOf(representation('a')) });
    (await http.next()).fail(new Error('connect ECONNREFUSED'));
    await sync.listed;
    assert.deepEqual([names(), credentials.isComplete, memory.json], [['a'], true, undefined]);
    assert.equal(sync.connection.state, 'INITIALIZING');
    clock.advance(1000);
    (await http.next()).stream(configurationPut([representation('a'), representation('b')]));
    await settle();
    assert.deepEqual([names(), sync.connection.state], [['a', 'b'], 'VALID']);
  });

  test('when LaunchDarkly does not answer for three seconds', async (t) => {
    const { clock, names } = startSync(t, { kept: keptOf(representation('a')) });
    clock.advance(2999);
    await settle();
    assert.equal(names(), undefined);
    clock.advance(1);
    await settle();
    assert.deepEqual(names(), ['a']);
  });

  test('and stays in use when LaunchDarkly refuses the key after that', async (t) => {
    const { sync, http, clock, names } = startSync(t, { kept: keptOf(representation('a')) });
    (await http.next()).fail(new Error('connect ECONNREFUSED'));
    await sync.listed;
    clock.advance(1000);
    (await http.next()).respond(401);
    await settle();
    assert.deepEqual([names(), sync.connection.state], [['a'], 'OFF']);
  });

  test('not when LaunchDarkly has delivered', async (t) => {
    const { http, clock, names } = startSync(t, { kept: keptOf(representation('old')) });
    const stream = (await http.next()).stream(configurationPut([representation('a')]));
    await settle();
    stream.end();
    await settle();
    clock.advance(3000);
    await settle();
    assert.deepEqual(names(), ['a']);
  });

  for (const [name, kept] of Object.entries({
    'cannot be read': new Error('EACCES'),
    'is no configuration': { environments: [] },
  })) {
    test(`not when it ${name}`, async (t) => {
      const { http, names, log, credentials } = startSync(t, { kept });
      (await http.next()).fail(new Error('connect ECONNREFUSED'));
      await settle();
      assert.deepEqual([names(), credentials.isComplete], [undefined, false]);
      assert.match(log.text, /the last configuration cannot be used/);
    });
  }

  test('when the database that holds it comes later', async (t) => {
    const database = { configuration: new Error('no connection') as unknown };
    const { http, clock, names } = startSync(t, { kept: () => database.configuration });
    (await http.next()).fail(new Error('connect ECONNREFUSED'));
    await settle();
    database.configuration = keptOf(representation('a'));
    clock.advance(10_000);
    await settle();
    assert.deepEqual(names(), ['a']);
  });
});
