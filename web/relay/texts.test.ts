import assert from 'node:assert/strict';
import { test } from 'node:test';
import { german } from './text/de.ts';
import { english } from './text/en.ts';

const placesOf = (text: string) => new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));

test('German has every text of English, with the same values and forms', () => {
  assert.deepEqual(Object.keys(german), Object.keys(english));
  for (const [key, text] of Object.entries(english)) {
    const other = german[key as keyof typeof english];
    assert.deepEqual(placesOf(other), placesOf(text), key);
    assert.equal(other.split(' || ').length, text.split(' || ').length, key);
  }
});
