import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contextFrom } from '../testdata/lookup.ts';
import { contextFromOfrep } from './ofrep-context.ts';

test('a context of OpenFeature becomes a LaunchDarkly context with its targeting key as key', () => {
  const cases: readonly (readonly [object, object])[] = [
    [{ targetingKey: 'k' }, { kind: 'user', key: 'k' }],
    [
      { targetingKey: 'k', kind: 'org', a: 1, b: { c: [1] } },
      { kind: 'org', key: 'k', a: 1, b: { c: [1] } },
    ],
    [
      { key: 'k', name: 'N', anonymous: true },
      { kind: 'user', key: 'k', name: 'N', anonymous: true },
    ],
    [
      { targetingKey: 't', key: 'k' },
      { kind: 'user', key: 't' },
    ],
    [
      { targetingKey: 'k', anonymous: 'yes', custom: { x: 1 } },
      { kind: 'user', key: 'k', custom: { x: 1 } },
    ],
    [
      { kind: 'multi', user: { targetingKey: 'u', a: 1 }, org: { key: 'o' }, region: 'eu', targetingKey: 'all' },
      { kind: 'multi', user: { key: 'u', a: 1 }, org: { key: 'o' } },
    ],
    [
      { targetingKey: 'k', privateAttributes: ['a'], a: 1 },
      { kind: 'user', key: 'k', a: 1 },
    ],
  ];
  for (const [openFeature, launchDarkly] of cases) {
    assert.deepEqual(contextFromOfrep(openFeature), { ok: true, value: contextFrom(launchDarkly) });
  }
});

test('a context without a targeting key, or an invalid one, is refused with its code', () => {
  for (const [json, code] of [
    [undefined, 'TARGETING_KEY_MISSING'],
    [null, 'TARGETING_KEY_MISSING'],
    [{}, 'TARGETING_KEY_MISSING'],
    [{ targetingKey: '' }, 'TARGETING_KEY_MISSING'],
    [{ targetingKey: null, a: 1 }, 'TARGETING_KEY_MISSING'],
    [{ kind: 'multi', user: { a: 1 } }, 'TARGETING_KEY_MISSING'],
    [{ kind: 'multi', user: { targetingKey: '' } }, 'TARGETING_KEY_MISSING'],
    [{ targetingKey: 5 }, 'INVALID_CONTEXT'],
    [[], 'INVALID_CONTEXT'],
    ['k', 'INVALID_CONTEXT'],
    [{ targetingKey: 'k', kind: 'ø' }, 'INVALID_CONTEXT'],
    [{ targetingKey: 'k', kind: 3 }, 'INVALID_CONTEXT'],
    [{ targetingKey: 'k', kind: 'kind' }, 'INVALID_CONTEXT'],
    [{ targetingKey: 'k', name: 3 }, 'INVALID_CONTEXT'],
    [{ kind: 'multi' }, 'INVALID_CONTEXT'],
  ] as const) {
    const context = contextFromOfrep(json);
    assert.ok(!context.ok, JSON.stringify(json));
    assert.equal(context.errorCode, code, JSON.stringify(json));
  }
});
