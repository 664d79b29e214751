import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guessUser } from './file.ts';

test('the user of a file is the label in its name, as a word', () => {
  const labels = ['info', 'slope', 'in', 'info-two'];
  assert.equal(guessUser('usage-events-info.csv', labels), 'info');
  assert.equal(guessUser('Slope 2026-06.csv', labels), 'slope');
  assert.equal(guessUser('usage_slope_june.csv', labels), 'slope');
  assert.equal(guessUser('usage-info-two.csv', labels), 'info-two');
  assert.equal(guessUser('information.csv', labels), undefined);
  assert.equal(guessUser('slopes.csv', labels), undefined);
  assert.equal(guessUser('', labels), undefined);
});
