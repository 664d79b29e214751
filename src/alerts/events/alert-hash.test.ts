import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLabelSet } from '../domain/label-set.ts';
import { alertHash, xxHash64 } from './alert-hash.ts';

// Published test vectors, for each length of the rest.
const vectors: [text: string, hash: string][] = [
  ['', 'ef46db3751d8e999'],
  ['a', 'd24ec4f1a98c6e5b'],
  ['abc', '44bc2cf5ad770999'],
  ['Nobody inspects the spammish repetition', 'fbcea83c8a378bf1'],
];
for (const [text, hash] of vectors) {
  test(`the XXH64 of ${JSON.stringify(text)} is ${hash}`, () => {
    assert.equal(xxHash64(Buffer.from(text)).toString(16), hash);
  });
}

test("an alert's hash is that of Alertmanager's notification log", () => {
  assert.equal(alertHash(createLabelSet({ severity: 'page', alertname: 'A' })), '14519774709874810409');
  assert.equal(alertHash(createLabelSet({ alertname: 'S', role: 'source', zone: 'z' })), '5077299879699407734');
});
