import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actionOf, KEYS, type PressedKey } from './keys.ts';
import { TABLES } from './text.ts';

const press = (key: string, held: Partial<PressedKey> = {}) =>
  actionOf({ key, ctrlKey: false, altKey: false, metaKey: false, ...held });

test('every key stands in the table once, and every action has one row', () => {
  const keys = KEYS.flatMap((row) => row.keys);
  assert.deepEqual(
    keys.filter((key, index) => keys.indexOf(key) !== index),
    [],
  );
  const actions = KEYS.flatMap(({ action }) => action ?? []);
  assert.equal(new Set(actions).size, actions.length);
});

test('a key has its action only alone: the browser keeps its own shortcuts', () => {
  assert.equal(press('a'), 'acknowledge');
  assert.equal(press('a', { ctrlKey: true }), undefined);
  assert.equal(press('a', { metaKey: true }), undefined);
  assert.equal(press('z'), undefined);
  assert.equal(press('Enter'), undefined, 'the focused button reacts itself');
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
