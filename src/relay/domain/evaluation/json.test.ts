import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../../../testing/random.ts';
import type { CompiledFlag } from '../compile.ts';
import { makeWorld } from '../testdata/generator.ts';
import { contextFrom, flagOf, lookupOf, segmentOf } from '../testdata/lookup.ts';
import { evaluateFlag } from './evaluate.ts';
import { printEvaluations, printFlagEvaluation } from './json.ts';
import type { FlagLookup } from './scope.ts';

const ANN = contextFrom({ kind: 'user', key: 'ann' });
const plain = { withReasons: false };
const reasoned = { withReasons: true };

const print = (flags: readonly CompiledFlag[], options = plain, lookup: FlagLookup = lookupOf(flags)) =>
  printEvaluations(flags, ANN, lookup, options);

test('a body has the properties of each flag in their order, and boolean ones only when true', () => {
  const fixed = { version: 3, on: true, variations: [{ a: [1, null] }, 'ü"'], fallthrough: { variation: 1 } };
  const experiment = { rollout: { kind: 'experiment', variations: [{ variation: 0, weight: 100_000 }] } };
  const cases: readonly (readonly [object, string, string])[] = [
    [{ ...fixed, key: 'k"' }, '{"k\\"":{"value":"ü\\"","variation":1,"version":3}}', ''],
    [
      fixed,
      '{"":{"value":"ü\\"","variation":1,"version":3}}',
      '{"":{"value":"ü\\"","variation":1,"version":3,"reason":{"kind":"FALLTHROUGH"}}}',
    ],
    [
      { ...fixed, key: 'f', trackEvents: true, debugEventsUntilDate: 1700000000000 },
      '{"f":{"value":"ü\\"","variation":1,"version":3,"trackEvents":true,"debugEventsUntilDate":1700000000000}}',
      '{"f":{"value":"ü\\"","variation":1,"version":3,"trackEvents":true,"reason":{"kind":"FALLTHROUGH"},"debugEventsUntilDate":1700000000000}}',
    ],
    [
      { ...fixed, key: 'e', fallthrough: experiment },
      '{"e":{"value":{"a":[1,null]},"variation":0,"version":3,"trackEvents":true,"trackReason":true,"reason":{"kind":"FALLTHROUGH","inExperiment":true}}}',
      '',
    ],
    [{ key: 'o', version: 1, variations: [1] }, '{"o":{"value":null,"variation":null,"version":1}}', ''],
  ];
  for (const [json, withoutReasons, withReasons] of cases) {
    assert.equal(print([flagOf(json)]), withoutReasons);
    if (withReasons !== '') assert.equal(print([flagOf(json)], reasoned), withReasons);
  }
});

test('prerequisites come last, if any were evaluated', () => {
  const on = { version: 1, on: true, variations: [1], fallthrough: { variation: 0 } };
  const flags = [
    flagOf({
      ...on,
      key: 'a',
      prerequisites: [
        { key: 'b', variation: 0 },
        { key: 'c', variation: 0 },
      ],
    }),
    flagOf({ ...on, key: 'b', prerequisites: [{ key: 'none', variation: 0 }] }),
  ];
  assert.equal(
    print(flags),
    '{"a":{"value":null,"variation":null,"version":1,"prerequisites":["b"]},"b":{"value":null,"variation":null,"version":1}}',
  );
});

test('prerequisites are evaluated though they are not among the printed flags', () => {
  const on = { version: 1, on: true, variations: [1], fallthrough: { variation: 0 } };
  const shown = flagOf({ ...on, key: 'a', prerequisites: [{ key: 'hidden', variation: 0 }] });
  const body = print([shown], plain, lookupOf([shown, flagOf({ ...on, key: 'hidden' })]));
  assert.equal(body, '{"a":{"value":1,"variation":0,"version":1,"prerequisites":["hidden"]}}');
});

test('flags are sorted by key, in any order of input, and no flags are an empty object', () => {
  const flags = ['b', 'a', 'B', '10', '9', '__proto__'].map((key) => flagOf({ key, variations: [] }));
  const keysIn = (body: string) => [...body.matchAll(/"([^"]+)":\{"value"/g)].map(([, key]) => key);
  assert.deepEqual(keysIn(print(flags)), ['10', '9', 'B', '__proto__', 'a', 'b']);
  assert.equal(printEvaluations(new Set(flags).values(), ANN, lookupOf(flags), plain), print(flags));
  assert.deepEqual(flags.map(({ flag }) => flag.key)[0], 'b', 'the list given is left as it was');
  assert.deepEqual(keysIn(print([...flags].sort((a, b) => (a.flag.key < b.flag.key ? 1 : -1)))), keysIn(print(flags)));
  assert.equal(print([]), '{}');
});

test('a body has the same result for every flag as its single evaluation', () => {
  for (let seed = 2001; seed <= 2010; seed++) {
    const world = makeWorld(new Random(seed), 10);
    const flags = world.flags.map(flagOf);
    const lookup = lookupOf(flags, world.segments.map(segmentOf));
    for (const json of world.contexts) {
      const context = contextFrom(json);
      const body = JSON.parse(printEvaluations(flags, context, lookup, reasoned));
      for (const compiled of flags) {
        const { key } = compiled.flag;
        const { value, variation, reason, prerequisites, isExperiment } = evaluateFlag(compiled, context, lookup);
        const printed = body[key];
        assert.deepEqual([printed.value, printed.variation, printed.reason], [value, variation, reason], key);
        assert.deepEqual(
          [printed.prerequisites ?? [], printed.trackReason ?? false],
          [prerequisites, isExperiment],
          key,
        );
        assert.deepEqual(JSON.parse(printFlagEvaluation(compiled, context, lookup, reasoned)), printed, key);
      }
    }
  }
});

test('a second print equals the first, with and without reasons', () => {
  const flags = [flagOf({ key: 'f', version: 1, on: true, variations: [1], fallthrough: { variation: 0 } })];
  const bodies = [plain, reasoned, plain, reasoned].map((options) => print(flags, options));
  assert.equal(bodies[0], bodies[2]);
  assert.equal(bodies[1], bodies[3]);
  assert.notEqual(bodies[0], bodies[1]);
});
