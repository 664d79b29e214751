import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnswerPrinter } from './answer-printer.ts';

function setUp() {
  let printed = '';
  const printer = new AnswerPrinter((text) => {
    printed += text;
  });
  return { printer, printed: () => printed };
}

test('pieces are printed once, also when they are sent again', () => {
  const { printer, printed } = setUp();
  printer.add(0, 'Check ');
  printer.add(6, 'the');
  printer.add(0, 'Check the');
  printer.add(20, 'lost');
  printer.finish('Check the pool');
  assert.equal(printed(), 'Check the pool\n');
});

test('a run that is started again goes on where its words are the same', () => {
  const { printer, printed } = setUp();
  printer.replace('');
  printer.add(0, 'Check the pool');
  printer.replace('');
  printer.add(0, 'Check ');
  printer.add(6, 'the pool');
  printer.add(14, ' first');
  printer.finish('Check the pool first');
  assert.equal(printed(), 'Check the pool first\n');
});

test('a run that is started again with other words is printed once on a new line', () => {
  const { printer, printed } = setUp();
  printer.add(0, 'Check the pool');
  printer.replace('');
  printer.add(0, 'Check ');
  printer.add(6, 'a log');
  printer.add(11, ' first');
  printer.finish('Check a log first');
  assert.equal(printed(), 'Check the pool\nCheck a log first\n');
});
