import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readInstant } from './instant.ts';

const at = Date.parse('2026-05-04T09:30:00Z');
const READ: readonly (readonly [string | number, number])[] = [
  [at, at],
  [String(at), at],
  [at / 1000, at],
  [String(at / 1000), at],
  ['2026-05-04T09:30:00Z', at],
  ['2026-05-04T09:30', at],
  ['2026-05-04 09:30:00', at],
  ['2026-05-04T11:30:00+02:00', at],
  ['2026-05-04T06:00:00-0330', at],
  ['2026-05-04T09:30:00.250z', at + 250],
  ['2026-05-04T09:30:00.123456789Z', at + 123],
  [' 2026-05-04 ', Date.parse('2026-05-04T00:00:00Z')],
];
for (const [value, expected] of READ) {
  test(`the start ${JSON.stringify(value)} is read`, () => assert.equal(readInstant(value, 'start'), expected));
}

test('a date as an end is the last millisecond of its day', () => {
  assert.equal(readInstant('2026-05-04', 'end'), Date.parse('2026-05-04T23:59:59.999Z'));
});

for (const value of [
  '',
  'now',
  '2026-02-30',
  '2026-13-01',
  '2026-05-04T24:00',
  '2026-05-04T09:60',
  '12345',
  12345,
  -1,
  1.5,
  Number.NaN,
  '1999-12-31',
  '2100-01-02',
  9e15,
  '2026-5-4',
  '2026-05-04T09:30:00 Europe/Berlin',
]) {
  test(`${JSON.stringify(value)} is no instant`, () => assert.equal(readInstant(value, 'start'), undefined));
}
