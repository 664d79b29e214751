import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../../testing/random.ts';
import {
  compareLabelSets,
  compareUtf8,
  createLabelSet,
  fingerprintOf,
  type LabelSet,
  labelValue,
  pickLabels,
  printLabelSet,
  printPairs,
} from './label-set.ts';

const NAMES = [
  'a',
  'b',
  'job',
  'Z',
  'été',
  '\ue000',
  '\uffee',
  '😀',
  '\u{10ffff}',
  '__proto__',
  'constructor',
  '10',
  '9',
];

function randomRecord(random: Random): Record<string, string> {
  const values = ['', 'x', 'y', 'é', '😀', '\uffee', 'a"b\\c\n'];
  return Object.fromEntries(random.some(NAMES, 4).map((name) => [name, random.pick(values)]));
}

/** FNV-1a as its page gives it, on the bytes of the spec: slow, and with nothing to go wrong in. */
function naiveFingerprint(record: Record<string, string>): string {
  const names = Object.keys(record).filter((name) => record[name] !== '');
  const ordered = names.map((name) => Buffer.from(name)).sort(Buffer.compare);
  let hash = 14695981039346656037n;
  for (const name of ordered) {
    for (const byte of [...name, 0xff, ...Buffer.from(record[name.toString()] as string), 0xff]) {
      hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 1099511628211n);
    }
  }
  return hash.toString(16).padStart(16, '0');
}

test('a fingerprint equals that of Alertmanager', () => {
  const cases: readonly (readonly [Record<string, string>, string])[] = [
    [{ alertname: 'foo' }, 'c5a7cb176f0f418a'],
    [{ alertname: 'foo', severity: 'critical' }, '8fa107ec8feba4bc'],
    [{ severity: 'critical', alertname: 'foo' }, '8fa107ec8feba4bc'],
    [{}, 'cbf29ce484222325'],
  ];
  for (const [record, expected] of cases) assert.equal(fingerprintOf(createLabelSet(record)), expected);
});

test('a fingerprint hashes the UTF-8 bytes of names and values', () => {
  // An empty value counts where it is kept, as in the published vector of {a="", b="é"}.
  assert.equal(fingerprintOf({ names: ['a', 'b'], values: ['', 'é'] }), 'f7c9ba6c58088672');
  const random = new Random(1);
  for (let round = 0; round < 500; round++) {
    const record = randomRecord(random);
    assert.equal(fingerprintOf(createLabelSet(record)), naiveFingerprint(record), JSON.stringify(record));
  }
});

test('texts are ordered by their UTF-8 bytes, characters beyond the basic plane last', () => {
  const texts = [
    '',
    'a',
    'aa',
    'b',
    'Z',
    'é',
    '\u07ff',
    '\u0800',
    '\ud7ff',
    '\ue000',
    '\uffee',
    '😀',
    '😁',
    '\u{10ffff}',
  ];
  for (const a of texts) {
    for (const b of texts) {
      assert.equal(
        Math.sign(compareUtf8(a, b)),
        Buffer.compare(Buffer.from(a), Buffer.from(b)),
        `${JSON.stringify(a)} ${JSON.stringify(b)}`,
      );
    }
  }
});

test('labels are sorted by the UTF-8 bytes of their names and lose their empty values', () => {
  const labels = createLabelSet({ '😀': '1', b: '2', '\ue000': '3', a: '', Z: '4', 10: '5', 9: '6' });
  assert.deepEqual(labels.names, ['10', '9', 'Z', 'b', '\ue000', '😀']);
  assert.deepEqual(labels.values, ['5', '6', '4', '2', '3', '1']);
});

test('a label may have a name with a meaning in JavaScript', () => {
  const labels = createLabelSet(JSON.parse('{"__proto__":"p","constructor":"c","toString":"t"}'));
  assert.deepEqual(labels.names, ['__proto__', 'constructor', 'toString']);
  assert.equal(labelValue(labels, '__proto__'), 'p');
  assert.equal(labelValue(labels, 'constructor'), 'c');
  assert.equal(labelValue(labels, 'hasOwnProperty'), undefined);
});

test('sets with equal names share them, sets with other names never do', () => {
  const first = createLabelSet({ a: '1', b: '2' });
  assert.equal(createLabelSet({ b: '3', a: '4' }).names, first.names);
  assert.deepEqual(createLabelSet({ 'a\u0000b': 'x' }), { names: ['a\u0000b'], values: ['x'] });
  assert.deepEqual(createLabelSet({}), { names: [], values: [] });
  assert.deepEqual(createLabelSet({ '': 'x' }), { names: [''], values: ['x'] });
});

test('a part of a set keeps the wanted labels in their order', () => {
  const labels = createLabelSet({ a: '1', b: '2', c: '3' });
  assert.deepEqual(pickLabels(labels, new Set(['c', 'a', 'nothing'])), { names: ['a', 'c'], values: ['1', '3'] });
  assert.deepEqual(pickLabels(labels, new Set()), { names: [], values: [] });
});

test('label sets are ordered by number, then by the first name that one lacks, then by value', () => {
  const ordered: readonly Record<string, string>[] = [
    {},
    { b: '1' },
    { b: '2' },
    { a: '1' },
    { a: 'é' },
    { a: '\uffee' },
    { a: '😀' },
    { b: '1', c: '1' },
    { a: '1', c: '1' },
    { a: '1', b: '1' },
    { a: '1', b: '2' },
    { a: '2', c: '1' },
    { a: '2', b: '0' },
  ];
  const sets = ordered.map(createLabelSet);
  for (const [i, a] of sets.entries()) {
    for (const [j, b] of sets.entries()) {
      const place = `${JSON.stringify(ordered[i])} ${JSON.stringify(ordered[j])}`;
      assert.equal(Math.sign(compareLabelSets(a, b)), Math.sign(i - j), place);
    }
  }
});

test('the order of label sets is total: antisymmetric, transitive, and zero for equal sets only', () => {
  const random = new Random(2);
  const sets: LabelSet[] = Array.from({ length: 60 }, () => createLabelSet(randomRecord(random)));
  for (const a of sets) {
    for (const b of sets) {
      const order = Math.sign(compareLabelSets(a, b));
      // `0 -` keeps -0 out.
      assert.equal(order, 0 - Math.sign(compareLabelSets(b, a)), `${printLabelSet(a)} ${printLabelSet(b)}`);
      assert.equal(order === 0, printLabelSet(a) === printLabelSet(b));
      for (const c of sets) {
        if (order <= 0 && compareLabelSets(b, c) <= 0) assert.ok(compareLabelSets(a, c) <= 0);
      }
    }
  }
});

test('the order is the same whether or not two sets share their names', () => {
  const random = new Random(3);
  const unshared = ({ names, values }: LabelSet): LabelSet => ({ names: [...names], values });
  for (let round = 0; round < 500; round++) {
    const [a, b] = [createLabelSet(randomRecord(random)), createLabelSet(randomRecord(random))];
    assert.equal(Math.sign(compareLabelSets(a, b)), Math.sign(compareLabelSets(unshared(a), unshared(b))));
  }
});

test('a label set is printed as in group keys', () => {
  assert.equal(printLabelSet(createLabelSet({})), '{}');
  assert.equal(
    printLabelSet(createLabelSet({ severity: 'page', alertname: 'Disk"Full"\n' })),
    '{alertname="Disk\\"Full\\"\\n", severity="page"}',
  );
});

test('pairs as JSON are read back as they were', () => {
  assert.equal(printPairs([], []), '{}');
  assert.equal(printPairs(['__proto__', 'constructor'], ['1', '2']), '{"__proto__":"1","constructor":"2"}');
  const random = new Random(4);
  for (let round = 0; round < 500; round++) {
    const { names, values } = createLabelSet(randomRecord(random));
    const read = JSON.parse(printPairs(names, values)) as Record<string, string>;
    assert.deepEqual(Object.keys(read).sort(compareUtf8), names);
    assert.deepEqual(
      names.map((name) => read[name]),
      values,
    );
  }
});
