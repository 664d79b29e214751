import assert from 'node:assert/strict';
import { test } from 'node:test';
import { german } from './text/de.ts';
import { english } from './text/en.ts';
import { createTranslate } from './text/translate.ts';

const placesOf = (text: string) => new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));

test('German has every text of English, with the same values', () => {
  assert.deepEqual(Object.keys(german).sort(), Object.keys(english).sort());
  for (const [key, text] of Object.entries(english)) {
    assert.deepEqual(placesOf(german[key as keyof typeof english]), placesOf(text), key);
  }
});

test('every form of a plural has words', () => {
  for (const texts of [english, german]) {
    for (const [key, text] of Object.entries(texts))
      for (const form of text.split(' || ')) assert.notEqual(form.trim(), '', key);
  }
});

test('numbers choose the form and are written as the locale writes them', () => {
  const [en, de] = [createTranslate('en', 'en-GB'), createTranslate('de', 'de-DE')];
  assert.equal(en('status.events', { n: 1 }), '1 request');
  assert.equal(en('status.events', { n: 0 }), '0 requests');
  assert.equal(de('status.events', { n: 1234 }), '1.234 Anfragen');
});
