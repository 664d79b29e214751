import assert from 'node:assert/strict';
import { test } from 'node:test';
import { roomsExample } from './examples.ts';

const URL = 'http://127.0.0.1:8065';

test('the example of rooms with sign-in begins with the place of a token, which both commands use', () => {
  const open = roomsExample(URL, 'none');
  assert.doesNotMatch(open, /TOKEN/);
  assert.equal(roomsExample(URL, 'token'), `export OPSDECK_ROOMS_TOKEN=odr_… && ${open}`);
});
