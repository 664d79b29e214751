import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printMoments } from './utc-moments.ts';

const shown = (text: string) => printMoments(text, (at) => `<${at - Date.UTC(2030, 0, 2)}>`);

test('every moment of a server’s text is printed for the reader', () => {
  assert.equal(shown('on call until 2030-01-02 00:01 UTC'), 'on call until <60000>');
  assert.equal(shown('2030-01-02 00:00 UTC, 2030-01-01 23:59 UTC'), '<0>, <-60000>');
});

test('texts that are no moment stay', () => {
  for (const text of ['until 18:00 UTC', '2030-99-99 09:00 UTC', '2030-01-02 09:00', '2030-01-02 09:00 UTCx', ''])
    assert.equal(shown(text), text);
});
