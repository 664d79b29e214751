import assert from 'node:assert/strict';
import { test } from 'node:test';
import { displayWidth, formatTable } from './table.ts';

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
