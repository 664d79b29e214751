import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ParseWarning } from '../domain/matcher/parse.ts';
import { readFlag, readMatchers, readParameters, readReceiver, readReceiverMatchers } from './query.ts';

test('a flag is true for ten words in any case and false for any other', () => {
  for (const word of [
    'true',
    '1',
    'yes',
    'ok',
    'y',
    'on',
    'selected',
    'checked',
    't',
    'enabled',
    'TRUE',
    'Yes',
    'oN',
  ]) {
    assert.equal(readFlag([word]), true, word);
    assert.equal(readFlag([word], false), true, word);
  }
  for (const word of [
    'false',
    '0',
    'no',
    'n',
    'off',
    'f',
    'perhaps',
    ' true',
    'true ',
    '2',
    'null',
    'TRUE!',
    '\u212a',
  ]) {
    assert.equal(readFlag([word]), false, word);
  }
});

test('of a repeated flag the last one counts; an absent or empty one is its default', () => {
  const cases: readonly (readonly [readonly string[], boolean, expected: boolean])[] = [
    [[], true, true],
    [[], false, false],
    [[''], true, true],
    [[''], false, false],
    [['false', ''], true, true],
    [['', 'false'], true, false],
    [['false', 'true'], true, true],
    [['true', 'false'], true, false],
  ];
  for (const [values, fallback, expected] of cases) {
    assert.equal(readFlag(values, fallback), expected, `${JSON.stringify(values)} ${fallback}`);
  }
});

test('parameters repeat, and may have a name with a meaning in JavaScript', () => {
  const parameters = readParameters('http://h/api/v2/alerts?filter=a%3D%22b%22&__proto__=x&filter=c+d%2B&active');
  assert.deepEqual(parameters.getAll('filter'), ['a="b"', 'c d+']);
  assert.deepEqual(parameters.getAll('__proto__'), ['x']);
  assert.deepEqual(parameters.getAll('active'), ['']);
  assert.deepEqual(parameters.getAll('constructor'), []);
  assert.deepEqual(readParameters('http://h/api/v2/alerts').getAll('filter'), []);
});

test('a pair that Go could not read is left out, and invalid UTF-8 stays invalid in the text', () => {
  const valuesOf = (query: string) => readParameters(`/x?${query}`).getAll('a');
  const cases: readonly (readonly [query: string, values: readonly string[]])[] = [
    ['a=1;b=2&a=3', ['3']],
    ['a=%zz&a=%&a=%4&a=4', ['4']],
    ['a=b=c&a==', ['b=c', '=']],
    ['&&a=1&', ['1']],
    ['=a&%61=2', ['2']],
    ['a', ['']],
    ['a=%C3%A9+%F0%9F%98%80%2B', ['é 😀+']],
    ['a=x%FFy', ['x\udcffy']],
    ['a=%C3&a=%C3%A9%C3', ['\udcff', 'é\udcff']],
  ];
  for (const [query, values] of cases) assert.deepEqual(valuesOf(query), values, query);
});

test('a value of invalid UTF-8 is refused, in valid UTF-8', () => {
  const reading = { mode: 'fallback', onWarning: () => {} } as const;
  const values = readParameters('/x?filter=a%3D%FF&receiver=%FF').getAll('filter');
  assert.deepEqual(readMatchers(values, reading), {
    ok: false,
    reason: 'matcher value not valid UTF-8: \ufffd',
  });
  assert.deepEqual(readReceiver(['\udcff']), {
    ok: false,
    reason: 'failed to parse receiver param: error parsing regexp: invalid UTF-8: `\ufffd`',
  });
});

test('matchers are read one per parameter, and the first invalid one is the reason', () => {
  const warnings: ParseWarning[] = [];
  const reading = { mode: 'fallback', onWarning: (warning: ParseWarning) => warnings.push(warning) } as const;
  const read = readMatchers(['a="b"', 'c!~d.*', 'é=x'], reading);
  assert.ok(read.ok);
  assert.deepEqual(
    read.value.map(({ name, operator, value }) => name + operator + value),
    ['a=b', 'c!~d.*', 'é=x'],
  );
  assert.deepEqual(warnings, []);
  assert.deepEqual(readMatchers(['a=b', 'nope', 'x~y'], reading), { ok: false, reason: 'bad matcher format: nope' });
  assert.deepEqual(readMatchers([''], reading), { ok: false, reason: 'bad matcher format: ' });
});

test('a matcher that only the classic syntax allows is read and reported', () => {
  const inputs: string[] = [];
  const read = readMatchers(['a=b c'], { mode: 'fallback', onWarning: ({ input }) => inputs.push(input) });
  assert.ok(read.ok);
  assert.equal(read.value[0]?.value, 'b c');
  assert.deepEqual(inputs, ['a=b c']);
});

test('bad receiver matchers are refused in words of their own', () => {
  const reading = { mode: 'fallback', onWarning: () => {} } as const;
  const reason = 'failed to parse receiver_matchers param: bad matcher format: nope';
  assert.deepEqual(readReceiverMatchers(['nope'], reading), { ok: false, reason });
  assert.ok(readReceiverMatchers(['name=~"a|b"'], reading).ok);
});

test('a receiver is a regular expression for the whole name; the last one counts, an empty one counts as absent', () => {
  const test = (values: readonly string[], name: string) => {
    const read = readReceiver(values);
    assert.ok(read.ok);
    return read.value?.test(name);
  };
  assert.equal(test([], 'x'), undefined);
  assert.equal(test(['x', ''], 'x'), undefined);
  assert.equal(test(['team'], 'team-a'), false);
  assert.equal(test(['team.*'], 'team-a'), true);
  assert.equal(test(['a|team'], 'team-a'), false);
  assert.equal(test(['y', 'x'], 'x'), true);
  const reason = 'failed to parse receiver param: error parsing regexp: missing closing ): `^(?:()$`';
  assert.deepEqual(readReceiver(['(']), { ok: false, reason });
});
