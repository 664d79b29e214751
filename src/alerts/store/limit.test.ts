import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alertOf } from '../testing/parts.ts';
import { AlertLimit } from './limit.ts';

const named = (alertname: string, n: number, endsAt: number) => alertOf({ alertname, n: String(n) }, { endsAt });

test('without a limit every alert is accepted', () => {
  for (const limit of [new AlertLimit(0), new AlertLimit(-1)]) {
    for (let n = 0; n < 50; n++) assert.ok(limit.admit(named('A', n, 100), 0));
  }
});

test('each alert name has the limit for itself', () => {
  const limit = new AlertLimit(2);
  const admitted = ['A', 'A', 'A', 'B', 'B', 'B', 'A'].map((name, n) => limit.admit(named(name, n, 100), 0));
  assert.deepEqual(admitted, [true, true, false, true, true, false, false]);
});

test('alerts without a name share their places', () => {
  const limit = new AlertLimit(1);
  assert.ok(limit.admit(alertOf({ job: 'a' }, { endsAt: 100 }), 0));
  assert.ok(!limit.admit(alertOf({ job: 'b' }, { endsAt: 100 }), 0));
});

test('an alert with a place is accepted again, and keeps its place until its new end', () => {
  const limit = new AlertLimit(1);
  assert.ok(limit.admit(named('A', 1, 100), 0));
  assert.ok(limit.admit(named('A', 1, 200), 50));
  assert.ok(!limit.admit(named('A', 2, 300), 150));
});

test('the place of the alert that ends first is free when it has ended', () => {
  const limit = new AlertLimit(2);
  limit.admit(named('A', 1, 100), 0);
  limit.admit(named('A', 2, 50), 0);
  assert.ok(!limit.admit(named('A', 3, 200), 49));
  assert.ok(limit.admit(named('A', 3, 200), 50));
  // It took the place of the second.
  assert.ok(!limit.admit(named('A', 2, 200), 60));
  assert.ok(limit.admit(named('A', 1, 200), 60));
});

test('a removed alert frees its place; one without a place frees nothing', () => {
  const limit = new AlertLimit(1);
  limit.admit(named('A', 1, 100), 0);
  limit.release(named('A', 2, 100));
  limit.release(named('B', 1, 100));
  assert.ok(!limit.admit(named('A', 2, 100), 0));
  limit.release(named('A', 1, 100));
  assert.ok(limit.admit(named('A', 2, 100), 0));
});
