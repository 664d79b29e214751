import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LineCounter } from 'yaml';
import { readFirstDocument } from './yaml-document.ts';

function read(text: string) {
  const lines = new LineCounter();
  const { document, nextAt } = readFirstDocument(text, lines);
  const [error] = document.errors;
  const line = error && lines.linePos(error.pos[0]).line;
  return { value: error ? undefined : document.toJS(), line, error: error?.message, nextAt };
}

const LAX: readonly (readonly [string, string, unknown])[] = [
  ['closed at the margin', 'a:\n  b: [\n    c\n]\nd: e\n', { a: { b: ['c'] }, d: 'e' }],
  [
    'closed one in the other',
    'a: [\n  {b: [\n{c: d}\n]}\n]\ne:\n- f\n- g: [\nh\n]\n',
    { a: [{ b: [{ c: 'd' }] }], e: ['f', { g: ['h'] }] },
  ],
  [
    'with its words at the margin',
    'a:\n  b: {\nc: d,\n\n# a remark\ne: "f\ng"\n}\n',
    { a: { b: { c: 'd', e: 'f g' } } },
  ],
  ['with a plain text over two lines', 'a:\n  - [b\nc, d]\n  - e\n', { a: [['b c', 'd'], 'e'] }],
  ['then a block text', 'a:\n  b: [\n]\n  c: |\n    d\n    e\n', { a: { b: [], c: 'd\ne\n' } }],
];

for (const [form, text, value] of LAX) {
  test(`brackets and braces may be written ${form}`, () =>
    assert.deepEqual(read(text), { value, line: undefined, error: undefined, nextAt: undefined }));
}

test('quotes may hold lines at the margin', () => {
  assert.deepEqual(read('a:\n  b: "c\nd\n\n e"\n  f: \'g\nh\'\n').value, { a: { b: 'c d\ne', f: 'g h' } });
});

test('a comment may follow at once', () => {
  assert.deepEqual(read('a: "b"#c\nd: [e]#f\ng: >-#h\n  i\nj: k#l\n').value, { a: 'b', d: ['e'], g: 'i', j: 'k#l' });
});

test('an unclosed bracket is reported', () => {
  const { error, line } = read('a:\n  b: [\n    c\nd: e\n');
  assert.match(error ?? '', /end with a \]/);
  assert.ok(line !== undefined && line >= 2);
});

const MISTAKES: readonly (readonly [string, string, number, RegExp])[] = [
  ['after brackets at the margin', 'a:\n  b: [\nc\n]\nd:\n  e: f\n g: h\n', 7, /same column/],
  ['after quotes at the margin', 'a:\n  b: "c\nd"\ne:\n  f: g\n h: i\n', 6, /same column/],
  ['before a bracket that is never closed', 'a:\n  e: f\n g: h\nd:\n  b: [\nc: d\n', 3, /same column/],
  ['in a bracket at the margin', 'a: [\nb}\nc:\n  d: [\ne\n]\n', 2, /end with a \]/],
  [
    'that is a bracket, after brackets at the margin',
    'a: [\nb\n]\nc:\n  d: [ e\nf: g\nh: [i, j]\n',
    6,
    /end with a \]/,
  ],
];

for (const [where, text, line, error] of MISTAKES) {
  test(`a mistake ${where} is reported with its line`, () => {
    const result = read(text);
    assert.match(result.error ?? '', error);
    assert.equal(result.line, line);
  });
}

test('the markers of a document end open nodes', () => {
  assert.match(read('a: [\n---\nb: c\n').error ?? '', /must/);
});

test('outside of brackets indentation counts', () => {
  assert.match(read('a:\n  b: c\n d: e\n').error ?? '', /same column/);
  assert.deepEqual(read('a: [\n]\nb:\n  c: d\n').value, { a: [], b: { c: 'd' } });
});

test('the first document counts, and the start of the next one is reported', () => {
  const { value, nextAt } = read('a: b\n---\nc: d\n');
  assert.deepEqual([value, nextAt], [{ a: 'b' }, 5]);
  assert.deepEqual(read('').value, null);
});

const DEEP: readonly (readonly [string, string])[] = [
  ['brackets', '['],
  ['braces', '{'],
  ['items', '- '],
  ['names', '? '],
  ['brackets and names', '[a: '],
];

for (const [form, text] of DEEP) {
  test(`excessive nesting is refused before it takes time or memory: ${form}`, () => {
    assert.deepEqual(read(`a: b\n---\n${text.repeat(100_000)}`).error, 'nested too deeply');
    assert.deepEqual(read(`# c\n${text.repeat(3000)}`), {
      value: undefined,
      line: 2,
      error: 'nested too deeply',
      nextAt: undefined,
    });
  });
}
