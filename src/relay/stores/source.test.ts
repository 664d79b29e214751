import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FakeClock } from '../../testing/fake/clock.ts';
import type { DataSink, DataSource } from '../data-source.ts';
import { type FlagData, readFlagData } from '../flag-store.ts';
import { MemoryDriver } from '../testing/databases/memory-driver.ts';
import { plainFlag } from '../testing/launchdarkly/faults.ts';
import { settle } from '../testing/launchdarkly/http.ts';
import { emptySink, plainEnvironment, RecordingLog } from '../testing/launchdarkly/parts.ts';
import { PersistentStore, type StoredEnvironment } from './persistent-store.ts';
import { StoredSource, type StoredSourceParts } from './source.ts';

const IDLE: DataSource = { start() {}, use() {}, async close() {} };

function dataOf(...flags: readonly (readonly [key: string, version: number])[]): FlagData {
  const read = readFlagData({
    flags: Object.fromEntries(flags.map(([key, version]) => [key, plainFlag(key, true, version)])),
  });
  assert.ok(read.ok);
  return read.value;
}

const flagText = (key: string, version: number) => JSON.stringify(plainFlag(key, true, version));

interface RelayOptions extends Partial<Pick<StoredSourceParts, 'cacheTtlMs' | 'isLocal' | 'isRestored'>> {
  readonly sdkKey?: string;
  /** The database of another prefix. */
  readonly elsewhere?: MemoryDriver;
}

/** One environment of a relay with a store. */
class Relay {
  readonly clock = new FakeClock();
  readonly log = new RecordingLog();
  readonly sink: DataSink = emptySink(this.clock);
  readonly source: StoredSource;

  constructor(t: TestContext, driver: MemoryDriver, options: RelayOptions = {}) {
    const { isLocal = false, sdkKey = 'sdk-1', cacheTtlMs = 30_000, isRestored = !isLocal } = options;
    const { clock, log } = this;
    const environment = plainEnvironment({ sdkKey });
    const openDriver = ({ storePrefix }: StoredEnvironment) => (storePrefix ? options.elsewhere : undefined) ?? driver;
    const store = new PersistentStore({ openDriver, environment, identity: 'sdkKey', isLocal, log });
    this.source = new StoredSource(IDLE, this.sink, { store, isLocal, isRestored, cacheTtlMs, clock, log });
    t.after(() => this.source.close());
    this.source.start();
  }

  /** What upstream sends at first. */
  async put(...flags: readonly (readonly [key: string, version: number])[]): Promise<void> {
    this.sink.store.replace(dataOf(...flags));
    this.sink.connection.succeeded(this.clock.now());
    await settle();
  }

  async patch(key: string, version: number): Promise<void> {
    this.sink.store.upsert('flags', key, plainFlag(key, true, version) as never);
    await settle();
  }

  async remove(key: string, version: number): Promise<void> {
    this.sink.store.remove('flags', key, version);
    await settle();
  }

  async loseUpstream(): Promise<void> {
    this.sink.connection.failed({ kind: 'NETWORK_ERROR', time: this.clock.now() });
    await settle();
  }

  async pass(ms: number): Promise<void> {
    for (let rest = ms; rest > 0; rest -= 500) {
      this.clock.advance(Math.min(rest, 500));
      await settle();
    }
  }

  get flags(): readonly string[] {
    return this.sink.store.flags().map(({ flag }) => `${flag.key}:${flag.version}`);
  }

  get state(): string {
    return `${this.source.state.state} ${this.sink.connection.state}`;
  }

  get messages(): readonly string[] {
    return this.log.lines.map(({ level, message }) => `${level}: ${message}`);
  }
}

/** A store that a relay has filled. */
async function filled(t: TestContext, ...flags: readonly (readonly [key: string, version: number])[]) {
  const driver = new MemoryDriver();
  const relay = new Relay(t, driver);
  await relay.put(...flags);
  await relay.source.close();
  return driver;
}

test('a put is written whole, patches and deletions one by one', async (t) => {
  const driver = new MemoryDriver();
  driver.put('flags', 'left over', flagText('left over', 3));
  const relay = new Relay(t, driver);
  await relay.put(['a', 1], ['b', 1]);
  assert.deepEqual([driver.flags, driver.isMarked], [['a:1', 'b:1'], true]);
  await relay.patch('a', 2);
  await relay.remove('b', 2);
  assert.deepEqual(driver.flags, ['a:2', 'b:2 deleted']);
  assert.deepEqual(driver.calls, { isInitialised: 0, read: 1, readItem: 2, write: 3 });
  assert.ok(relay.source.isSaved);
});

test('an item is stored as it was received, a deleted one with all properties of a flag', async (t) => {
  const driver = new MemoryDriver();
  const relay = new Relay(t, driver);
  relay.sink.store.replace({ flags: { a: { key: 'a', version: 1, future: [1] } as never }, segments: {} });
  await settle();
  assert.equal(driver.items.flags.get('a')?.text, '{"key":"a","version":1,"future":[1]}');
  await relay.remove('a', 2);
  relay.sink.store.remove('segments', 's', 4);
  await settle();
  assert.equal(
    driver.items.flags.get('a')?.text,
    '{"key":"$deleted","on":false,"prerequisites":[],"targets":[],"contextTargets":[],"rules":[],"fallthrough":{},"offVariation":null,"variations":[],"clientSide":false,"salt":"","trackEvents":false,"trackEventsFallthrough":false,"debugEventsUntilDate":null,"version":2,"deleted":true}',
  );
  assert.equal(
    driver.items.segments.get('s')?.text,
    '{"key":"$deleted","included":[],"excluded":[],"includedContexts":[],"excludedContexts":[],"salt":"","rules":[],"version":4,"generation":null,"deleted":true}',
  );
});

test('data in the store are served when upstream fails, until it delivers', async (t) => {
  const driver = await filled(t, ['a', 1], ['b', 1]);
  driver.put('flags', 'b', '{"version":2,"deleted":true}');
  const relay = new Relay(t, driver);
  await settle();
  assert.equal(relay.sink.store.isInitialised, false);
  await relay.loseUpstream();
  assert.deepEqual(relay.flags, ['a:1']);
  assert.deepEqual(relay.messages, ['info: serving the data of the persistent store until upstream delivers']);
  await relay.put(['c', 1]);
  assert.deepEqual([relay.flags, driver.flags], [['c:1'], ['b:2 deleted', 'c:1']]);
});

test('data of a revoked key are not served', async (t) => {
  const driver = await filled(t, ['a', 1]);
  const { sink, clock } = new Relay(t, driver);
  sink.connection.refused({ kind: 'ERROR_RESPONSE', time: clock.now(), statusCode: 401 });
  clock.advance(60_000);
  await settle();
  assert.equal(sink.store.isInitialised, false);
});

test('data without the mark of complete ones are not served', async (t) => {
  const driver = new MemoryDriver();
  driver.put('flags', 'a', flagText('a', 1));
  const relay = new Relay(t, driver);
  await relay.loseUpstream();
  assert.equal(relay.sink.store.isInitialised, false);
});

test('while upstream is away, what another relay stores is served', async (t) => {
  const driver = await filled(t, ['a', 1], ['b', 1]);
  const relay = new Relay(t, driver, { cacheTtlMs: 2000 });
  await relay.loseUpstream();
  const other = new Relay(t, driver);
  await other.put(['a', 2], ['c', 1]);
  assert.deepEqual(relay.flags, ['a:1', 'b:1']);
  await relay.pass(2000);
  assert.deepEqual(relay.flags, ['a:2', 'c:1']);
});

test('newer items of another relay are read again after the TTL, deletions too', async (t) => {
  const driver = new MemoryDriver();
  const [one, other] = [new Relay(t, driver, { cacheTtlMs: 10_000 }), new Relay(t, driver)];
  await one.put(['a', 1], ['b', 1]);
  await other.put(['a', 1], ['b', 1]);
  await other.patch('a', 2);
  await other.remove('b', 2);
  await one.pass(9500);
  assert.deepEqual(one.flags, ['a:1', 'b:1']);
  await one.pass(500);
  assert.deepEqual(one.flags, ['a:2']);
});

test('a TTL of zero reads each second, a negative one never', async (t) => {
  const driver = new MemoryDriver();
  const never = new Relay(t, driver, { cacheTtlMs: -1 });
  await never.put(['a', 1]);
  const other = new Relay(t, driver, { cacheTtlMs: 0 });
  await other.put(['a', 1]);
  driver.put('flags', 'a', flagText('a', 9));
  await other.pass(1000);
  assert.deepEqual(other.flags, ['a:9']);
  const { read } = driver.calls;
  await never.pass(120_000);
  assert.deepEqual([never.flags, driver.calls.read], [['a:1'], read]);
});

test('an older version never replaces a newer one; the newer one is served', async (t) => {
  const driver = new MemoryDriver();
  const [fresh, late] = [new Relay(t, driver), new Relay(t, driver)];
  await fresh.put(['a', 5], ['b', 5]);
  await fresh.remove('b', 6);
  await late.put(['a', 3], ['b', 5], ['c', 1]);
  assert.deepEqual(
    [driver.flags, late.flags],
    [
      ['a:5', 'b:6 deleted', 'c:1'],
      ['a:5', 'c:1'],
    ],
  );
  await late.patch('a', 4);
  await fresh.patch('a', 8);
  await late.patch('a', 7);
  assert.deepEqual(
    [driver.flags, late.flags],
    [
      ['a:8', 'b:6 deleted', 'c:1'],
      ['a:8', 'c:1'],
    ],
  );
});

test('a put removes what this relay knows, not what another one has stored since', async (t) => {
  const driver = new MemoryDriver();
  const [one, other] = [new Relay(t, driver), new Relay(t, driver)];
  await one.put(['a', 1], ['b', 1]);
  await other.put(['a', 1], ['b', 1]);
  await other.patch('new', 1);
  await one.put(['a', 1]);
  assert.deepEqual(driver.flags, ['a:1', 'new:1']);
  await other.put(['a', 1]);
  assert.deepEqual(driver.flags, ['a:1']);
});

test('a change between decision and write is decided again', async (t) => {
  const driver = new MemoryDriver();
  const relay = new Relay(t, driver);
  await relay.put(['a', 1]);
  driver.beforeWrite = () => {
    driver.beforeWrite = () => {};
    driver.put('flags', 'a', flagText('a', 9));
  };
  await relay.patch('a', 2);
  assert.deepEqual([driver.flags, relay.flags, relay.state], [['a:9'], ['a:9'], 'VALID VALID']);
});

test('data of another SDK key are replaced, whatever their versions', async (t) => {
  const driver = await filled(t, ['a', 9], ['b', 9]);
  const relay = new Relay(t, driver, { sdkKey: 'sdk-2' });
  await relay.put(['a', 1]);
  assert.deepEqual([driver.flags, relay.flags], [['a:1'], ['a:1']]);
  relay.source.use(plainEnvironment({ sdkKey: 'sdk-3' }));
  await relay.put(['a', 1], ['c', 1]);
  const { source } = driver;
  await new Relay(t, driver, { sdkKey: 'sdk-3' }).put(['a', 1], ['c', 1]);
  assert.equal(driver.source, source);
});

test('newer versions count only in data of the same environment', async (t) => {
  const driver = new MemoryDriver();
  driver.put('flags', 'a', flagText('a', 9));
  driver.isMarked = true;
  const relay = new Relay(t, driver);
  await relay.loseUpstream();
  assert.deepEqual(relay.flags, ['a:9']);
  await relay.put(['a', 1]);
  assert.deepEqual([driver.flags, relay.flags], [['a:1'], ['a:1']]);
  driver.source = 'another';
  driver.put('flags', 'a', flagText('a', 9));
  await relay.pass(30_000);
  assert.deepEqual(relay.flags, ['a:1']);
});

test('after a change of the prefix, all data are written to the new place', async (t) => {
  const [driver, elsewhere] = [new MemoryDriver(), new MemoryDriver()];
  const relay = new Relay(t, driver, { elsewhere });
  await relay.put(['a', 1]);
  relay.source.use(plainEnvironment({ sdkKey: 'sdk-1', storePrefix: 'other' }));
  await settle();
  await relay.patch('a', 2);
  assert.deepEqual([driver.flags, elsewhere.flags], [['a:1'], ['a:2']]);
});

test('a file or an archive always counts, and the store is never served', async (t) => {
  const driver = await filled(t, ['a', 9]);
  const relay = new Relay(t, driver, { isLocal: true, cacheTtlMs: 1000 });
  await relay.loseUpstream();
  assert.equal(relay.sink.store.isInitialised, false);
  await relay.put(['a', 1], ['b', 1]);
  driver.put('flags', 'b', flagText('b', 9));
  await relay.patch('b', 2);
  await relay.pass(10_000);
  assert.deepEqual(
    [driver.flags, relay.flags],
    [
      ['a:1', 'b:2'],
      ['a:1', 'b:2'],
    ],
  );
});

test('a store that fails: reported, served from memory, filled again when it is back', async (t) => {
  const driver = new MemoryDriver();
  const relay = new Relay(t, driver);
  await relay.put(['a', 1]);
  driver.failure = 'no connection';
  await relay.patch('a', 2);
  assert.deepEqual([relay.state, relay.flags], ['INTERRUPTED INTERRUPTED', ['a:2']]);
  assert.deepEqual(relay.sink.connection.lastError, { kind: 'STORE_ERROR', time: relay.clock.now() });
  await relay.patch('b', 1);
  await relay.pass(10_000);
  assert.equal(relay.messages.filter((line) => line === 'error: the persistent store fails').length, 1);
  driver.clear();
  driver.failure = undefined;
  await relay.pass(500);
  assert.deepEqual([relay.state, driver.flags, driver.isMarked], ['VALID VALID', ['a:2', 'b:1'], true]);
  assert.equal(relay.source.state.stateSince, relay.clock.now());
  assert.equal(relay.messages.at(-1), 'info: the persistent store is available again');
});

test('a store that refuses to write is tried at growing intervals, and filled when it accepts', async (t) => {
  const driver = new MemoryDriver();
  const relay = new Relay(t, driver);
  driver.writeFailure = 'OOM command not allowed';
  await relay.put(['a', 1]);
  assert.equal(relay.state, 'INTERRUPTED INTERRUPTED');
  await relay.pass(60_000);
  assert.ok(driver.calls.write < 20, `${driver.calls.write} writes`);
  driver.writeFailure = undefined;
  await relay.pass(5000);
  assert.deepEqual([relay.state, driver.flags], ['VALID VALID', ['a:1']]);
});

test('a failure of upstream during that of the store outlasts it', async (t) => {
  const driver = new MemoryDriver();
  const relay = new Relay(t, driver);
  await relay.put(['a', 1]);
  driver.failure = 'no connection';
  await relay.patch('a', 2);
  await relay.loseUpstream();
  driver.failure = undefined;
  await relay.pass(500);
  assert.equal(relay.state, 'VALID INTERRUPTED');
});

test('a store that is away at the start is filled when it is back', async (t) => {
  const driver = await filled(t, ['old', 1]);
  driver.failure = 'no connection';
  const relay = new Relay(t, driver);
  await relay.put(['a', 1]);
  assert.equal(relay.state, 'INTERRUPTED INTERRUPTED');
  driver.failure = undefined;
  await relay.pass(500);
  assert.deepEqual([relay.state, driver.flags], ['VALID VALID', ['a:1']]);
});

test('an outage is noticed without a change, and an emptied store is filled again', async (t) => {
  const driver = new MemoryDriver();
  const relay = new Relay(t, driver, { cacheTtlMs: -1 });
  await relay.put(['a', 1]);
  driver.failure = 'no connection';
  await relay.pass(5000);
  assert.equal(relay.state, 'INTERRUPTED VALID');
  driver.failure = undefined;
  await relay.pass(500);
  assert.equal(relay.state, 'VALID VALID');
  driver.clear();
  await relay.pass(5000);
  assert.deepEqual([driver.flags, driver.isMarked], [['a:1'], true]);
});

test('an item that cannot be decoded: nothing is served at the start; data of upstream replace it', async (t) => {
  const driver = await filled(t, ['a', 1]);
  driver.put('flags', 'b', '{"version":');
  const relay = new Relay(t, driver);
  await relay.loseUpstream();
  assert.deepEqual([relay.sink.store.isInitialised, relay.state], [false, 'INTERRUPTED INITIALIZING']);
  assert.equal(relay.log.lines.at(-1)?.fields.error, 'the item "b" of features cannot be decoded');
  await relay.put(['a', 1], ['b', 1]);
  await relay.pass(5000);
  assert.deepEqual([relay.state, driver.flags], ['VALID VALID', ['a:1', 'b:1']]);
  driver.put('flags', 'b', '[]');
  await relay.pass(30_000);
  assert.deepEqual([relay.state, driver.flags], ['VALID VALID', ['a:1', 'b:1']]);
});

test('an item that is too large for the store is left out, and logged once', async (t) => {
  const driver = new MemoryDriver();
  driver.maxBytes = 500;
  const relay = new Relay(t, driver);
  relay.sink.store.replace({
    flags: { big: { key: 'big', version: 1, text: 'x'.repeat(500) } as never },
    segments: {},
  });
  await relay.patch('a', 1);
  await relay.put(['a', 2]);
  assert.deepEqual(driver.flags, ['a:2']);
  assert.deepEqual(
    relay.log.lines.map(({ message, fields }) => [message, fields.key]),
    [['an item is too large for the persistent store', 'big']],
  );
});

test('the end of the source writes what is pending, and says whether it could', async (t) => {
  const driver = new MemoryDriver();
  const relay = new Relay(t, driver);
  relay.sink.store.replace(dataOf(['a', 1]));
  await relay.source.close();
  assert.deepEqual([driver.flags, relay.source.isSaved], [['a:1'], true]);
  driver.failure = 'no connection';
  const failing = new Relay(t, driver);
  await failing.put(['a', 2]);
  await failing.source.close();
  assert.equal(failing.source.isSaved, false);
});
