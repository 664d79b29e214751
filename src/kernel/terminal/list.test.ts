import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatList, formatRecords, type List } from './list.ts';

const title = (text: string) => `*${text}*`;
const list: List = {
  titles: ['ID', 'Matchers', 'Comment'],
  rows: [
    [{ text: '5ce24381-f452-43d2', isWhole: true }, 'alertname="DiskFull"', 'replacing the disk'],
    [{ text: '7f1c2a90-0000-43d2', isWhole: true }, 'a="b"', ''],
  ],
};

test('a list is a table with a heading', () => {
  assert.equal(
    formatList(list, { title, columns: undefined }),
    `*ID*                  *Matchers*              *Comment*
5ce24381-f452-43d2  alertname="DiskFull"  replacing the disk
7f1c2a90-0000-43d2  a="b"
`,
  );
});

test('where the columns do not fit, a list is records', () => {
  assert.equal(
    formatList(list, { title, columns: 36 }),
    `*ID*        5ce24381-f452-43d2
*Matchers*  alertname="DiskFull"
*Comment*   replacing the disk

*ID*        7f1c2a90-0000-43d2
*Matchers*  a="b"
`,
  );
});

test('a long value of a record is folded beside its title, and every line has the style of the value', () => {
  const rows = [[{ text: 'one two three four', style: (text: string) => `<${text}>` }]];
  assert.equal(formatRecords({ titles: ['A'], rows }, { title, columns: 13 }), '*A*  <one two>\n   <three four>\n');
  assert.equal(formatRecords({ titles: ['A'], rows }, { title, columns: undefined }), '*A*  <one two three four>\n');
});
