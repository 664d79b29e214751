import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSnippet } from './snippet.ts';

/** `snippet`: of the server, with matches at `words`; `text`: as a reader sees it. */
const shown = (snippet: string, text: string, ...words: readonly string[]) =>
  readSnippet(
    {
      snippet,
      offsets: words.map((word) => [snippet.indexOf(word), snippet.indexOf(word) + word.length] as const),
    },
    text,
  )
    .map(({ text: piece, isHit }) => (isHit ? `<${piece}>` : piece))
    .join('');

test('matches are marked in the text as a reader sees it, wherever they are', () => {
  assert.equal(shown('the **payout** [job](https://x)', 'the payout job', 'payout'), 'the <payout> job');
  assert.equal(shown('payout and job', 'payout and job', 'payout', 'job'), '<payout> and <job>');
  assert.equal(shown('Payout', 'Payout, payout, repayout', 'Payout'), '<Payout>, <payout>, repayout');
  assert.equal(shown('a+b (c)', 'a+b (c)', '(c)'), 'a+b <(c)>');
  assert.equal(shown('nothing', 'nothing'), 'nothing');
});

test('of a long text the part with the first match is shown', () => {
  const text = `${'word '.repeat(100)}payout ${'more '.repeat(100)}`;
  const part = shown('payout', text, 'payout');
  assert.match(part, /^\u2026word .*<payout> more .*\u2026$/);
  assert.equal(part.length < 210, true);
  assert.equal(shown('', text).length, 201);
});

test('a match that a reader does not see is shown in the snippet, without marks of Markdown', () => {
  assert.equal(
    shown('it took **40 minutes**: ```sql select * from a_b', 'elsewhere', 'took'),
    'it <took> 40 minutes : select * from a_b',
  );
  assert.equal(shown('| table | rows | |---|:--:| | payouts | 48 M |', '', 'payouts'), ' table rows <payouts> 48 M ');
  assert.equal(shown('a - b > c', '', 'b'), 'a - <b> > c');
});
