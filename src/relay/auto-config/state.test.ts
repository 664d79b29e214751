import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json } from '../domain/json.ts';
import { type Represented, representation } from '../testing/launchdarkly/auto-config.ts';
import { AutoConfigState } from './state.ts';

const DEFAULTS = { allowedOrigins: ['https://shop.test'], allowedHeaders: [] };
type Filters = Readonly<Record<string, Json>>;

function openState(environments: readonly Represented[] = [], filters: Filters = {}) {
  const state = new AutoConfigState(DEFAULTS);
  const put = (next: readonly Represented[], nextFilters: Filters = {}) =>
    state.apply({
      kind: 'put',
      configuration: {
        environments: new Map(next.map((one) => [one.envID, one as Json])),
        filters: new Map(Object.entries(nextFilters)),
      },
    });
  const patch = (one: Represented, id = one.envID) =>
    state.apply({ kind: 'patch', items: 'environments', id, item: one as Json });
  const patchFilter = (id: string, item: Json) => state.apply({ kind: 'patch', items: 'filters', id, item });
  const remove = (id: string, version: number, items: 'environments' | 'filters' = 'environments') =>
    state.apply({ kind: 'delete', items, id, version });
  const names = () => state.environments.map(({ name }) => name);
  const keysOf = (name: string) => {
    const options = state.environments.find((one) => one.name === name);
    return [options?.sdkKey, ...(options?.additionalKeys ?? []).map(({ key }) => key)];
  };
  put(environments, filters);
  return { state, put, patch, patchFilter, remove, names, keysOf };
}

const rotated = (version: number, value: string, old?: string, more: object = {}) =>
  representation('a', {
    version,
    sdkKey: { value, ...(old ? { expiring: { value: old, timestamp: 9 } } : {}) },
    ...more,
  });

test('an environment has its options, its labels and the settings of all', () => {
  const [options] = openState([representation('a', { defaultTtl: 3, secureMode: true })]).state.environments;
  assert.deepEqual(options, {
    name: 'a',
    sdkKey: 'sdk-a',
    mobileKey: 'mob-a',
    envId: 'a',
    secureMode: true,
    allowedOrigins: ['https://shop.test'],
    allowedHeaders: [],
    ttlMs: 180_000,
    logLevel: undefined,
    projKey: 'shop',
    filter: undefined,
    dataFile: undefined,
    storePrefix: undefined,
    storeTable: undefined,
    additionalKeys: [],
    labels: { envKey: 'a-key', envName: 'Name of a', projKey: 'shop', projName: 'Shop' },
  });
});

describe('versions', () => {
  test('a put replaces everything: what it lacks is gone', () => {
    const { put, names } = openState([representation('a'), representation('b')]);
    put([representation('b'), representation('c')]);
    assert.deepEqual(names(), ['b', 'c']);
  });

  test('only a newer version changes an environment, in a patch and in a put', () => {
    const { put, patch, keysOf } = openState([rotated(5, 'sdk-5')]);
    for (const version of [4, 5]) {
      patch(rotated(version, 'sdk-lie'));
      put([rotated(version, 'sdk-lie')]);
      assert.deepEqual(keysOf('a'), ['sdk-5']);
    }
    patch(rotated(6, 'sdk-6'));
    assert.deepEqual(keysOf('a'), ['sdk-6']);
  });

  test('a delete leaves its version, also of an unknown id', () => {
    const { patch, remove, names } = openState([representation('a', { version: 2 })]);
    remove('a', 2);
    assert.deepEqual(names(), ['a'], 'an old delete');
    remove('a', 4);
    remove('b', 7);
    patch(representation('a', { version: 3 }));
    patch(representation('b', { version: 7 }));
    assert.deepEqual(names(), []);
    patch(representation('a', { version: 5 }));
    patch(representation('b', { version: 8 }));
    assert.deepEqual(names(), ['a', 'b']);
  });

  test('what a put lacks leaves no version', () => {
    const { put, patch, remove, names } = openState([representation('a', { version: 9 })]);
    remove('b', 9);
    put([]);
    patch(representation('a', { version: 1 }));
    patch(representation('b', { version: 1 }));
    assert.deepEqual(names(), ['a', 'b']);
  });
});

describe('an item that cannot be used leaves its last version', () => {
  const broken: Record<string, [item: Represented, error: RegExp]> = {
    'without an SDK key': [representation('a', { version: 2, sdkKey: {} }), /no SDK key/],
    'with a line break in its SDK key': [rotated(2, 'sdk-1\nx'), /characters that no key has/],
    'with the id of another': [{ ...representation('b', { version: 2 }) }, /it says that it is "b"/],
  };
  for (const [name, [item, error]] of Object.entries(broken)) {
    test(name, () => {
      const { patch, state, names } = openState([representation('a'), representation('b')]);
      const [unused] = patch(item, 'a');
      assert.equal(unused?.item, '/environments/a');
      assert.match(unused?.error ?? '', error);
      assert.deepEqual(names(), ['a', 'b']);
      assert.equal(state.environments[0]?.sdkKey, 'sdk-a');
    });
  }

  test('in a put, without touching the others', () => {
    const { put, keysOf, names } = openState([representation('a')]);
    const unused = put([representation('a', { version: 2, sdkKey: null }), representation('c')]);
    assert.deepEqual([unused.length, names(), keysOf('a')], [1, ['a', 'c'], ['sdk-a']]);
  });

  test('a filter without project or key', () => {
    const { patchFilter, names } = openState([representation('a')]);
    assert.equal(patchFilter('f', { projKey: 'shop', key: '', version: 1 }).length, 1);
    assert.equal(patchFilter('f', 'few').length, 1);
    assert.deepEqual(names(), ['a']);
  });
});

describe('payload filters', () => {
  const few = { projKey: 'shop', key: 'few', version: 1 };

  test('make one more environment of each environment of their project', () => {
    const other = representation('c', { projKey: 'other' });
    const { state, names } = openState([representation('a'), representation('b'), other], { f1: few });
    assert.deepEqual(names(), ['a', 'a/few', 'b', 'b/few', 'c']);
    const filtered = state.environments[1];
    assert.deepEqual([filtered?.filter, filtered?.sdkKey, filtered?.envId], ['few', 'sdk-a', 'a']);
  });

  test('come and go by their id', () => {
    const { patch, patchFilter, remove, names } = openState([representation('a')]);
    patchFilter('f1', few);
    patch(representation('b'));
    assert.deepEqual(names(), ['a', 'a/few', 'b', 'b/few']);
    patchFilter('f1', { ...few, version: 1, key: 'lie' });
    remove('f1', 1, 'filters');
    assert.deepEqual(names(), ['a', 'a/few', 'b', 'b/few'], 'not newer');
    remove('f1', 2, 'filters');
    patchFilter('f1', few);
    assert.deepEqual(names(), ['a', 'b']);
  });

  test('with the same key make one environment', () => {
    assert.deepEqual(openState([representation('a')], { f1: few, f2: few }).names(), ['a', 'a/few']);
  });
});

describe('SDK keys', () => {
  test('the replaced one has its end', () => {
    const { patch, state } = openState([rotated(1, 'sdk-1')]);
    patch(rotated(2, 'sdk-2', 'sdk-1'));
    const [options] = state.environments;
    assert.equal(options?.sdkKey, 'sdk-2');
    assert.deepEqual(options?.additionalKeys, [{ sdkKind: 'server', key: 'sdk-1', expiresAt: 9 }]);
  });

  test('several replaced in turn are all kept', () => {
    const { patch, keysOf } = openState([rotated(1, 'sdk-1')]);
    patch(rotated(2, 'sdk-2', 'sdk-1'));
    patch(rotated(3, 'sdk-3', 'sdk-2'));
    assert.deepEqual(keysOf('a'), ['sdk-3', 'sdk-2', 'sdk-1']);
    patch(rotated(4, 'sdk-1', 'sdk-3'));
    assert.deepEqual(keysOf('a'), ['sdk-1', 'sdk-3', 'sdk-2'], 'one that comes back is not an old one');
  });

  test('without a grace period none is kept', () => {
    const { patch, keysOf } = openState([rotated(1, 'sdk-1')]);
    patch(rotated(2, 'sdk-2', 'sdk-1'));
    patch(rotated(3, 'sdk-3'));
    assert.deepEqual(keysOf('a'), ['sdk-3']);
  });

  test('a list names all of them', () => {
    const { patch, state, keysOf } = openState([rotated(1, 'sdk-1')]);
    patch(rotated(2, 'sdk-2', 'sdk-1'));
    const sdkKeys = [
      { key: 'default', value: 'sdk-3' },
      { key: 'blue', value: 'sdk-4' },
      { key: 'old', value: 'sdk-2', expiry: 9 },
      { key: 'broken' },
    ];
    const mobileKeys = [
      { key: 'default', value: 'mob-a' },
      { key: 'blue', value: 'mob-b' },
    ];
    patch(rotated(3, 'sdk-3', 'sdk-ignored', { sdkKeys, mobileKeys }));
    assert.deepEqual(keysOf('a'), ['sdk-3', 'sdk-4', 'sdk-2', 'mob-b']);
    assert.deepEqual(
      state.environments[0]?.additionalKeys?.map(({ sdkKind, expiresAt }) => [sdkKind, expiresAt]),
      [
        ['server', undefined],
        ['server', 9],
        ['mobile', undefined],
      ],
    );
  });
});

test('the configuration as JSON makes the same state again, unknown fields included', () => {
  const { state } = openState([rotated(2, 'sdk-2', 'sdk-1', { news: 1 }), representation('b')], {
    f1: { projKey: 'shop', key: 'few', version: 3 },
  });
  const { environments, filters } = state.json as Record<'environments' | 'filters', Record<string, Json>>;
  const again = new AutoConfigState(DEFAULTS);
  again.apply({
    kind: 'put',
    configuration: { environments: new Map(Object.entries(environments)), filters: new Map(Object.entries(filters)) },
  });
  assert.deepEqual(again.environments, state.environments);
  assert.deepEqual(again.json, state.json);
  assert.equal((environments.a as Record<string, Json>).news, 1);
});
