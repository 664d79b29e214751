import assert from 'node:assert/strict';
import { test } from 'node:test';
import { displayWidth, formatTable } from './table.ts';
import { formatInstant, parseInstant } from './time-argument.ts';

const widths: [text: string, columns: number][] = [
  ['', 0],
  ['abc', 3],
  ['é', 1],
  ['e\u0301', 1],
  ['日本', 4],
  ['🔥', 2],
];
for (const [text, columns] of widths) {
  test(`${JSON.stringify(text)} takes ${columns} columns`, () => assert.equal(displayWidth(text), columns));
}

test('columns stand two spaces apart and no row ends in spaces', () => {
  const table = formatTable([
    ['ID', 'Comment', 'By'],
    ['1', '日本', 'x'],
    ['22', 'abc', ''],
    ['', '', ''],
  ]);
  assert.equal(table, 'ID  Comment  By\n1   日本     x\n22  abc\n\n');
});

test('a style sees the text without its padding', () => {
  const style = (text: string) => `<${text}>`;
  assert.equal(
    formatTable([
      [{ text: 'a', style }, 'b'],
      ['ccc', 'd'],
    ]),
    '<a>    b\nccc  d\n',
  );
});

const instants: [text: string, iso: string | undefined][] = [
  ['2026-03-01T18:00:00Z', '2026-03-01T18:00:00.000Z'],
  ['2026-03-01t18:00:00.123456789z', '2026-03-01T18:00:00.123Z'],
  ['2026-03-01 18:00:00+01:30', '2026-03-01T16:30:00.000Z'],
  ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
  ['2026-02-29T00:00:00Z', undefined],
  ['2026-13-01T00:00:00Z', undefined],
  ['2026-03-01T25:00:00Z', undefined],
  ['2026-03-01T18:00:00', undefined],
  ['2026-03-01', undefined],
  ['', undefined],
];
for (const [text, iso] of instants) {
  test(`--start ${text || '(empty)'} is ${iso ?? 'refused'}`, () => {
    if (iso === undefined) assert.throws(() => parseInstant(text, '--start'), { exitCode: 2 });
    else assert.equal(new Date(parseInstant(text, '--start')).toISOString(), iso);
  });
}

test('an instant is printed in UTC and says so', () => {
  assert.equal(formatInstant('2026-03-01T18:00:00.999+02:00'), '2026-03-01 16:00:00 UTC');
  assert.equal(formatInstant('never'), 'never');
});
