import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clause } from '../../../src/relay/domain/flag.ts';
import { createTranslate } from '../text/translate.ts';
import { clauseWords, rolloutWords } from './words.ts';

const [en, de] = [createTranslate('en'), createTranslate('de')];
const clause = (fields: Partial<Clause>): Clause => ({
  contextKind: '',
  attribute: 'email',
  op: 'endsWith',
  values: ['@example.org'],
  negate: false,
  ...fields,
});

const clauses: readonly (readonly [fields: Partial<Clause>, english: string, german: string])[] = [
  [{}, 'user email|ends with|"@example.org"', 'user email|endet mit|"@example.org"'],
  [{ negate: true }, 'user email|does not end with|"@example.org"', 'user email|endet nicht mit|"@example.org"'],
  [{ op: 'in', values: [1] }, 'user email|is|1', 'user email|ist|1'],
  [{ op: 'in', values: [1, 2], negate: true }, 'user email|is none of|1 2', 'user email|ist keines von|1 2'],
  [{ contextKind: 'org', attribute: 'plan', op: 'in' }, 'org plan|is|"@example.org"', 'org plan|ist|"@example.org"'],
  [
    { attribute: '', op: 'segmentMatch', values: ['beta'] },
    '|the context is in the segment|"beta"',
    '|der Kontext ist im Segment|"beta"',
  ],
  [{ op: 'odd' }, 'user email|satisfies odd|"@example.org"', 'user email|erfüllt odd|"@example.org"'],
];
for (const [fields, inEnglish, inGerman] of clauses) {
  test(`a clause in words: ${inEnglish}`, () => {
    for (const [t, expected] of [
      [en, inEnglish],
      [de, inGerman],
    ] as const) {
      const { subject, operator, values, more } = clauseWords(clause(fields), t);
      assert.equal(`${subject}|${operator}|${values.join(' ')}`, expected);
      assert.equal(more, 0);
    }
  });
}

const OPERATORS =
  'in startsWith endsWith matches contains lessThan lessThanOrEqual greaterThan greaterThanOrEqual before after semVerEqual semVerLessThan semVerGreaterThan segmentMatch';

test('every operator has words, negated too', () => {
  for (const op of OPERATORS.split(' '))
    for (const negate of [false, true])
      assert.doesNotMatch(clauseWords(clause({ op, negate }), en).operator, /satisf/, op);
});

test('of many values the first are shown, and the others counted', () => {
  const { values, more } = clauseWords(clause({ values: Array.from({ length: 30 }, (_, n) => n) }), en);
  assert.deepEqual([values.length, more], [12, 18]);
});

test('a rollout names the attribute it splits by, unless it is the key of the user', () => {
  const rollout = { kind: '', contextKind: '', bucketBy: '', seed: undefined, variations: [] };
  assert.equal(rolloutWords(rollout, en), undefined);
  assert.equal(rolloutWords({ ...rollout, contextKind: 'org', bucketBy: 'plan' }, en), 'by org plan');
  assert.equal(rolloutWords({ ...rollout, kind: 'experiment', bucketBy: 'plan' }, de), 'Experiment, nach user key');
});
