import assert from 'node:assert/strict';
import { test } from 'node:test';
import { complete, completionAt, optionsFor } from './completion.ts';

const people = [
  { id: 'ana', name: 'Ana Diaz' },
  { id: 'ben', name: 'Ben' },
  { id: 'diana', name: 'Diana' },
];

const sources = {
  people: () => people,
  commands: () => ['silence', 'unsilence', 'ask'].map((name) => ({ name, hint: `about ${name}`, help: '' })),
};

const cases: readonly (readonly [text: string, expected: string | undefined])[] = [
  ['hello @an', 'mention an'],
  ['@', 'mention '],
  ['(@be', 'mention be'],
  ['mail@an', undefined],
  ['so :thu', 'emoji thu'],
  ['at 10:30', undefined],
  ['see:th', undefined],
  ['/si', 'command si'],
  ['a /si', undefined],
  ['//si', undefined],
  ['/silence 2h', undefined],
  ['@ana and', undefined],
];
for (const [text, expected] of cases) {
  test(`“${text}” ${expected ? `completes ${expected}` : 'completes nothing'}`, () => {
    const found = completionAt(text, text.length);
    assert.equal(found && `${found.kind} ${found.query}`, expected);
  });
}

test('names with the prefix are before names that contain it', () => {
  const labels = optionsFor({ kind: 'mention', query: 'an', from: 0 }, sources).map(({ label }) => label);
  assert.deepEqual(labels, ['@ana', '@diana']);
});

test('a person is found by the last name too', () => {
  assert.equal(optionsFor({ kind: 'mention', query: 'diaz', from: 0 }, sources)[0]?.label, '@ana');
});

test('the choice replaces the typed prefix, and the text after it stays', () => {
  const text = 'hi @an, are you there';
  const found = completionAt(text, 6);
  const [option] = found ? optionsFor(found, sources) : [];
  assert.ok(found && option);
  assert.deepEqual(complete(text, 6, found, option), { text: 'hi @ana , are you there', caret: 8 });
});

test('an emoji is found by any of its names', () => {
  assert.equal(optionsFor({ kind: 'emoji', query: 'tada', from: 0 }, sources)[0]?.label, '\u{1f389}');
});

test('a command is completed by the list of the server', () => {
  assert.deepEqual(optionsFor({ kind: 'command', query: 'si', from: 0 }, sources), [
    { label: '/silence', hint: 'about silence', insert: '/silence ' },
  ]);
});
