import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CLOSED_CIRCUIT, circuitAfter, openForMs } from './circuit-breaker.ts';

const after = (times: readonly number[]) =>
  times.reduce((circuit, at) => circuitAfter(circuit, 'failed', at), CLOSED_CIRCUIT);

test('five failures within a minute open the circuit for half a minute', () => {
  assert.equal(openForMs(after([0, 1, 2, 3]), 3), 0);
  assert.equal(openForMs(after([0, 1, 2, 3, 4]), 4), 30_000);
  assert.equal(openForMs(after([0, 1, 2, 3, 4]), 30_004), 0);
});

test('failures far apart do not', () => assert.equal(openForMs(after([0, 20_000, 40_000, 60_000, 80_000]), 80_000), 0));

test('an answer closes it; after a rest one more failure is enough', () => {
  const open = after([0, 1, 2, 3, 4]);
  assert.equal(openForMs(circuitAfter(open, 'failed', 40_000), 40_000), 30_000);
  assert.equal(openForMs(circuitAfter(circuitAfter(open, 'ok', 40_000), 'failed', 40_001), 40_001), 0);
});

test('a clock that goes back does not keep it open until the earlier time returns', () =>
  assert.equal(openForMs(after([3_600_000, 3_600_001, 3_600_002, 3_600_003, 3_600_004]), 1_000), 0));
