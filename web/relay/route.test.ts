import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatHash, parseHash } from './route.ts';

for (const hash of ['#/flags', '#/flags/a%2Fb%20c?env=prod+eu', '#/changes', '#/status?env=x', '#/connect'])
  test(`the address ${hash} is kept`, () => assert.equal(formatHash(parseHash(hash)), hash));

test('an empty address is the list of flags, and other addresses lead nowhere', () => {
  assert.deepEqual(parseHash(''), { section: 'flags', flag: undefined, environment: undefined });
  for (const hash of ['#/nowhere', '#/changes/x', '#/flags/a/b'])
    assert.equal(parseHash(hash).section, 'unknown', hash);
  assert.equal(parseHash('#/flags/%').flag, '%');
});
