import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RE2JS } from 're2js';
import { Random } from '../../testing/random.ts';
import { anchoredShape, unanchoredShape } from './shape.ts';

const PIECES = [
  'a',
  'b',
  'ab',
  'ba',
  '.*',
  '.*',
  '.+',
  '.*?',
  '.+?',
  '|',
  '|',
  '^',
  '$',
  '\\.',
  '.',
  '\n',
  '\\\n',
  'é',
];
const ODD_PIECES = ['😀', '😁', ']', '}', '\\|', '\\{', '(', ')', '(?:', '\\', '?', '*', '{2}', '\\Q', '\\d', '[', '-'];
const TEXTS = [
  'a',
  'b',
  'ab',
  'ba',
  'aba',
  'x',
  'é',
  '😀',
  '😁',
  '.',
  '|',
  ']',
  '}',
  '^',
  '$',
  '\n',
  '-',
  '\\',
  '{',
  '',
];

function randomSource(random: Random): string {
  let source = '';
  for (let left = random.int(0, 6); left > 0; left--) source += random.pick(random.chance(0.8) ? PIECES : ODD_PIECES);
  if (random.chance(0.1)) source = `(${random.chance(0.5) ? '?:' : ''}${source})`;
  if (random.chance(0.1)) source = `^${source}$`;
  return source;
}

function randomTexts(random: Random): string[] {
  const texts = ['', 'a', 'b', 'ab', '\n', 'a\n', '\na', '😀'];
  for (let left = 20; left > 0; left--) {
    texts.push(Array.from({ length: random.int(0, 6) }, () => random.pick(TEXTS)).join(''));
  }
  return texts;
}

function compile(expression: string): RE2JS | undefined {
  try {
    return RE2JS.compile(expression);
  } catch {
    return undefined;
  }
}

function checkAgainstAutomaton(seed: number, shape: typeof anchoredShape, frame: (source: string) => string): number {
  const random = new Random(seed);
  let shaped = 0;
  for (let round = 0; round < 6000; round++) {
    const source = randomSource(random);
    const test = shape(source);
    if (!test) continue;
    shaped++;
    const automaton = compile(frame(source));
    assert.ok(automaton, `${JSON.stringify(source)} is no regular expression, yet was given a shape`);
    for (const text of randomTexts(random)) {
      assert.equal(test(text), automaton.test(text), `${JSON.stringify(source)} on ${JSON.stringify(text)}`);
    }
  }
  return shaped;
}

test('a shape around the whole text answers as the automaton does', () => {
  const shaped = checkAgainstAutomaton(1, anchoredShape, (source) => `^(?:${source})$`);
  assert.ok(shaped > 1500, `only ${shaped} of the generated sources have a shape`);
});

test('a shape anywhere in the text answers as the automaton does', () => {
  const shaped = checkAgainstAutomaton(2, unanchoredShape, (source) => source);
  assert.ok(shaped > 600, `only ${shaped} of the generated sources have a shape`);
});

test('literals, their alternatives, and wildcards between literals need no automaton', () => {
  const shaped = [
    '',
    'a',
    'a\\.b',
    'a|b|c',
    '^(a|b)$',
    '(?:a|b)',
    '.*',
    '.+',
    'a.*',
    '.*a',
    '.*a.*',
    'a.*b.+c',
    'a.*|b.*|c',
  ];
  for (const source of shaped) assert.ok(anchoredShape(source), source);
  for (const source of ['a', 'a\\.b', 'a|b']) assert.ok(unanchoredShape(source), source);
});

test('any other pattern is left to the automaton', () => {
  const others = [
    'a.b',
    'a?',
    'a*',
    '[ab]',
    'a(b|c)',
    '(a)(b)',
    '(?i)a',
    '\\d',
    '\\Qa\\E',
    'a{2}',
    '.+.+',
    '.*\n',
    '\\',
    '(a\\)',
    '$a',
  ];
  for (const source of others) assert.equal(anchoredShape(source), undefined, source);
  for (const source of ['^a', 'a$', '.*', 'a.*']) assert.equal(unanchoredShape(source), undefined, source);
});
