import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

test('each file with more to do in a long round marks its tests that do more', () => {
  const unmarked = globSync('{src,web}/**/*.test.ts').filter((file) => {
    const text = readFileSync(file, 'utf8');
    return /\bisLongRound\b.*long-round\.ts'/.test(text) && !/\bonly:\s+isLongRound\b/.test(text);
  });
  assert.deepEqual(unmarked, []);
});
