import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unsaidPatterns } from './sentences.ts';

test('a pattern is unsaid when the sources lack one of its fixed parts', () => {
  const said = [
    /^Shorter ones (\S+) anywhere\.$/,
    /^The fixed parts of the (?:texts|(lines)) that a pattern matches: what lies in no (.*)/,
  ];
  const other = /^Shorter ones (\S+) nowhere at all$/;
  assert.deepEqual(unsaidPatterns([...said, other], 'src/testing'), [other]);
});
