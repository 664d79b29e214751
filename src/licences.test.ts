import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

test('the licence of every package in the executable lies beside it, in its own words', () => {
  const packages = JSON.parse(readFileSync('.build/packages.json', 'utf8')) as readonly string[];
  const [, ...parts] = readFileSync('dist/THIRD-PARTY-LICENSES.txt', 'utf8').split(/(?<=licences\.)\n\n|\n={80}\n\n/);
  const named = parts.flatMap((part) => {
    const [names = '', ...text] = part.split('\n\n');
    assert.match(text.join('\n\n'), /WARRANT(Y|IES)|AS IS/, names);
    return names.split('\n');
  });
  assert.deepEqual(named.sort(), [...packages].sort());
});
