import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTranslate } from '../../shared/translate.ts';
import { english } from '../text/en.ts';
import { parseCount, parseLabels, printLabels } from './label-text.ts';

const t = createTranslate(english, 'en');

test('labels are read as they are printed', () => {
  const labels = { team: 'payments', region: 'eu west', formula: 'a=b', empty: '' };
  assert.deepEqual(parseLabels(printLabels(labels), t), labels);
  assert.deepEqual(parseLabels('  team = payments \r\n\n', t), { team: 'payments' });
  assert.deepEqual(parseLabels('', t), {});
});

const WRONG = [
  ['team', /write \u201cteam\u201d as name=value/],
  ['=payments', /as name=value/],
  ['team=a\nteam=b', /team is given twice/],
] as const;
for (const [text, words] of WRONG)
  test(`${JSON.stringify(text)} is refused in words`, () => {
    assert.throws(() => parseLabels(text, t), words);
  });

test('a count is a whole number above 0, or none', () => {
  for (const [text, count] of [
    ['', null],
    [' 30 ', 30],
    ['10,000', 10_000],
    ['1 000 000', 1_000_000],
  ] as const)
    assert.equal(parseCount(text, 'Days: write a whole number'), count, text);
  for (const text of ['0', '-3', '1.5', '30 days', '1e3', '99999999999'])
    assert.throws(() => parseCount(text, 'Days: write a whole number'), /Days: write a whole number/, text);
});
