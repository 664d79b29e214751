import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RE2JS } from 're2js';
import { Random } from '../../testing/random.ts';
import { estimateProgramSize, renameGroups } from './scan.ts';

const PIECES = [
  ...['a', '.', '(', ')', '(?:', '(?P<n>', '(?i)', '[^]a{9}]', '[a-z[:alpha:]\\]{3}]', '\\d', '\\Qab{9}\\E', '\\pL'],
  ...['\\p{Greek}', '\\x{1F600}', '*', '+', '?', '{2}', '{3,}', '{1,30}', '{0}', '{0,7}', '{,2}', '|', '\\{', '{20}'],
];

function programSize(source: string): number | undefined {
  try {
    return RE2JS.compile(source).programSize();
  } catch {
    return undefined;
  }
}

test('the size of a program is foreseen: at most a third too small, at most four times too big', () => {
  const random = new Random(3);
  let compiled = 0;
  for (let round = 0; round < 8000; round++) {
    const source = Array.from({ length: random.int(1, 12) }, () => random.pick(PIECES)).join('');
    const size = programSize(source);
    if (size === undefined) continue;
    compiled++;
    const estimate = estimateProgramSize(source) + 4;
    assert.ok(size <= estimate * 1.33, `${source}: foreseen ${estimate}, came to ${size}`);
    if (!source.includes('{0'))
      assert.ok(estimate <= size * 4 + 20, `${source}: foreseen ${estimate}, came to ${size}`);
  }
  assert.ok(compiled > 1000, `only ${compiled} compiled`);
});

test('counted repetitions multiply, through groups too', () => {
  assert.ok(estimateProgramSize('(?:(?:a{10}b){10}c){10}') > 1000);
  assert.ok(estimateProgramSize('[{1000}]\\{1000}\\Q{1000}\\E') < 20);
});

test('repetitions that the parser refuses count as nothing', () => {
  for (const source of ['a{1001}', '(a{100}){11}', '(?:(a{1000}){1000}){1000}', 'a{1000}{1000}']) {
    assert.equal(estimateProgramSize(source), 0, source);
    assert.equal(programSize(source), undefined, source);
  }
});

test('groups get names of their own where they are groups', () => {
  assert.equal(renameGroups('(?P<n>a)(?<n>b)(c)'), '(?P<g1>a)(?P<g2>b)(c)');
  const untouched = '[(?P<n>]\\(?P<n>\\Q(?P<n>\\E[[:alpha:](?P<n>](?P<a-b>';
  assert.equal(renameGroups(untouched), untouched);
});
