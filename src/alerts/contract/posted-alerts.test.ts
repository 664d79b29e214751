import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../../testing/random.ts';
import { readArraySlices } from './array-slices.ts';
import { readPostedAlerts } from './posted-alerts.ts';

/** What a whole reading returns, and how often it let others have a turn. */
function readAll(body: string | Buffer) {
  const reading = readPostedAlerts(Buffer.from(body));
  let turns = 0;
  let step = reading.next();
  for (; !step.done; step = reading.next()) turns++;
  return { turns, read: step.value };
}

const numbered = (count: number, padding = '') =>
  Array.from({ length: count }, (_, n) => ({ labels: { n: `${n}` }, annotations: { padding } }));

test('a post of usual size is read in one go', () => {
  const { turns, read } = readAll(JSON.stringify(numbered(1_000, 'x'.repeat(400))));
  assert.ok(read.ok);
  assert.deepEqual([turns, read.value.map((slice) => slice.length)], [0, [1_000]]);
});

test('many small alerts are read in slices, with a turn for others between two', () => {
  const { turns, read } = readAll(JSON.stringify(numbered(2_500)));
  assert.ok(read.ok);
  assert.deepEqual([turns, read.value.map((slice) => slice.length)], [2, [1_000, 1_000, 500]]);
});

test('a large body is read in slices, and its alerts keep their order and index', () => {
  const alerts: unknown[] = numbered(6_000, 'ä,]}"\\'.repeat(60));
  alerts[5_990] = { labels: 'none' };
  const { turns, read } = readAll(JSON.stringify(alerts));
  assert.ok(read.ok);
  assert.ok(turns > 5, `${turns} turns`);
  const all = read.value.flat();
  assert.deepEqual(
    all.map((one, place) => (one.ok ? Number(one.value.labels.n) === place : one.reason)).filter((one) => one !== true),
    ['parsing alerts body from "" failed, because 5990.labels must be an object whose values are strings'],
  );
});

test('an invalid large body is refused as a small one is, wherever it breaks', () => {
  const large = JSON.stringify(numbered(6_000, 'x'.repeat(300)));
  const inner = large.slice(1, -1);
  const reasons = (body: string) => {
    const { read } = readAll(body);
    return read.ok ? 'read' : read.reason.replace(/^parsing alerts body from "" failed, because /, '');
  };
  assert.equal(reasons(`{"a":${large}}`), 'the body must be an array of alerts');
  assert.match(reasons(large.slice(0, -1)), /JSON/);
  assert.match(reasons(large.slice(0, 1_500_000)), /JSON/);
  assert.match(reasons(`[${inner},]`), /JSON/);
  assert.match(reasons(`[,${inner}]`), /JSON/);
  assert.match(reasons(`[${inner},,{}]`), /JSON/);
  assert.match(reasons(`[${inner}}`), /JSON/);
  assert.match(reasons(`[${inner},{"labels":{"a":nothing}}]`), /JSON/);
  assert.equal(reasons(`${' '.repeat(2_000_000)}`), 'alerts in body is required');
  assert.equal(reasons(`"${'x'.repeat(2_000_000)}"`), 'the body must be an array of alerts');
});

test('text after a large array is ignored', () => {
  const large = JSON.stringify(numbered(6_000, 'x'.repeat(300)));
  for (const body of [
    `\r\n\t ${large}`,
    `\ufeff${large}`,
    `${large}\n{"more":[`,
    `${large}]]`,
    `[${' '.repeat(2_000_000)}]`,
  ]) {
    const { read } = readAll(body);
    assert.ok(read.ok, body.slice(0, 20));
    assert.equal(read.value.flat().length, body.includes('labels') ? 6_000 : 0);
  }
});

test('slices of any size give the result of JSON.parse of the whole', () => {
  const random = new Random(20);
  const parts = [
    '[',
    ']',
    '{',
    '}',
    ',',
    ':',
    '"',
    '\\',
    '"a"',
    '"\\""',
    '"],["',
    '1',
    'null',
    ' ',
    '\n',
    'é',
    '[]',
    '{"a":[1,"]"]}',
  ];
  const value = (depth: number): unknown =>
    random.pick<() => unknown>([
      () => random.int(0, 99),
      () => random.pick(['', '"', '\\', ',', ']', '[', 'é€😀', '\\"']),
      () => null,
      () => (depth > 2 ? [] : Array.from({ length: random.int(0, 4) }, () => value(depth + 1))),
      () => ({ [random.pick(['a', ']', '"'])]: depth > 2 ? 1 : value(depth + 1) }),
    ])();
  const parsed = (text: string): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      return undefined;
    }
  };
  for (let round = 0; round < 5_000; round++) {
    let text = JSON.stringify(Array.from({ length: random.int(1, 6) }, () => value(0)));
    for (let change = random.int(0, 2); change > 0; change--) {
      const at = random.int(0, text.length);
      text = text.slice(0, at) + random.pick(parts) + text.slice(at + random.int(0, 1));
    }
    const bytes = Buffer.from(text);
    const slices = [...readArraySlices(bytes, random.int(0, 12))];
    const isRead = !slices.includes(undefined);
    const whole = parsed(bytes.toString());
    if (isRead && whole !== undefined) assert.deepEqual(slices.flat(), whole, text);
    // Something may follow the array, and an empty one is left to JSON.parse.
    else if (!isRead) assert.ok(!Array.isArray(whole) || whole.length === 0, text);
  }
});
