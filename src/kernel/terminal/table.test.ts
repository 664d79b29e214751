import assert from 'node:assert/strict';
import { test } from 'node:test';
import { displayWidth } from './display-width.ts';
import { fitsTable, formatTable } from './table.ts';

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

const id = (text: string) => ({ text, isWhole: true as const });

test('in a terminal no row is wider than it: the widest texts are cut, whole cells and narrow texts are not', () => {
  const rows = [
    [id('0123456789'), 'short', 'a text of twenty-one.', '日本語の長い文字列です'],
    [id('0123456789'), 'abc', 'x', 'y'],
  ];
  assert.equal(formatTable(rows, 40), '0123456789  short  a text o…  日本語の…\n0123456789  abc    x          y\n');
  for (let columns = 12; columns <= 80; columns++)
    for (const line of formatTable(rows, columns).split('\n'))
      assert.ok(displayWidth(line) <= columns, `${columns}: ${line}`);
  assert.equal(formatTable(rows, 80), formatTable(rows));
});

test('a cut text keeps its style', () => {
  assert.equal(formatTable([[{ text: 'abcdefgh', style: (text) => `<${text}>` }]], 4), '<abc…>\n');
});

test('rows fit as long as every column can be read', () => {
  const rows = [[id('0123456789'), 'a long comment', 'a long description']];
  assert.ok(fitsTable(rows, 10 + 2 + 8 + 2 + 8));
  assert.ok(!fitsTable(rows, 10 + 2 + 8 + 2 + 7));
});
