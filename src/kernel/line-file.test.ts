import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryFolder } from '../testing/processes.ts';
import { LineFile } from './line-file.ts';

function openLines(t: TestContext) {
  const path = join(temporaryFolder(t), 'lines');
  const lines = new LineFile(path);
  t.after(() => lines.close());
  return { path, lines };
}

test('what was appended is in the file when append returns', (t) => {
  const { path, lines } = openLines(t);
  assert.deepEqual(lines.read(), []);
  lines.append('a\n');
  assert.equal(readFileSync(path, 'utf8'), 'a\n');
  lines.append('b\n');
  assert.deepEqual(new LineFile(path).read(), ['a', 'b']);
  assert.equal(lines.size, 4);
});

test('a last line that was cut short is left out', (t) => {
  const { path, lines } = openLines(t);
  writeFileSync(path, 'a\nb\nhalf of');
  assert.deepEqual(lines.read(), ['a', 'b']);
});

test('other lines take the place of all, and more may follow', (t) => {
  const { path, lines } = openLines(t);
  lines.append('a\n');
  lines.append('b\n');
  lines.replace(['c\n']);
  assert.equal(lines.size, 2);
  lines.append('d\n');
  assert.equal(readFileSync(path, 'utf8'), 'c\nd\n');
  assert.equal(lines.size, 4);
});

test('a file that is removed begins anew', (t) => {
  const { path, lines } = openLines(t);
  lines.append('a\n');
  lines.remove();
  assert.deepEqual(lines.read(), []);
  lines.append('b\n');
  assert.equal(readFileSync(path, 'utf8'), 'b\n');
  assert.equal(lines.size, 2);
});

test('what cannot be read or written throws', (t) => {
  const { path, lines } = openLines(t);
  mkdirSync(path);
  assert.throws(() => lines.read(), /EISDIR/);
  assert.throws(() => lines.append('a\n'), /EISDIR/);
  assert.throws(() => lines.replace(['a\n']), /EISDIR|directory/);
});

test('a full disk throws', () => {
  assert.throws(() => new LineFile('/dev/full').append('a\n'), /ENOSPC/);
});
