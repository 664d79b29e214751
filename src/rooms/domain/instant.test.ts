import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readInstant } from './instant.ts';

const NOON = Date.UTC(2026, 0, 31, 12);

test('an instant is a day or a time with its zone', () => {
  for (const [text, at] of [
    ['2026-01-31', Date.UTC(2026, 0, 31)],
    ['2026-01-31T12:00:00Z', NOON],
    ['2026-01-31t12:00z', NOON],
    ['2026-01-31T12:00:00.250Z', NOON + 250],
    ['2026-01-31T17:30:00+05:30', NOON],
    ['2026-01-31T23:30:00-12:00', NOON + 84_600_000],
    ['2028-02-29', Date.UTC(2028, 1, 29)],
  ] as const)
    assert.equal(readInstant(text), at, text);
});

test('an impossible day, and a time without its zone, is invalid', () => {
  const wrong = [
    '2026-02-29',
    '2026-02-30T00:00:00Z',
    '2026-11-31',
    '2026-13-01',
    '2026-01-00',
    '2026-04-31T12:00:00+02:00',
  ];
  for (const text of [...wrong, '2026-01-31T12:00:00', '2026-01-31T25:00:00Z', '2026-01-31T12:00:60Z', 'today', ''])
    assert.equal(readInstant(text), undefined, text);
});
