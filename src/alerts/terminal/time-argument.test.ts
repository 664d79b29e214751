import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatInstant, parseInstant } from './time-argument.ts';

const instants: [text: string, iso: string | undefined][] = [
  ['2026-03-01T18:00:00Z', '2026-03-01T18:00:00.000Z'],
  ['2026-03-01t18:00:00.123456789z', '2026-03-01T18:00:00.123Z'],
  ['2026-03-01 18:00:00+01:30', '2026-03-01T16:30:00.000Z'],
  ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
  ['2026-02-29T00:00:00Z', undefined],
  ['2026-13-01T00:00:00Z', undefined],
  ['2026-03-01T25:00:00Z', undefined],
  ['2026-03-01T18:00:00', undefined],
  ['2026-03-01', undefined],
  ['', undefined],
];
for (const [text, iso] of instants) {
  test(`--start ${text || '(empty)'} is ${iso ?? 'refused'}`, () => {
    if (iso === undefined) assert.throws(() => parseInstant(text, '--start'), { exitCode: 2 });
    else assert.equal(new Date(parseInstant(text, '--start')).toISOString(), iso);
  });
}

test('an instant is printed in UTC, with the zone', () => {
  assert.equal(formatInstant('2026-03-01T18:00:00.999+02:00'), '2026-03-01 16:00:00 UTC');
  assert.equal(formatInstant('never'), 'never');
});
