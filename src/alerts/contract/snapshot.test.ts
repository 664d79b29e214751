import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printMatchers } from '../domain/matcher/matcher.ts';
import { decodeSnapshot } from './snapshot.ts';

// Protobuf written by hand, as silence.proto numbers it.

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return [...bytes, Number(rest)];
}

const number = (field: number, value: number) => [...varint(field * 8), ...varint(value)];
const nested = (field: number, bytes: readonly number[]) => [
  ...varint(field * 8 + 2),
  ...varint(bytes.length),
  ...bytes,
];
const text = (field: number, value: string) => nested(field, [...Buffer.from(value)]);
const instant = (field: number, seconds: number, nanos = 0) =>
  nested(field, [...number(1, seconds), ...(nanos ? number(2, nanos) : [])]);
const matcher = (type: number, name: string, pattern: string) => [
  ...(type ? number(1, type) : []),
  ...text(2, name),
  ...text(3, pattern),
];

const TIMES = [...instant(3, 1_700_000_000, 123_456_789), ...instant(4, 1_700_003_600), ...instant(5, 1_700_000_001)];

/** A file of these silences, each with its expiry. */
function snapshot(...silences: readonly (readonly number[])[]): Uint8Array {
  return Uint8Array.from(
    silences.flatMap((silence) => {
      const mesh = [...nested(1, silence), ...instant(2, 1_700_500_000)];
      return [...varint(mesh.length), ...mesh];
    }),
  );
}

function decodeOne(...silence: readonly number[]) {
  const decoded = decodeSnapshot(snapshot(silence));
  assert.ok(decoded.ok);
  assert.equal(decoded.value.length, 1);
  return decoded.value[0];
}

test('a silence is read with its matchers of every type, its times, author and comment', () => {
  const silence = decodeOne(
    ...text(1, 'abc'),
    ...nested(2, matcher(0, 'a', '1')),
    ...nested(2, matcher(1, 'b', '2|3')),
    ...nested(2, matcher(2, 'c', '4')),
    ...nested(2, matcher(3, 'd', '5.*')),
    ...TIMES,
    ...text(8, 'alex'),
    ...text(9, 'für später'),
  );
  assert.ok(silence?.ok);
  const { matchers, ...rest } = silence.value;
  assert.equal(printMatchers(matchers), '{a="1",b=~"2|3",c!="4",d!~"5.*"}');
  assert.deepEqual(rest, {
    id: 'abc',
    startsAt: 1_700_000_000_123,
    endsAt: 1_700_003_600_000,
    updatedAt: 1_700_000_001_000,
    createdBy: 'alex',
    comment: 'für später',
    annotations: {},
  });
});

test('one set of matchers takes precedence over the old list, annotations are kept, unknown fields are skipped', () => {
  const silence = decodeOne(
    ...text(1, 'abc'),
    ...nested(2, matcher(0, 'old', '1')),
    ...nested(11, nested(1, matcher(0, 'new', '2'))),
    ...nested(10, [...text(1, 'ticket'), ...text(2, '7')]),
    ...number(90, 5),
    ...varint(91 * 8 + 5),
    ...[1, 2, 3, 4],
    ...varint(92 * 8 + 1),
    ...[1, 2, 3, 4, 5, 6, 7, 8],
    ...TIMES,
  );
  assert.ok(silence?.ok);
  assert.equal(printMatchers(silence.value.matchers), '{new="2"}');
  assert.deepEqual(silence.value.annotations, { ticket: '7' });
});

test('author and text of an old comment are read, and a time before 1970', () => {
  const silence = decodeOne(
    ...text(1, 'abc'),
    ...nested(2, matcher(0, 'a', '1')),
    ...nested(7, [...text(1, 'sam'), ...text(2, 'long ago')]),
    ...instant(3, -62_135_596_800),
  );
  assert.ok(silence?.ok);
  assert.deepEqual([silence.value.createdBy, silence.value.comment], ['sam', 'long ago']);
  assert.equal(new Date(silence.value.startsAt).toISOString(), '0001-01-01T00:00:00.000Z');
});

test('an unsupported silence is refused by its id, and the others are read', () => {
  const set = nested(11, nested(1, matcher(0, 'a', '1')));
  const good = [...text(1, 'good'), ...nested(2, matcher(0, 'a', '1')), ...TIMES];
  const decoded = decodeSnapshot(
    snapshot(
      [...text(1, 'two'), ...set, ...set],
      [...text(1, 'bad'), ...nested(2, matcher(1, 'a', '('))],
      [...text(1, 'odd'), ...nested(2, matcher(9, 'a', '1'))],
      text(1, 'none'),
      good,
    ),
  );
  assert.ok(decoded.ok);
  assert.deepEqual(
    decoded.value.map((silence) => (silence.ok ? silence.value.id : silence.reason.slice(0, 45))),
    [
      'silence two has 2 sets of matchers, of which ',
      'silence bad: error parsing regexp: missing cl',
      'silence odd: a matcher is of the unknown type',
      'silence none: it has no matchers',
      'good',
    ],
  );
});

test('a truncated file is refused, an empty one has no silences', () => {
  const whole = snapshot([...text(1, 'abc'), ...nested(2, matcher(0, 'a', '1')), ...TIMES]);
  for (let length = 1; length < whole.length; length++) {
    const decoded = decodeSnapshot(whole.subarray(0, length));
    assert.deepEqual([length, decoded.ok], [length, false]);
  }
  assert.deepEqual(decodeSnapshot(new Uint8Array()), { ok: true, value: [] });
  assert.equal(decodeSnapshot(Uint8Array.from([2, 0x0f, 0x00])).ok, false);
});
