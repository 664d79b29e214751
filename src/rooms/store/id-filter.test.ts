import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IdFilter } from './id-filter.ts';

const names: readonly (readonly [string, (index: number) => string])[] = [
  ['counted', (index) => `id-${index}`],
  [
    'as UUIDs',
    (index) =>
      `0190a000-${(index >>> 12).toString(16).padStart(4, '0')}-7000-8000-${index.toString(16).padStart(12, '0')}`,
  ],
  ['of clients', (index) => `c${index % 64}-${index >> 6}-1763649000000`],
];

for (const [name, idOf] of names) {
  test(`a filter holds every id ${name} that was added, and few others seem to be in it`, () => {
    const filter = IdFilter.withRoom(100_000);
    for (let index = 0; index < 100_000; index++) filter.add(idOf(index));
    for (let index = 0; index < 100_000; index++) assert.ok(filter.mayHold(idOf(index)));
    let wrong = 0;
    for (let index = 100_000; index < 200_000; index++) wrong += Number(filter.mayHold(idOf(index)));
    assert.ok(wrong < 150, `${wrong} of 100,000`);
  });
}

test('a full filter reports itself as full, and is restored from plain data', () => {
  const filter = IdFilter.withRoom(0);
  let count = 0;
  while (!filter.isFull) filter.add(`id-${count++}`);
  assert.ok(count > 65_536 && count < 140_000);
  const copy = new IdFilter(structuredClone(filter.bits));
  assert.ok(copy.isFull && copy.mayHold('id-7'));
});
