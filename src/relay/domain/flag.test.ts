import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFlag } from './flag.ts';
import { readSegment } from './segment.ts';
import { accept } from './testdata/lookup.ts';

test('a missing or null property of a flag has its default', () => {
  const bare = accept(readFlag({}));
  const properties = Object.keys(bare).concat(['clientSide', 'fallthrough', 'offVariation']);
  assert.deepEqual(accept(readFlag(Object.fromEntries(properties.map((name) => [name, null])))), bare);
  assert.deepEqual(bare.clientSideAvailability, { usingMobileKey: true, usingEnvironmentId: false });
  assert.deepEqual([bare.on, bare.version, bare.salt, bare.offVariation, bare.rules], [false, 0, '', undefined, []]);
});

test('a missing or null property of a segment has its default', () => {
  const bare = accept(readSegment({}));
  assert.deepEqual(accept(readSegment(Object.fromEntries(Object.keys(bare).map((name) => [name, null])))), bare);
  assert.deepEqual([bare.unbounded, bare.generation, bare.included], [false, undefined, []]);
});

test('unknown properties are passed over, and of numbers the fraction is cut off', () => {
  const flag = accept(
    readFlag({ key: 'f', version: 3.9, offVariation: -0.5, later: { x: 1 }, fallthrough: { variation: 1.7, new: 1 } }),
  );
  assert.deepEqual([flag.version, flag.offVariation, flag.fallthrough.variation], [3, 0, 1]);
  assert.equal('later' in flag, false);
  const segment = accept(readSegment({ key: 's', rules: [{ weight: 99.9, later: 1 }] }));
  assert.equal(segment.rules[0]?.weight, 99);
});

test('clientSide counts only without clientSideAvailability', () => {
  const shown = (json: object) => accept(readFlag(json)).clientSideAvailability;
  assert.deepEqual(shown({ clientSide: true }), { usingMobileKey: true, usingEnvironmentId: true });
  assert.deepEqual(shown({ clientSide: true, clientSideAvailability: {} }), {
    usingMobileKey: false,
    usingEnvironmentId: false,
  });
  assert.deepEqual(shown({ clientSide: true, clientSideAvailability: null }), {
    usingMobileKey: true,
    usingEnvironmentId: true,
  });
});

test('a value of a wrong type refuses the flag, with its path', () => {
  for (const [json, reason] of [
    [null, 'expected object, got null'],
    [[], 'expected object, got array'],
    [{ key: 1 }, 'key: expected string, got number'],
    [{ on: 'true' }, 'on: expected boolean, got string'],
    [{ version: '1' }, 'version: expected number, got string'],
    [{ version: Number.POSITIVE_INFINITY }, 'version: the number is too large'],
    [{ variations: {} }, 'variations: expected array, got object'],
    [{ targets: [{ values: ['a', 1] }] }, 'targets[0].values[1]: expected string, got number'],
    [{ rules: [{}, { clauses: [{ op: [] }] }] }, 'rules[1].clauses[0].op: expected string, got array'],
    [{ rules: [null] }, 'rules[0]: expected object, got null'],
    [
      { fallthrough: { rollout: { variations: [{ weight: true }] } } },
      'fallthrough.rollout.variations[0].weight: expected number, got boolean',
    ],
    [{ clientSide: 1, clientSideAvailability: {} }, 'clientSide: expected boolean, got number'],
    [
      { clientSideAvailability: { usingMobileKey: 0 } },
      'clientSideAvailability.usingMobileKey: expected boolean, got number',
    ],
  ] as const) {
    assert.deepEqual(readFlag(json), { ok: false, reason }, JSON.stringify(json));
  }
});

test('a value of a wrong type refuses the segment, with its path', () => {
  for (const [json, reason] of [
    [{ included: 'a' }, 'included: expected array, got string'],
    [{ includedContexts: [{ values: [{}] }] }, 'includedContexts[0].values[0]: expected string, got object'],
    [{ rules: [{ bucketBy: 1 }] }, 'rules[0].bucketBy: expected string, got number'],
    [{ generation: 'x' }, 'generation: expected number, got string'],
  ] as const) {
    assert.deepEqual(readSegment(json), { ok: false, reason }, JSON.stringify(json));
  }
});

test('a property of Object.prototype is not one of a flag', () => {
  const flag = Object.create({ on: true, key: 'inherited' });
  assert.deepEqual(accept(readFlag(flag)), accept(readFlag({})));
});
