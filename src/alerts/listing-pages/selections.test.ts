import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from './alert-pages.ts';
import { Selections } from './selections.ts';

let versions = 0;

const pageOf = (text: string): Page<string> => ({
  items: [],
  bytes: Buffer.from(text),
  version: ++versions,
  isStale: false,
  until: 0,
});

function replace(page: Page<string>, text: string): void {
  page.bytes = Buffer.from(text);
  page.version = ++versions;
}

/** Reads the first `count` bytes of each page; returns the pages whose bytes were copied anew. */
function createReader() {
  const selections = new Selections<string>();
  return {
    selections,
    read(pages: readonly Page<string>[], count: number) {
      const taken: string[] = [];
      const pieces = selections.read(`first ${count}`, pages, ({ bytes }) => {
        taken.push(String(bytes));
        return count < bytes.length ? Buffer.from(bytes.subarray(0, count)) : bytes;
      });
      return [pieces.map(String), taken];
    },
  };
}

test('a repeated query reads only pages changed since', () => {
  const { read } = createReader();
  const pages = [pageOf('abcdef'), pageOf('ghijkl')];
  assert.deepEqual(read(pages, 2), [
    ['ab', 'gh'],
    ['abcdef', 'ghijkl'],
  ]);
  assert.deepEqual(read(pages, 2), [['ab', 'gh'], []]);
  replace(pages[0] as Page<string>, 'mnopqr');
  assert.deepEqual(read(pages, 2), [['mn', 'gh'], ['mnopqr']]);
  assert.deepEqual(read([...pages, pageOf('stu')], 2), [['mn', 'gh', 'st'], ['stu']]);
});

test('a page selected whole is returned as it is now, and a page without a selection is not', () => {
  const { read } = createReader();
  const pages = [pageOf('abcdef'), pageOf('')];
  assert.deepEqual(read(pages, 9)[0], ['abcdef']);
  replace(pages[0] as Page<string>, 'mnopqr');
  assert.deepEqual(read(pages, 9)[0], ['mnopqr']);
  assert.deepEqual(read(pages, 0)[0], []);
});

test('queries with more bytes than the pages are dropped, the least recent first', () => {
  const { read } = createReader();
  const pages = [pageOf('abcdef')];
  for (const count of [1, 2, 3, 1]) read(pages, count);
  const isForgotten = (count: number) => read(pages, count)[1]?.length === 1;
  read(pages, 4);
  // 4 and 1 fit into six bytes; with 3 it would be eight.
  assert.deepEqual([1, 4, 3].map(isForgotten), [false, false, true]);
  assert.deepEqual([3, 1].map(isForgotten), [false, true]);
});

test('at most eight queries are cached, and none after a clear', () => {
  const { selections, read } = createReader();
  const pages = [pageOf('x'.repeat(1_000))];
  for (let count = 1; count <= 9; count++) read(pages, count);
  assert.deepEqual(read(pages, 2)[1], []);
  assert.equal(read(pages, 1)[1]?.length, 1);
  selections.clear();
  assert.equal(read(pages, 2)[1]?.length, 1);
});
