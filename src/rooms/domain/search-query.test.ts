import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mutateText } from '../../testing/mutation.ts';
import { Random } from '../../testing/random.ts';
import { parseSearch, type SoughtMessages, type SoughtTerm } from './search-query.ts';

const word = (...words: string[]): SoughtTerm => ({ words, prefix: false, not: false });
const not = (term: SoughtTerm): SoughtTerm => ({ ...term, not: true });
const beginning = (term: SoughtTerm): SoughtTerm => ({ ...term, prefix: true });

const QUERIES: readonly (readonly [text: string, sought: SoughtMessages])[] = [
  ['', { terms: [] }],
  ['  ', { terms: [] }],
  ['hello', { terms: [word('hello')] }],
  ['hello  world', { terms: [word('hello'), word('world')] }],
  ['"hello world"', { terms: [word('hello', 'world')] }],
  ['"hello world', { terms: [word('hello', 'world')] }],
  ['a"b c"d', { terms: [word('a'), word('b', 'c'), word('d')] }],
  ['-hello', { terms: [not(word('hello'))] }],
  ['-"hello world"', { terms: [not(word('hello', 'world'))] }],
  ['hel*', { terms: [beginning(word('hel'))] }],
  ['"hello wor"*', { terms: [beginning(word('hello', 'wor'))] }],
  ['web-01.example', { terms: [word('web', '01', 'example')] }],
  ['c++ - -- * "" !', { terms: [word('c')] }],
  ['Grüße שלום 日本', { terms: [word('Grüße'), word('שלום'), word('日本')] }],
  ['a OR b AND NOT (c)', { terms: ['a', 'OR', 'b', 'AND', 'NOT', 'c'].map((text) => word(text)) }],
  ['from:ana', { terms: [], from: 'ana' }],
  ['FROM:@Ana x', { terms: [word('x')], from: 'ana' }],
  ['in:#ops in:dev', { terms: [], in: 'dev' }],
  ['has:file has:link', { terms: [], has: 'link' }],
  ['type:alert', { terms: [], type: 'alert' }],
  ['before:2026-01-31', { terms: [], before: Date.UTC(2026, 0, 31) }],
  ['after:2026-01-31T09:00:00Z', { terms: [], after: Date.UTC(2026, 0, 31, 9) }],
  ['after:"2026-01-31T09:00:00+01:00"', { terms: [], after: Date.UTC(2026, 0, 31, 8) }],
  ['http://example.com/a', { terms: [word('http', 'example', 'com', 'a')] }],
  ['fromage:x', { terms: [word('fromage', 'x')] }],
];

for (const [text, sought] of QUERIES) {
  test(`the search ${JSON.stringify(text)}`, () => {
    assert.deepEqual(parseSearch(text), { ok: true, value: sought });
  });
}

for (const [text, reason] of [
  ['has:cat', 'has'],
  ['type:joke', 'type'],
  ['before:yesterday', 'before'],
  ['after:2026-02-30', 'after'],
  ['from:', 'from'],
  ['in:""', 'in'],
  ['x'.repeat(1_001), 'longer'],
  ['x '.repeat(33), 'more than 32'],
] as const) {
  test(`the search ${JSON.stringify(text.slice(0, 30))} is refused`, () => {
    const outcome = parseSearch(text);
    assert.ok(
      !outcome.ok && outcome.code === 'invalid_query' && outcome.reason.includes(reason),
      JSON.stringify(outcome),
    );
  });
}

test('a printed search is parsed to the same search', () => {
  const random = new Random(4);
  const words = ['a', 'Web', '01', 'é', '日本', 'or', 'from'];
  for (let n = 0; n < 500; n++) {
    const terms = Array.from({ length: random.int(0, 5) }, () => ({
      words: Array.from({ length: random.int(1, 3) }, () => random.pick(words)),
      prefix: random.chance(0.3),
      not: random.chance(0.3),
    }));
    const sought: SoughtMessages = {
      terms,
      ...(random.chance(0.3) ? { from: 'ana' } : {}),
      ...(random.chance(0.3) ? { in: 'ops' } : {}),
      ...(random.chance(0.3) ? { has: 'file' as const } : {}),
      ...(random.chance(0.3) ? { before: Date.UTC(2026, 4, n % 28) } : {}),
    };
    assert.deepEqual(parseSearch(print(sought)), { ok: true, value: sought }, print(sought));
  }
});

test('any input is read or refused; words hold letters and digits only', () => {
  const random = new Random(5);
  for (let n = 0; n < 2_000; n++) {
    let text = random.pick(QUERIES)[0];
    for (let left = random.int(1, 6); left > 0; left--) text = mutateText(random, text);
    const outcome = parseSearch(text);
    if (!outcome.ok) continue;
    for (const { words } of outcome.value.terms)
      for (const one of words) assert.match(one, /^[\p{L}\p{N}\p{M}]+$/u, JSON.stringify(text));
  }
});

function print({ terms, before, ...filters }: SoughtMessages): string {
  const printed = terms.map(
    ({ words, prefix, not: without }) => `${without ? '-' : ''}"${words.join(' ')}"${prefix ? '*' : ''}`,
  );
  for (const [name, value] of Object.entries(filters)) printed.push(`${name}:${value}`);
  if (before !== undefined) printed.push(`before:${new Date(before).toISOString()}`);
  return printed.join(' ');
}
