import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLongRound } from '../../../src/testing/long-round.ts';
import { createFormat, dateIn, instantOf, wallTimeIn } from './format.ts';

const ZONES = ['Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe', 'UTC'];
const at = (iso: string) => Date.parse(iso);

test('law: the instant of a wall time shows that wall time again', { only: isLongRound }, () => {
  for (const zone of ZONES)
    for (let hour = 0; hour < 24 * 366; hour += isLongRound ? 7 : 37) {
      const wall = wallTimeIn(zone, at('2026-01-01T00:00Z') + hour * 3_600_000);
      const instant = instantOf(zone, wall);
      assert.ok(instant !== undefined);
      assert.equal(wallTimeIn(zone, instant), wall, `${zone} ${wall}`);
    }
});

test('a repeated hour is its first occurrence, a skipped hour the instant after the change', () => {
  assert.equal(instantOf('Europe/Berlin', '2026-10-25T02:30'), at('2026-10-25T00:30Z'));
  assert.equal(instantOf('Europe/Berlin', '2026-03-29T02:30'), at('2026-03-29T01:30Z'));
});

test('an invalid wall time has no instant', () => {
  for (const wall of ['', ':00Z', '2026-01-01', '2026-13-01T00:00', 'tomorrow'])
    assert.equal(instantOf('UTC', wall), undefined);
});

test('the calendar date is that of the zone', () => {
  assert.equal(dateIn('Europe/Berlin', at('2026-06-12T22:30Z')), '2026-06-13');
  assert.equal(dateIn('America/St_Johns', at('2026-06-13T01:00Z')), '2026-06-12');
});

test('money has two decimals, four below one cent', () => {
  const { money } = createFormat('en-US', 'UTC');
  assert.deepEqual([123456, 100, 0, 0.41, -25].map(money), ['$1,234.56', '$1.00', '$0.00', '$0.0041', '-$0.25']);
});
