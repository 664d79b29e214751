import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  centsOfDecimal,
  exactCentsOfDecimal,
  isBilledKind,
  parseAmount,
  parseCostCents,
  readMinimumCost,
} from './cost.ts';

type Case = readonly [cost: string, kind: string, cents: number, isIncluded: boolean, display: string];

function check(cases: readonly Case[]): void {
  for (const [cost, kind, cents, isIncluded, display] of cases) {
    assert.deepEqual(parseCostCents(cost, kind), { cents, isIncluded, display }, `${cost} | ${kind}`);
  }
}

test('cost rule 1: empty, text Included or kind included is included and costs nothing', () => {
  check([
    ['', 'Usage-based', 0, true, 'Included'],
    ['', '', 0, true, 'Included'],
    ['Included', 'On-Demand', 0, true, 'Included'],
    ['included', '', 0, true, 'included'],
    ['$1.20', 'Included', 0, true, '$1.20'],
    ['0.19', 'Included in Pro', 0, true, '0.19'],
    ['-', 'included in Business', 0, true, '-'],
  ]);
});

test('cost rule 2: text No charge or Errored costs nothing and is not included', () => {
  check([
    ['No charge', 'Usage-based', 0, false, 'No charge'],
    ['Errored', '', 0, false, 'Errored'],
    ['-', 'Errored, No Charge', 0, false, '-'],
    ['', 'Errored, No Charge', 0, false, 'Errored, No Charge'],
    ['', 'Aborted, Not Charged', 0, false, 'Aborted, Not Charged'],
    ['$0.10', 'Errored, No Charge', 10, false, '$0.10'],
  ]);
});

test('cost rule 3: a dollar text with point or comma is rounded to cents on its digits', () => {
  check([
    ['$0.04', 'Usage-based', 4, false, '$0.04'],
    ['0,04', 'On-Demand', 4, false, '0,04'],
    ['$1,234.56', '', 123456, false, '$1,234.56'],
    ['1.234,5', '', 123450, false, '1.234,5'],
    ['$1,234', '', 123400, false, '$1,234'],
    ['1,234,567', '', 123456700, false, '1,234,567'],
    ['0,041', '', 4, false, '0,041'],
    ['$0.285', '', 29, false, '$0.285'],
    ['1.005', '', 101, false, '1.005'],
    ['0.004999', '', 0, false, '0.004999'],
    ['US$ 2', '', 200, false, 'US$ 2'],
    ['2.50 USD', '', 250, false, '2.50 USD'],
    ['2\u00a0$', '', 200, false, '2\u00a0$'],
    ['-$0.25', '', -25, false, '-$0.25'],
    ['$-0.285', '', -29, false, '$-0.285'],
    ['($3.10)', '', -310, false, '($3.10)'],
    ['.5', '', 50, false, '.5'],
    ['12.', '', 1200, false, '12.'],
  ]);
});

test('cost rule 4: an invalid amount costs nothing and is not included', () => {
  check([
    ['-', 'On-Demand', 0, false, '-'],
    ['NaN', '', 0, false, 'NaN'],
    ['Free', 'Free', 0, false, 'Free'],
    ['n/a', '', 0, false, 'n/a'],
    ['1.2.3', '', 0, false, '1.2.3'],
    ['$', '', 0, false, '$'],
    ['.', '', 0, false, '.'],
    ['--5', '', 0, false, '--5'],
    ['1e5', '', 0, false, '1e5'],
    ['€5', '', 0, false, '€5'],
  ]);
});

test('cents of a decimal text are never minus zero, and exact cents keep their fraction', () => {
  assert.ok(Object.is(centsOfDecimal('-0.001'), 0));
  assert.ok(Object.is(exactCentsOfDecimal('-0'), 0));
  assert.equal(exactCentsOfDecimal('0.285'), 28.5);
  assert.equal(exactCentsOfDecimal('-1.2345'), -123.45);
  assert.equal(exactCentsOfDecimal('12'), 1200);
  assert.equal(parseAmount('(-1)'), '1');
});

test('billed are the kinds that are paid by use', () => {
  for (const kind of ['On-Demand', 'Usage-based', 'USAGE_EVENT_KIND_USAGE_BASED', 'USAGE BASED']) {
    assert.equal(isBilledKind(kind), true, kind);
  }
  for (const kind of ['Included', 'User API Key', 'Free', '', 'Errored, No Charge']) {
    assert.equal(isBilledKind(kind), false, kind);
  }
});

test('rule A.6: the minimum cost is typed in US dollars; empty and nonsense turn it off', () => {
  assert.equal(readMinimumCost('0.5'), 50);
  assert.equal(readMinimumCost('0,5'), 50);
  assert.equal(readMinimumCost('$2'), 200);
  assert.equal(readMinimumCost('0'), 0);
  for (const text of ['', ' ', 'abc', '-1']) assert.equal(readMinimumCost(text), undefined, text);
});
