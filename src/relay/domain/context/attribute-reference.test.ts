import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contextFrom } from '../testdata/lookup.ts';
import { attributeOf, parseReference, referenceIn } from './attribute-reference.ts';

test('a path has the names between its slashes, with their escapes undone', () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['name', ['name']],
    ['a/b', ['a/b']],
    ['a~1b', ['a~1b']],
    ['a~', ['a~']],
    ['/name', ['name']],
    ['/a/b', ['a', 'b']],
    ['/a~1b/c~0d', ['a/b', 'c~d']],
    ['/~01', ['~1']],
    ['/ ', [' ']],
  ];
  for (const [source, path] of cases) {
    const reference = parseReference(source);
    assert.ok(reference.ok, source);
    assert.deepEqual([reference.value.name, ...reference.value.below], path, source);
  }
});

test('a reference that leads nowhere is refused', () => {
  for (const [source, reason] of [
    ['', /empty/],
    ['/', /empty/],
    ['//', /slash/],
    ['/a/', /slash/],
    ['//a', /slash/],
    ['/a//b', /slash/],
    ['/a~', /escape/],
    ['/a~2', /escape/],
    ['/a/~x', /escape/],
  ] as const) {
    const reference = parseReference(source);
    assert.ok(!reference.ok, source);
    assert.match(reference.reason, reason, source);
  }
});

test('without a context kind every non-empty text is a plain name', () => {
  for (const source of ['/a', '/', '//', '/a~2', 'name']) {
    const reference = referenceIn('', source);
    assert.ok(reference.ok, source);
    assert.deepEqual([reference.value.name, reference.value.below], [source, []], source);
  }
  assert.equal(referenceIn('', '').ok, false);
  assert.equal(referenceIn('user', '').ok, false);
  assert.equal(referenceIn('user', '/').ok, false);
});

test('a reference resolves through objects, and not through lists, texts or Object.prototype', () => {
  const individual = contextFrom({
    kind: 'org',
    key: 'k',
    a: { b: { c: 1, n: null }, list: ['x'] },
    t: 'text',
    '/a/b/c': 'literal',
  }).individuals[0];
  assert.ok(individual);
  for (const [source, expected] of [
    ['/a/b/c', 1],
    ['/a/b', { c: 1, n: null }],
    ['/a/b/n', undefined],
    ['/a/b/x', undefined],
    ['/a/list/0', undefined],
    ['/a/list/length', undefined],
    ['/a/constructor', undefined],
    ['/t/length', undefined],
    ['/key', 'k'],
    ['/kind', 'org'],
    ['name', undefined],
    ['anonymous', false],
  ] as const) {
    const reference = parseReference(source);
    assert.ok(reference.ok);
    assert.deepEqual(attributeOf(individual, reference.value), expected, source);
  }
});
