import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rankOf, toneOf } from './severity.ts';

test('the words for a severity that people use have a tone, in any case', () => {
  assert.deepEqual(['critical', 'PAGE', 'P1'].map(toneOf), ['critical', 'critical', 'critical']);
  assert.deepEqual(['warning', 'Minor', 'sev2'].map(toneOf), ['warning', 'warning', 'warning']);
  assert.deepEqual(['info', 'notice'].map(toneOf), ['info', 'info']);
});

test('other words, and none, stay neutral', () => {
  assert.deepEqual(['none', '', undefined, 'toString', '__proto__'].map(toneOf), Array(5).fill('neutral'));
});

test('what wakes people up ranks first', () => {
  assert.deepEqual(
    [undefined, 'info', 'critical', 'warning'].sort((a, b) => rankOf(a) - rankOf(b)),
    ['critical', 'warning', 'info', undefined],
  );
});
