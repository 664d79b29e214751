import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertLinear } from '../../../testing/linear-time.ts';
import { CallError } from '../callable.ts';
// What Go 1.26 gave for each case.
import measured from '../testdata/go-printf-cases.json' with { type: 'json' };
import { assertSame, valueFrom, type WrittenValue } from '../testdata/go-printf-values.ts';
import { GoList, type GoValue } from '../value.ts';
import { parseFloatText } from './float.ts';
import { encodeJson } from './json.ts';
import { formatValue, sprint, sprintf, sprintln } from './printf.ts';

interface Cases {
  readonly printf: readonly {
    readonly format: string;
    readonly args: readonly WrittenValue[];
    readonly text: string;
  }[];
  readonly print: readonly {
    readonly args: readonly WrittenValue[];
    readonly print: string;
    readonly println: string;
  }[];
  readonly json: readonly { readonly value: WrittenValue; readonly text?: string; readonly error?: string }[];
}

const cases: Cases = measured as unknown as Cases;

test('printf prints the same as Go, for all verbs, flags and kinds of values', () => {
  assertSame(cases.printf, (c) => [sprintf(c.format, c.args.map(valueFrom)), c.text]);
});

test('print and println put spaces where Go puts them', () => {
  assertSame(cases.print, ({ args, print, println }) => {
    const values = args.map(valueFrom);
    return [
      [sprint(values), sprintln(values)],
      [print, println],
    ];
  });
});

test('values become the JSON that Go makes of them, or are refused in its words', () => {
  assertSame(cases.json, ({ value, text, error }) => {
    const encoded = encodeJson(valueFrom(value));
    return [encoded.ok ? encoded.value : encoded.reason, error ?? text];
  });
});

test('half a surrogate pair is written as a replacement character', () => {
  assert.equal(sprintf('%q', ['a\ud800']), '"a\ufffd"');
  assert.equal(sprintf('%x', ['\ud800']), 'efbfbd');
  const encoded = encodeJson('\ud83d');
  assert.equal(encoded.ok && encoded.value, '"\ufffd"');
});

test('an address is printed, though a made-up one', () => {
  assert.equal(sprintf('%p', [valueFrom({ strings: ['a'] })]), '0xc000010000');
  assert.equal(sprintf('%p', ['a']), '%!p(string=a)');
});

test('a value prints by %v where no verb is given', () => {
  assert.equal(formatValue(5n), '5');
  assert.equal(formatValue(null), '<nil>');
  assert.equal(formatValue(1e21), '1e+21');
});

test('a format whose widths would fill the memory is an error', () => {
  assert.equal(sprintf('%1000000d', [1n]).length, 1_000_000);
  const widths = Array.from({ length: 100 }, () => 1n);
  assert.throws(() => sprintf('%1000000d'.repeat(100), widths), CallError);
});

test('a value that nests lists without end is an error, not the end of the stack', () => {
  let value: GoValue = 1n;
  for (let depth = 0; depth < 100_000; depth++) value = new GoList('[]interface {}', [value]);
  assert.throws(() => formatValue(value), CallError);
  assert.throws(() => encodeJson(value), CallError);
});

test('long numbers are read in a time that grows no faster than they do', () => {
  for (const [start, digit, end] of [
    ['', '1', 'x'],
    ['0x', 'f', 'p0'],
  ] as const)
    assertLinear(
      start + digit,
      (length) => start + digit.repeat(length) + end,
      (text) => assert.equal(parseFloatText(text).ok, false),
    );
});
