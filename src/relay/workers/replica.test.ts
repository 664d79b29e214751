import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MessageChannel, Worker } from 'node:worker_threads';
import { FakeClock } from '../../testing/fake/clock.ts';
import type { BigSegmentReader } from '../big-segments/reader.ts';
import { ENVIRONMENT_DEFAULTS } from '../config/relay-defaults.ts';
import { Credentials } from '../credentials.ts';
import { readContextText } from '../domain/context/json.ts';
import { Environment } from '../environment.ts';
import type { EnvironmentSetListener } from '../environment-set.ts';
import { StreamRegistry } from '../streams/registry.ts';
import { flagOf } from '../testing/app.ts';
import type { Change } from './change.ts';
import { ChangeFeed } from './change-feed.ts';
import { ChangeReader } from './change-reader.ts';
import { Replica } from './replica.ts';

type Test = { after(end: () => void): void };

function parts() {
  const clock = new FakeClock();
  const options = { clock, heartbeatMs: 0, maxConnectionMs: 0, pingJitterMs: 0, random: () => 0 };
  return { clock, registry: new StreamRegistry(options), initTimeoutMs: 10_000 };
}

/** The environments of a main thread, and copies of them as a worker has them. */
class Threads {
  readonly #t: Test;
  readonly #parts = parts();
  readonly #environments: Environment[] = [];
  readonly credentials = new Credentials();
  #listener: EnvironmentSetListener | undefined;
  readonly feed: ChangeFeed;
  /** Environments and keys of look-ups in big segments. */
  readonly asked: (readonly (number | string)[])[] = [];

  constructor(t: Test) {
    this.#t = t;
    const environments = this.#environments;
    const subscribe = (listener: EnvironmentSetListener) => {
      this.#listener = listener;
    };
    this.feed = new ChangeFeed({ set: { environments, subscribe }, credentials: this.credentials });
  }

  add(name: string, bigSegments?: BigSegmentReader): Environment {
    const environment = new Environment({ ...ENVIRONMENT_DEFAULTS, name, sdkKey: `sdk-${name}` }, this.#parts);
    environment.bigSegments = bigSegments;
    this.#environments.push(environment);
    this.#listener?.added(environment);
    this.credentials.add(environment);
    return environment;
  }

  remove(environment: Environment): void {
    this.credentials.remove(environment);
    this.#listener?.removed(environment);
  }

  startWorker() {
    const { port1, port2 } = new MessageChannel();
    this.feed.attach(port1);
    const credentials = new Credentials();
    const removed: string[] = [];
    const memberships = async (id: number, keys: readonly string[]) => {
      this.asked.push([id, ...keys]);
      return new Map();
    };
    const onRemove = ({ options }: Environment) => void removed.push(options.name);
    const replica = new Replica({ ...parts(), credentials, memberships, onRemove });
    const reader = new ChangeReader(port2, this.feed.newest, (change) => replica.apply(change));
    this.#t.after(() => port1.close());
    const environments = () => {
      reader.catchUp();
      return [...replica.environments.values()];
    };
    return { credentials, removed, environments, environment: () => environments()[0] as Environment };
  }
}

/** What clients see of an environment. */
function describeData({ store, revision, createdAt, readiness }: Environment) {
  const { flagsTag } = store;
  const texts = [store.text('flags'), store.text('segments')];
  return { flagsTag, texts, gone: store.version('flags', 'gone'), revision, createdAt, readiness };
}

describe('a copy in a worker', () => {
  test('has the data of a change as soon as it catches up, without a turn of the event loop', (t) => {
    const threads = new Threads(t);
    const worker = threads.startWorker();
    const original = threads.add('production');
    const steps: readonly (() => void)[] = [
      () => original.store.replace({ flags: { a: flagOf('a') }, segments: { s: { key: 's', version: 1 } } }),
      () => original.store.upsert('flags', 'a', flagOf('a', { version: 2, name: 'ü\n' })),
      () => original.store.upsert('segments', 's', { key: 's', version: 2 }),
      () => original.store.remove('flags', 'a', 3),
      () => original.store.upsert('flags', 'a', flagOf('a', { version: 2 })),
      () => original.store.replace({ flags: { b: flagOf('b') }, segments: {} }),
    ];
    for (const step of steps) {
      step();
      assert.deepEqual(describeData(worker.environment()), describeData(original));
    }
  });

  test('that starts later is the same: data, versions of deleted items, entity tags and revisions', (t) => {
    const threads = new Threads(t);
    const original = threads.add('production');
    const early = threads.startWorker();
    const gone = { key: 'gone', version: 9, deleted: true };
    original.store.replace({ flags: { a: flagOf('a'), gone }, segments: {} });
    original.store.upsert('flags', 'b', flagOf('b'));
    const late = threads.startWorker();
    for (const worker of [early, late]) assert.deepEqual(describeData(worker.environment()), describeData(original));
    original.store.upsert('flags', 'gone', flagOf('gone', { version: 8 }));
    for (const worker of [early, late]) assert.deepEqual(describeData(worker.environment()), describeData(original));
  });

  test('knows whether upstream has refused the key from the start', (t) => {
    const threads = new Threads(t);
    const early = threads.startWorker();
    const { connection } = threads.add('production');
    connection.refused({ kind: 'ERROR_RESPONSE', time: 1 });
    const late = threads.startWorker();
    for (const worker of [early, late]) assert.equal(worker.environment().readiness, 'refused');
    connection.succeeded(2);
    for (const worker of [early, late]) assert.equal(worker.environment().readiness, 'starting');
  });

  test('asks the main thread for members of big segments, and has a new revision when they change', async (t) => {
    const threads = new Threads(t);
    const original = threads.add('production', { read: () => new Map(), status: () => undefined });
    const worker = threads.startWorker();
    const segment = { key: 's', version: 1, unbounded: true, generation: 1 };
    original.store.replace({ flags: {}, segments: { s: segment } });
    const copy = worker.environment();
    const context = readContextText('{"kind":"user","key":"ada"}');
    assert.ok(context.ok);
    assert.equal((await copy.memberships(context.value))?.size, 0);
    assert.deepEqual(threads.asked, [[1, 'ada']]);
    original.store.changeMembers();
    assert.equal(worker.environment().revision, original.revision);
  });

  test('accepts the same credentials, and ends with its environment', async (t) => {
    const threads = new Threads(t);
    const worker = threads.startWorker();
    const [one, two] = [threads.add('one'), threads.add('two')];
    await Promise.resolve();
    const nameOf = (key: string) => {
      const [first] = worker.environments();
      const found = worker.credentials.find('server', key);
      return found instanceof Environment ? found.options.name : `${found}${first ? '' : ', no environments'}`;
    };
    assert.deepEqual([nameOf('sdk-one'), nameOf('sdk-two')], ['one', 'two']);
    const { options } = one;
    threads.credentials.remove(one);
    one.reconfigure({ ...options, sdkKey: 'sdk-new', ttlMs: 5 });
    threads.credentials.add(one);
    await Promise.resolve();
    assert.deepEqual([nameOf('sdk-one'), nameOf('sdk-new')], ['unknown credential', 'one']);
    assert.equal(worker.environment().options.ttlMs, 5);
    threads.remove(one);
    assert.deepEqual([nameOf('sdk-new'), nameOf('sdk-two')], ['unknown credential', 'two']);
    assert.deepEqual(worker.removed, ['one']);
    threads.remove(two);
    assert.equal(nameOf('sdk-two'), 'unknown credential, no environments');
    threads.credentials.isComplete = false;
    await Promise.resolve();
    worker.environments();
    assert.equal(worker.credentials.isComplete, false);
  });

  test('waits for a change that is numbered, but not yet posted', (t) => {
    const newest = new Int32Array(new SharedArrayBuffer(4));
    const { port1, port2 } = new MessageChannel();
    const seen: Change[] = [];
    port1.postMessage({ number: 0, change: { kind: 'removed', id: 1 } });
    const reader = new ChangeReader(port2, newest, (change) => seen.push(change));
    const poster = new Worker(
      `const { workerData: { port, newest } } = require('node:worker_threads');
       Atomics.store(newest, 0, 1);
       Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
       port.postMessage({ number: 1, change: { kind: 'removed', id: 2 } });`,
      { eval: true, workerData: { port: port1, newest }, transferList: [port1] },
    );
    t.after(() => poster.terminate());
    while (Atomics.load(newest, 0) === 0);
    reader.catchUp();
    assert.deepEqual(seen, [
      { kind: 'removed', id: 1 },
      { kind: 'removed', id: 2 },
    ]);
  });
});
