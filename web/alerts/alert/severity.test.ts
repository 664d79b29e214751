import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rankOf, toneOf } from './severity.ts';

test('the usual words for a severity have a tone, in any case', () => {
  assert.deepEqual(['critical', 'PAGE', 'P1'].map(toneOf), ['critical', 'critical', 'critical']);
  assert.deepEqual(['warning', 'Minor', 'sev2'].map(toneOf), ['warning', 'warning', 'warning']);
  assert.deepEqual(['info', 'notice'].map(toneOf), ['info', 'info']);
});

test('other words, and an empty one, are neutral', () => {
  assert.deepEqual(['none', '', undefined, 'toString', '__proto__'].map(toneOf), Array(5).fill('neutral'));
});

test('severities that page people rank first', () => {
  assert.deepEqual(
    [undefined, 'info', 'critical', 'warning'].sort((a, b) => rankOf(a) - rankOf(b)),
    ['critical', 'warning', 'info', undefined],
  );
});
