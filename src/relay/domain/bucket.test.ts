import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Bucketing,
  bucketingOf,
  bucketOf,
  fractionOf,
  hashBucket,
  hashInput,
  printInteger,
  shareOf,
} from './bucket.ts';
import { literalReference } from './context/attribute-reference.ts';
import { individualOf } from './context/context.ts';
import { contextFrom } from './testdata/lookup.ts';

/** [60 bits of a hash, what Go makes of them: float32(n) / float32(0xFFFFFFFFFFFFFFF)]. */
const FRACTIONS: readonly (readonly [bigint, number])[] = [
  [0n, 0],
  [1n, 8.673617379884035e-19],
  [9007199254740991n, 0.0078125],
  [9007199254740993n, 0.0078125],
  [576460752303423487n, 0.5],
  [576460752303423488n, 0.5],
  [576460786663161855n, 0.5],
  [576460786663161856n, 0.5],
  [576460786663161857n, 0.5000000596046448],
  [576460786663161920n, 0.5000000596046448],
  [576460855382638592n, 0.5000001192092896],
  [576460855382638593n, 0.5000001192092896],
  [576460855382638591n, 0.5000000596046448],
  [1152921504606846975n, 1],
  [1152921470247108608n, 1],
  [1152921470247108607n, 0.9999999403953552],
  [1152921470247108609n, 1],
  [288230393331580928n, 0.25],
  [288230393331580929n, 0.2500000298023224],
  [12345678901234567n, 0.01070816908031702],
];

test('60 bits are rounded to single precision once, as in Go', () => {
  for (const [bits, expected] of FRACTIONS) {
    assert.equal(fractionOf(Number(bits >> 28n), Number(bits & 0xfffffffn)), expected, String(bits));
  }
});

test('hashes are those published by LaunchDarkly for all its SDKs', () => {
  for (const [text, expected] of [
    ['hashKey.saltyA.userKeyA', 0.42157587],
    ['hashKey.saltyA.userKeyB', 0.6708485],
    ['hashKey.saltyA.userKeyC', 0.10343106],
    ['61.userKeyA', 0.09801207],
    ['61.userKeyB', 0.14483777],
    ['61.userKeyC', 0.9242641],
  ] as const) {
    assert.equal(hashBucket(text), Math.fround(expected), text);
  }
});

const bucketing = (attribute: string, isExperiment = false): Bucketing =>
  bucketingOf({ contextKind: 'user', attribute: literalReference(attribute), prefix: 'flag.salt', isExperiment });

test('a text is hashed, or an integer in decimal digits', () => {
  const cases: readonly (readonly [unknown, string | undefined])[] = [
    ['a.b', 'a.b'],
    ['', ''],
    [33333, '33333'],
    [-0, '0'],
    [1e15, '1000000000000000'],
    [2 ** 62, '4611686018427387904'],
    [-(2 ** 63), '-9223372036854775808'],
    [2 ** 63, undefined],
    [1e300, undefined],
    [1.5, undefined],
    [true, undefined],
    [['a'], undefined],
    [{}, undefined],
    [null, undefined],
  ];
  for (const [value, expected] of cases) {
    const individual = individualOf(contextFrom({ kind: 'user', key: 'k', a: value }), 'user');
    assert.ok(individual);
    assert.equal(hashInput(bucketing('a'), individual), expected, JSON.stringify(value));
  }
});

test('a secondary key is hashed too, in no experiment', () => {
  const individual = individualOf(contextFrom({ key: 'k', secondary: 's' }), 'user');
  assert.ok(individual);
  assert.equal(hashInput(bucketing('key'), individual), 'k.s');
  assert.equal(hashInput(bucketing('key', true), individual), 'k');
});

test('without the kind there is no bucket, and an unhashable attribute has bucket 0', () => {
  assert.equal(bucketOf(bucketing('key'), contextFrom({ kind: 'org', key: 'k' })), undefined);
  assert.equal(bucketOf(bucketing('a'), contextFrom({ kind: 'user', key: 'k' })), 0);
  assert.equal(bucketOf(bucketing('key'), contextFrom({ kind: 'user', key: 'k' })), hashBucket('flag.salt.k'));
});

test('the bucket of any text is that of node:crypto', () => {
  const texts = ['', 'k', 'ß', 'k'.repeat(200), 'ab\u{1f600}', 'lone \ud800'];
  for (const prefix of ['61', 'flag.salt', `${'f'.repeat(90)}.salt`, 'flagge-größe.salt', ...texts]) {
    const attribute = literalReference('a');
    const spread = bucketingOf({ contextKind: 'user', attribute, prefix, isExperiment: false });
    for (const a of texts) {
      const context = contextFrom({ kind: 'user', key: 'k', a });
      assert.equal(bucketOf(spread, context), hashBucket(`${prefix}.${a}`), `${prefix}.${a}`);
    }
  }
});

test('buckets are spread evenly', () => {
  const counts = new Array<number>(10).fill(0);
  for (let n = 0; n < 10_000; n++) {
    const tenth = Math.floor(hashBucket(`f.s.${n}`) * 10);
    counts[tenth] = (counts[tenth] ?? 0) + 1;
  }
  for (const count of counts) assert.ok(count > 850 && count < 1150, JSON.stringify(counts));
});

test('shares and integers have 32 and 64 bits', () => {
  assert.equal(shareOf(30_000), Math.fround(0.3));
  assert.equal(shareOf(100_000), 1);
  assert.equal(shareOf(0), 0);
  assert.deepEqual([61, -5, 2 ** 60, 1e30].map(printInteger), [
    '61',
    '-5',
    '1152921504606846976',
    '-9223372036854775808',
  ]);
});
