import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actionOf, KEYS } from './keys.ts';
import { TABLES } from './text.ts';

test('every key stands in the table once, and every action has one row', () => {
  const keys = KEYS.flatMap((row) => row.keys);
  assert.deepEqual(
    keys.filter((key, index) => keys.indexOf(key) !== index),
    [],
  );
  const actions = KEYS.flatMap(({ action }) => action ?? []);
  assert.equal(new Set(actions).size, actions.length);
});

test('a key without an action is left to the focused element', () => {
  assert.deepEqual(['a', 'X', 'Enter', 'ArrowDown', 'z'].map(actionOf), [
    'acknowledge',
    'select-range',
    undefined,
    undefined,
    undefined,
  ]);
});

test('no text has the name of another table, and both languages have the same values', () => {
  const keys = Object.values(TABLES).flatMap(({ english }) => Object.keys(english));
  assert.equal(new Set(keys).size, keys.length);
  for (const { english, german } of Object.values(TABLES)) {
    const texts: Readonly<Record<string, string>> = german;
    for (const [key, text] of Object.entries(english)) {
      const valuesOf = (words: string) => [...new Set(words.match(/\{\w+\}/g))].sort();
      assert.deepEqual(valuesOf(texts[key] ?? ''), valuesOf(text), key);
      assert.equal((texts[key] ?? '').includes(' || '), text.includes(' || '), key);
    }
  }
});
