import assert from 'node:assert/strict';
import { test } from 'node:test';
import { appendHeader, createHeaders, setHeader, sortedHeaders } from './headers.ts';

/** What `Headers` makes of the same. */
const standard = (entries: readonly (readonly [string, string])[]): Record<string, string> => {
  const headers = new Headers();
  for (const [name, value] of entries) headers.append(name, value);
  return Object.fromEntries(headers);
};

const lists: readonly (readonly [string, string])[][] = [
  [],
  [
    ['X-B', 'b'],
    ['x-a', 'a'],
  ],
  [
    ['X-A', ' one\t'],
    ['x-a', 'two\r\n'],
    ['X-a', ''],
  ],
  [['authorization', 'Bearer \u00f6 x ']],
  [['constructor', 'c']],
];
for (const entries of lists) {
  test(`headers are kept as Headers keeps them: ${JSON.stringify(entries)}`, () => {
    const headers = createHeaders();
    for (const [name, value] of entries) appendHeader(headers, name, value);
    assert.deepEqual(Object.entries(sortedHeaders(headers)), Object.entries(standard(entries)));
  });
}

test('a header that is set has no other value', () => {
  const headers = createHeaders({ Authorization: 'a', authorization: 'b', 'user-agent': 'x' });
  assert.equal(headers.authorization, 'a, b');
  setHeader(headers, 'Authorization', ' c ');
  assert.deepEqual({ ...headers }, { authorization: 'c', 'user-agent': 'x' });
});

test('a name of Object.prototype is a name like any other', () => {
  assert.equal(createHeaders().constructor, undefined);
  assert.deepEqual(Object.keys(createHeaders(JSON.parse('{"__proto__":"x"}'))), ['__proto__']);
});
