import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cutSnippet } from './snippet.ts';
import type { SearchTerm } from './store.ts';

const term = (words: string, prefix = false, not = false): SearchTerm => ({ words: words.split(' '), prefix, not });

/** The matches, as marked in the snippet. */
function found(body: string, ...terms: readonly SearchTerm[]): readonly string[] {
  const { snippet, offsets } = cutSnippet(body, terms);
  return offsets.map(([start, end]) => snippet.slice(start, end));
}

const LONG = 'long '.repeat(100);

const FINDS: readonly (readonly [string, string, readonly SearchTerm[], readonly string[]])[] = [
  ['every place', 'pool, Pool and pools', [term('pool')], ['pool', 'Pool']],
  ['without case and accents', 'ÉCLAIR e\u0301clair', [term('eclair')], ['ÉCLAIR', 'e\u0301clair']],
  ['with ß as ss', 'Grüße, GRÜSSE', [term('grusse')], ['Grüße', 'GRÜSSE']],
  ['ss as ß', 'Grüße, GRÜSSE', [term('grüß', true)], ['Grüße', 'GRÜSSE']],
  ['a beginning marks the word', 'connections', [term('conn', true)], ['connections']],
  ['a phrase is one', 'is full, is  full', [term('is full')], ['is full', 'is  full']],
  ['what overlaps is one', 'a b c', [term('a b'), term('b c')], ['a b c']],
  ['what must not be there is not marked', 'one two', [term('one'), term('two', false, true)], ['one']],
  ['after characters of two units', '🦊🦊 fox', [term('fox')], ['fox']],
  ['far inside a text', `${LONG}needle ${LONG}`, [term('needle')], ['needle']],
  ['at the end of a text', `${LONG}needle`, [term('needle')], ['needle']],
  ['a part of a text without spaces', 'これは日本語テキスト', [term('日本')], ['日本']],
  ['other syllables as others', 'が か', [term('が')], ['が']],
  ['words beside them', 'deploy完了しました', [term('deploy'), term('完了')], ['deploy', '完了']],
  ['nothing asked', 'text', [], []],
  ['only signs asked', 'text', [term('…')], []],
];

for (const [rule, body, terms, marks] of FINDS) {
  test(`a snippet shows ${rule}`, () => assert.deepEqual(found(body, ...terms), marks));
}

test('a snippet is a part of the body, and cuts no character in two', () => {
  for (let lead = 0; lead < 300; lead += 7) {
    const body = `${'🦊'.repeat(lead)}x needle ${'🦊'.repeat(200)}`;
    const { snippet } = cutSnippet(body, [term('needle')]);
    assert.ok(snippet.length <= 200 && body.includes(snippet) && snippet.includes('needle'), `lead ${lead}`);
    assert.ok(snippet.isWellFormed(), `lead ${lead}`);
  }
});
