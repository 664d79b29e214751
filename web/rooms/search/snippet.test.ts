import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSnippet } from './snippet.ts';

const shown = (snippet: string, ...words: readonly string[]) =>
  readSnippet({
    snippet,
    offsets: words.map((word) => [snippet.indexOf(word), snippet.indexOf(word) + word.length] as const),
  })
    .map(({ text, isHit }) => (isHit ? `<${text}>` : text))
    .join('');

test('a match is marked at any place', () => {
  assert.equal(shown('the payout job', 'payout'), 'the <payout> job');
  assert.equal(shown('payout and job', 'payout', 'job'), '<payout> and <job>');
  assert.equal(shown('nothing'), 'nothing');
});

test('Markdown marks are not shown, those of sums and code are', () => {
  assert.equal(
    shown('it took **40 minutes**: ```sql select * from a_b', 'took'),
    'it <took> 40 minutes : select * from a_b',
  );
  assert.equal(shown('| table | rows | |---|:--:| | payouts | 48 M |', 'payouts'), ' table rows <payouts> 48 M ');
  assert.equal(shown('a - b > c'), 'a - b > c');
});
