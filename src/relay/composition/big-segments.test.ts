import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { HttpClient } from '../../kernel/http-client/http-client.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import type { EnvironmentOptions } from '../config/relay-options.ts';
import { Environment } from '../environment.ts';
import type { EnvironmentSetListener } from '../environment-set.ts';
import { Journals } from '../journal/journal.ts';
import type { StoreOptions } from '../stores/options.ts';
import { StreamRegistry } from '../streams/registry.ts';
import { RELAY_DEFAULTS } from '../testing/config.ts';
import { plainEnvironment, RecordingLog } from '../testing/launchdarkly/parts.ts';
import { addBigSegments } from './big-segments.ts';

const DYNAMODB: StoreOptions = {
  database: 'dynamodb',
  cacheTtlMs: 0,
  dynamoDb: { tableName: 'flags', url: 'http://127.0.0.1:1' },
};
const CONSUL: StoreOptions = {
  database: 'consul',
  cacheTtlMs: 0,
  consul: { url: 'http://127.0.0.1:1', token: undefined, tokenFile: undefined },
};

/** An environment that was added to a relay with this store. */
function serve(t: TestContext, store: StoreOptions | undefined) {
  const clock = new FakeClock();
  const http = new HttpClient();
  const listeners: EnvironmentSetListener[] = [];
  const close = addBigSegments({
    options: { ...RELAY_DEFAULTS, store },
    set: { subscribe: (listener) => void listeners.push(listener) },
    journals: new Journals(() => clock.now()),
    http,
    clock,
    log: new RecordingLog(),
  });
  const registry = new StreamRegistry({
    clock,
    heartbeatMs: 0,
    maxConnectionMs: 0,
    pingJitterMs: 0,
    random: () => 0,
  });
  t.after(async () => {
    await Promise.all([close(), registry.close()]);
    await http.close();
  });
  const options = plainEnvironment({ storePrefix: 'p' });
  const environment = new Environment(options, { clock, initTimeoutMs: 0, registry });
  for (const listener of listeners) listener.added(environment);
  const change = (changes: Partial<EnvironmentOptions>) => {
    environment.reconfigure({ ...environment.options, ...changes });
    for (const listener of listeners) listener.changed?.(environment);
  };
  return { environment, change };
}

test('only Redis and DynamoDB can hold big segments', (t) => {
  assert.equal(serve(t, undefined).environment.bigSegments, undefined);
  assert.equal(serve(t, CONSUL).environment.bigSegments, undefined);
  assert.ok(serve(t, DYNAMODB).environment.bigSegments);
});

test('big segments move with the data of their environment, and not with other changes', (t) => {
  const { environment, change } = serve(t, DYNAMODB);
  const before = environment.bigSegments;
  change({ sdkKey: 'sdk-new', ttlMs: 5 });
  assert.equal(environment.bigSegments, before);
  change({ storePrefix: 'q' });
  assert.notEqual(environment.bigSegments, before);
  const moved = environment.bigSegments;
  change({ storeTable: 'another' });
  assert.notEqual(environment.bigSegments, moved);
});
