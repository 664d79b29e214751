import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkIfMatch, matchesIfNoneMatch } from './etag.ts';

test('If-Match is compared strongly, with any of a list', () => {
  for (const [ifMatch, current, matches] of [
    [undefined, '"r1"', true],
    ['"r1"', '"r1"', true],
    ['"r2", "r1"', '"r1"', true],
    ['*', '"r1"', true],
    ['*', undefined, false],
    ['"r1"', undefined, false],
    ['"r2"', '"r1"', false],
    ['W/"r1"', '"r1"', false],
    ['r1', '"r1"', false],
    ['', '"r1"', false],
  ] as const) {
    const refusal = checkIfMatch(ifMatch, current);
    assert.equal(refusal === undefined, matches, `${ifMatch} and ${current}`);
    if (refusal) assert.deepEqual([refusal.code, refusal.etag], ['version_mismatch', current]);
  }
});

test('If-None-Match is compared weakly', () => {
  for (const [ifNoneMatch, matches] of [
    [undefined, false],
    ['"r1"', true],
    ['W/"r1"', true],
    ['"r0",W/"r1"', true],
    ['*', true],
    ['"r2"', false],
  ] as const)
    assert.equal(matchesIfNoneMatch(ifNoneMatch, '"r1"'), matches, ifNoneMatch);
});
