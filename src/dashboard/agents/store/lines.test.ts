import assert from 'node:assert/strict';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Random } from '../../../testing/random.ts';
import { Lines } from './lines.ts';

const START = { position: 0, isInLongLine: false };

/** A file with this content, whose lines are read from a place on. */
function setUp(t: TestContext, content: string) {
  const folder = mkdtempSync(join(tmpdir(), 'opsdeck-lines-'));
  const path = join(folder, 'x.log');
  writeFileSync(path, content);
  const descriptor = openSync(path, 'r');
  t.after(() => {
    closeSync(descriptor);
    rmSync(folder, { recursive: true });
  });
  return {
    path,
    read(from: { position: number; isInLongLine: boolean } = START, maxLineBytes?: number) {
      const lines = new Lines(descriptor, from, maxLineBytes);
      const found: string[] = [];
      while (lines.read((line) => found.push(line.toString())));
      const { position, isInLongLine, longLines } = lines;
      const rest = lines.rest.toString();
      lines.close();
      return { found, rest, position, isInLongLine, longLines };
    },
  };
}

test('lines of any length come whole and in order, across the parts that are read', (t) => {
  const random = new Random(7);
  const lengths = [0, 1, 2, 1000, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 3 << 20];
  const lines = Array.from({ length: 60 }, (_, n) =>
    String(n).repeat(random.pick(lengths)).slice(0, random.pick(lengths)),
  );
  const { found, rest, position } = setUp(t, `${lines.join('\n')}\nhalf`).read();
  assert.deepEqual(
    found,
    lines.filter((line) => line !== ''),
  );
  assert.deepEqual([rest, position], ['half', lines.join('\n').length + 1]);
});

test('a line may end as on Windows', (t) => {
  assert.deepEqual(setUp(t, 'one\r\ntwo\n\r\nthr\ree\r\n').read().found, ['one', 'two', '', 'thr\ree']);
});

test('a reading begins where the last one ended', (t) => {
  const { read, path } = setUp(t, 'one\ntwo\nth');
  const first = read();
  writeFileSync(path, 'one\ntwo\nthree\nfour');
  const second = read(first);
  assert.deepEqual([second.found, second.rest, second.position], [['three'], 'four', 14]);
});

test('a line that is too long is skipped to its end, even if that comes later', (t) => {
  const { read, path } = setUp(t, `one\n${'x'.repeat(50)}\ntwo\n`);
  const short = read(START, 40);
  assert.deepEqual([short.found, short.longLines], [['one', 'two'], 1]);
  const long = 'y'.repeat(3 << 20);
  writeFileSync(path, `one\n${long}`);
  const first = read(START, 2 << 20);
  assert.deepEqual([first.found, first.longLines, first.isInLongLine, first.rest], [['one'], 1, true, '']);
  assert.equal(first.position, 4 + long.length);
  writeFileSync(path, `one\n${long}${long}\nthree\n`);
  const second = read(first, 2 << 20);
  assert.deepEqual([second.found, second.longLines, second.isInLongLine], [['three'], 0, false]);
});
