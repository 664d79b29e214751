import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { StreamClient } from '../../kernel/sse/client.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import type { AdditionalKey, EnvironmentOptions } from '../config/relay-options.ts';
import { Credentials, type SdkKind } from '../credentials.ts';
import type { DataSource } from '../data-source.ts';
import type { Environment } from '../environment.ts';
import { EnvironmentSet } from '../environment-set.ts';
import { Inflater } from '../event/body.ts';
import { Journals } from '../journal/journal.ts';
import { StreamRegistry } from '../streams/registry.ts';
import { RELAY_DEFAULTS } from '../testing/config.ts';
import { plainEnvironment, RecordingLog } from '../testing/launchdarkly/parts.ts';
import { EnvironmentList } from './list.ts';

/** A source that notes what happens to it. */
class NotedSource implements DataSource {
  readonly keys: string[];
  isClosed = false;

  constructor({ sdkKey }: EnvironmentOptions) {
    this.keys = [sdkKey];
  }

  start(): void {}

  use({ sdkKey }: EnvironmentOptions): void {
    this.keys.push(sdkKey);
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }
}

function openList(t: TestContext) {
  const clock = new FakeClock();
  const log = new RecordingLog();
  const credentials = new Credentials();
  const registry = new StreamRegistry({
    clock,
    heartbeatMs: 0,
    maxConnectionMs: 0,
    pingJitterMs: 0,
    random: () => 0,
  });
  const http = { send: () => assert.fail('no events are sent') };
  const sources = new Map<string, NotedSource>();
  const revoked: Environment[] = [];
  const set = new EnvironmentSet({
    options: RELAY_DEFAULTS,
    credentials,
    registry,
    http,
    inflater: new Inflater(),
    journals: new Journals(() => clock.now()),
    userAgent: 'test',
    clock,
    log,
  });
  const list = new EnvironmentList({
    set,
    openSource: (_, options) => {
      const source = new NotedSource(options);
      sources.set(options.name, source);
      return source;
    },
    onRevoke: (environment) => void revoked.push(environment),
    clock,
    log,
  });
  t.after(async () => {
    list.close();
    await Promise.all([set.close(), registry.close()]);
  });
  const find = (key: string, sdkKind: SdkKind = 'server') => {
    const found = credentials.find(sdkKind, key);
    return typeof found === 'string' ? undefined : found.options.name;
  };
  return { list, set, clock, log, sources, revoked, find };
}

const NOW = new FakeClock().now();
const one = plainEnvironment({ name: 'one', sdkKey: 'sdk-1', mobileKey: 'mob-1', envId: 'id-1' });
const two = plainEnvironment({ name: 'two', sdkKey: 'sdk-2' });
const oldKey = (expiresAt: number | undefined, key = 'sdk-old'): AdditionalKey => ({
  sdkKind: 'server',
  key,
  expiresAt,
});

/** A stream whose client authenticated with this key; returns whether it has been ended. */
function openStream({ environments: [environment] }: EnvironmentSet, sdkKind: SdkKind, key: string): () => boolean {
  let isEnded = false;
  const client = {
    end() {
      isEnded = true;
    },
  };
  environment?.streams.remember(client as unknown as StreamClient, sdkKind, key);
  return () => isEnded;
}

test('environments come and go with the list', async (t) => {
  const { list, set, sources, find, log } = openList(t);
  list.update([one]);
  const [first] = set.environments;
  assert.deepEqual([find('sdk-1'), find('mob-1', 'mobile'), find('id-1', 'client')], ['one', 'one', 'one']);
  list.update([one, two]);
  assert.deepEqual([find('sdk-1'), find('sdk-2'), set.environments[0]], ['one', 'two', first]);
  list.update([two]);
  assert.deepEqual([find('sdk-1'), find('sdk-2'), sources.get('one')?.isClosed], [undefined, 'two', true]);
  assert.deepEqual(
    log.lines.map(({ message, fields }) => `${message} ${fields.env}`),
    ['environment added two', 'environment removed one'],
  );
});

test('a list that says the same changes nothing', (t) => {
  const { list, sources, log } = openList(t);
  list.update([one, two]);
  list.update([{ ...two }, { ...one, allowedOrigins: [] }]);
  assert.deepEqual([sources.get('one')?.keys, sources.get('two')?.keys, log.lines], [['sdk-1'], ['sdk-2'], []]);
});

test('other options apply in place, and streams stay open', (t) => {
  const { list, set, log } = openList(t);
  list.update([one]);
  const isEnded = openStream(set, 'server', 'sdk-1');
  const [environment] = set.environments;
  list.update([{ ...one, secureMode: true, ttlMs: 60_000 }]);
  assert.equal(set.environments[0], environment);
  assert.deepEqual([environment?.options.secureMode, environment?.options.ttlMs, isEnded()], [true, 60_000, false]);
  assert.deepEqual(log.lines.at(-1)?.fields, { env: 'one', changed: 'secureMode, ttlMs' });
});

describe('a replaced SDK key', () => {
  test('stays valid until it ends, to the millisecond; then its streams end, and no others', (t) => {
    const { list, set, clock, find, sources, revoked } = openList(t);
    list.update([one]);
    const isOldEnded = openStream(set, 'server', 'sdk-1');
    list.update([{ ...one, sdkKey: 'sdk-new', additionalKeys: [oldKey(NOW + 90_000, 'sdk-1')] }]);
    const isNewEnded = openStream(set, 'server', 'sdk-new');
    const isMobileEnded = openStream(set, 'mobile', 'mob-1');
    assert.deepEqual([find('sdk-1'), find('sdk-new'), sources.get('one')?.keys], ['one', 'one', ['sdk-1', 'sdk-new']]);
    clock.advance(89_999);
    assert.deepEqual([find('sdk-1'), isOldEnded(), revoked.length], ['one', false, 0]);
    clock.advance(1);
    assert.deepEqual([find('sdk-1'), isOldEnded(), revoked.length], [undefined, true, 1]);
    assert.deepEqual([find('sdk-new'), isNewEnded(), isMobileEnded()], ['one', false, false]);
  });

  test('without a grace period ends at once', (t) => {
    const { list, set, find } = openList(t);
    list.update([one]);
    const isEnded = openStream(set, 'server', 'sdk-1');
    list.update([{ ...one, sdkKey: 'sdk-new' }]);
    assert.deepEqual([find('sdk-1'), find('sdk-new'), isEnded()], [undefined, 'one', true]);
  });

  test('that has ended when it is announced ends at once', (t) => {
    const { list, set, find } = openList(t);
    list.update([one]);
    const isEnded = openStream(set, 'server', 'sdk-1');
    list.update([{ ...one, sdkKey: 'sdk-new', additionalKeys: [oldKey(NOW, 'sdk-1')] }]);
    assert.deepEqual([find('sdk-1'), isEnded()], [undefined, true]);
  });

  test('ends although the clock of the machine has jumped', (t) => {
    const { list, clock, find } = openList(t);
    list.update([{ ...one, additionalKeys: [oldKey(NOW + 3_600_000)] }]);
    clock.jump(3_600_000);
    clock.advance(60_000);
    assert.equal(find('sdk-old'), undefined);
  });

  test('is not known when it has ended before the environment came', (t) => {
    const { list, find } = openList(t);
    list.update([{ ...one, additionalKeys: [oldKey(NOW - 1)] }]);
    assert.deepEqual([find('sdk-1'), find('sdk-old')], ['one', undefined]);
  });
});

test('of several keys each ends at its own time, or never', (t) => {
  const { list, clock, find } = openList(t);
  const keys = [oldKey(NOW + 1000, 'sdk-a'), oldKey(undefined, 'sdk-b'), oldKey(NOW + 2000, 'sdk-c')];
  list.update([{ ...one, additionalKeys: keys }]);
  const valid = () => keys.map(({ key }) => key).filter((key) => find(key) !== undefined);
  assert.deepEqual(valid(), ['sdk-a', 'sdk-b', 'sdk-c']);
  clock.advance(1000);
  assert.deepEqual(valid(), ['sdk-b', 'sdk-c']);
  clock.advance(100_000);
  assert.deepEqual(valid(), ['sdk-b']);
});

test('a replaced mobile key or id ends at once, with its streams', (t) => {
  const { list, set, find } = openList(t);
  list.update([one]);
  const isMobileEnded = openStream(set, 'mobile', 'mob-1');
  const isServerEnded = openStream(set, 'server', 'sdk-1');
  list.update([{ ...one, mobileKey: 'mob-new' }]);
  assert.deepEqual([find('mob-1', 'mobile'), find('mob-new', 'mobile')], [undefined, 'one']);
  assert.deepEqual([isMobileEnded(), isServerEnded()], [true, false]);
});

test('a key may move to another environment', (t) => {
  const { list, find } = openList(t);
  list.update([one, two]);
  list.update([
    { ...one, sdkKey: 'sdk-2' },
    { ...two, sdkKey: 'sdk-1' },
  ]);
  assert.deepEqual([find('sdk-1'), find('sdk-2')], ['two', 'one']);
  list.update([{ ...two, name: 'three', sdkKey: 'sdk-2' }]);
  assert.deepEqual([find('sdk-1'), find('sdk-2')], [undefined, 'three']);
});

test('no key is logged', (t) => {
  const { list, log } = openList(t);
  list.update([one]);
  list.update([{ ...one, sdkKey: 'sdk-new', additionalKeys: [oldKey(NOW + 1)] }, two]);
  list.update([]);
  assert.doesNotMatch(log.text, /sdk-|mob-/);
});

test('a closed list changes nothing', (t) => {
  const { list, clock, find } = openList(t);
  list.update([{ ...one, additionalKeys: [oldKey(NOW + 1000)] }]);
  list.close();
  list.update([two]);
  clock.advance(2000);
  assert.deepEqual([find('sdk-old'), find('sdk-2')], ['one', undefined]);
});
