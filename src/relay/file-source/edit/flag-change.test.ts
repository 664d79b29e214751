import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../../domain/json.ts';
import { planChange } from './flag-change.ts';

const flag = (more: { readonly [name: string]: Json } = {}) => ({
  flags: { f: { on: true, variations: ['grey', 'blue', 7, true], fallthrough: { variation: 0 }, ...more } },
});
const rollout = { rollout: { variations: [{ variation: 0, weight: 100_000 }] } };

const changes: [
  title: string,
  root: Json,
  wanted: string,
  edits: readonly [path: string, value: Json][],
  said: string,
][] = [
  ['off', flag(), 'off', [['flags.f.on', false]], 'on → off'],
  ['on', flag({ on: false }), 'on', [['flags.f.on', true]], 'off → on'],
  ['on, which it is', flag(), 'on', [], 'on → on'],
  ['on where nothing is said', flag({ on: null }), 'on', [['flags.f.on', true]], 'off → on'],
  ['a variation', flag(), 'blue', [['flags.f.fallthrough.variation', 1]], '"grey" → "blue"'],
  ['the variation that it has', flag(), 'grey', [], '"grey" → "grey"'],
  ['a variation as JSON', flag(), '"blue"', [['flags.f.fallthrough.variation', 1]], '"grey" → "blue"'],
  ['a number', flag(), '7', [['flags.f.fallthrough.variation', 2]], '"grey" → 7'],
  ['a boolean', flag(), 'true', [['flags.f.fallthrough.variation', 3]], '"grey" → true'],
  [
    'a variation while off',
    flag({ on: false }),
    'blue',
    [
      ['flags.f.fallthrough.variation', 1],
      ['flags.f.on', true],
    ],
    'off → "blue"',
  ],
  [
    'a variation instead of a rollout',
    flag({ fallthrough: rollout }),
    'blue',
    [['flags.f.fallthrough', { variation: 1 }]],
    'a rollout → "blue"',
  ],
  ['a short text', { flagValues: { f: 'x' } }, '25', [['flagValues.f', '25']], '"x" → "25"'],
  ['a short text called on', { flagValues: { f: 'x' } }, 'on', [['flagValues.f', 'on']], '"x" → "on"'],
  ['a short number', { flagValues: { f: 1 } }, '25', [['flagValues.f', 25]], '1 → 25'],
  ['a short boolean', { flagValues: { f: true } }, 'off', [['flagValues.f', false]], 'true → false'],
  ['a short object', { flagValues: { f: { a: 1 } } }, '{"b": 2}', [['flagValues.f', { b: 2 }]], '{"a":1} → {"b":2}'],
  ['a short nothing', { flagValues: { f: null } }, 'x', [['flagValues.f', 'x']], 'null → "x"'],
];
for (const [title, root, wanted, edits, said] of changes) {
  test(`setting a flag to ${title}: ${wanted}`, () => {
    const plan = planChange(root, 'f', wanted);
    assert.ok(plan?.ok);
    assert.deepEqual(
      plan.value.edits.map(({ path, value }) => [path.join('.'), value]),
      edits,
    );
    assert.equal(`${plan.value.before} → ${plan.value.after}`, said);
  });
}

const refusals: [root: Json, wanted: string, reason: string][] = [
  [flag(), 'red', 'it has no variation "red"; write on, off or one of: "grey", "blue", 7, true'],
  [{ flags: { f: {} } }, 'red', 'it has no variation "red"; write on, off or one of: none'],
  [{ flagValues: { f: 1 } }, 'many', 'its value 1 is a number, which "many" is not'],
  [{ flagValues: { f: 1 } }, 'on', 'its value 1 is a number, which "on" is not'],
  [{ flagValues: { f: [1] } }, '{}', 'its value [1] is an array, which "{}" is not'],
];
for (const [root, wanted, reason] of refusals) {
  test(`setting a flag to ${wanted} of ${JSON.stringify(root)} is refused`, () => {
    assert.deepEqual(planChange(root, 'f', wanted), { ok: false, reason });
  });
}

test('setting a value reports the parts evaluated before it', () => {
  const plan = planChange(flag({ rules: [{}, {}], targets: [{}], prerequisites: [] }), 'f', 'blue');
  assert.ok(plan?.ok);
  assert.equal(plan.value.remark, 'evaluated first: 1 target, 2 rules');
});

test('setting a flag missing in a file leaves the file unchanged', () => {
  for (const root of [{}, null, { flags: { g: {} } }, { flags: { f: 1 } }, { flagValues: {} }] as Json[])
    assert.equal(planChange(root, 'f', 'on'), undefined);
  assert.equal(planChange({ flags: {} }, 'constructor', 'on'), undefined);
});
