import assert from 'node:assert/strict';
import { test } from 'node:test';
import { marker, randomOf } from '../testdata/usage.ts';
import { assignMarkers, UNMARKED } from './assignment.ts';
import { appliesTo, type MarkerInterval, resolveMarkers } from './marker.ts';

const USERS = ['info', 'slope'];
const at = (minutes: number) => new Date(Date.UTC(2026, 5, 1, 0, minutes)).toISOString();

/** Events every minute for each user, and the id of the marker that each got. */
function assign(intervals: readonly MarkerInterval[], minutes: number): readonly (string | undefined)[][] {
  const count = minutes * USERS.length;
  const instants = Float64Array.from({ length: count }, (_, row) =>
    Date.UTC(2026, 5, 1, 0, Math.floor(row / USERS.length)),
  );
  const user = Uint8Array.from({ length: count }, (_, row) => row % USERS.length);
  const rows = Uint32Array.from({ length: count }, (_, row) => row);
  const assigned = assignMarkers(intervals, { rows, at: instants, user }, USERS);
  return USERS.map((_, number) =>
    [...assigned]
      .filter((_, row) => row % USERS.length === number)
      .map((found) => (found === UNMARKED ? undefined : intervals[found]?.marker.id)),
  );
}

test('marker rule 2: of overlapping markers the latest start has the event, an end is excluded', () => {
  const intervals = resolveMarkers([marker('outer', at(1), at(6)), marker('inner', at(2), at(4))]);
  assert.deepEqual(assign(intervals, 7)[0], [undefined, 'outer', 'inner', 'inner', 'outer', 'outer', undefined]);
});

test('marker rule 2: of equal starts the marker of a user, then the newer, then the greater id has the event', () => {
  const newer = { updatedAt: '2026-05-01T00:00:00.000Z' };
  const first = (...markers: Parameters<typeof resolveMarkers>[0]) =>
    assign(resolveMarkers(markers), 1).map(([id]) => id);
  assert.deepEqual(first(marker('z', at(0), at(9), newer), marker('a', at(0), at(9), { user: 'info' })), ['a', 'z']);
  assert.deepEqual(first(marker('a', at(0), at(9), newer), marker('b', at(0), at(9))), ['a', 'a']);
  assert.deepEqual(first(marker('a', at(0), at(9)), marker('b', at(0), at(9))), ['b', 'b']);
});

test('property: each event has at most one marker, and it is the strongest that contains the event', () => {
  const random = randomOf(11);
  const whole = (limit: number) => Math.floor(random() * limit);
  for (let round = 0; round < 30; round++) {
    const markers = Array.from({ length: 1 + whole(25) }, (_, number) => {
      const start = whole(60);
      const end = random() < 0.3 ? null : at(start + 1 + whole(30));
      const user = ['info', 'slope', 'all'][whole(3)] as string;
      return marker(`m${number}`, at(start), end, { user, updatedAt: at(whole(4)) });
    });
    const intervals = resolveMarkers(markers);
    const assigned = assign(intervals, 90);
    for (const [number, user] of USERS.entries()) {
      for (let minute = 0; minute < 90; minute++) {
        assert.equal(assigned[number]?.[minute], strongest(intervals, user, Date.parse(at(minute))), `round ${round}`);
      }
    }
  }
});

function strongest(intervals: readonly MarkerInterval[], user: string, instant: number): string | undefined {
  const rank = ({ from, marker: { user: of, updatedAt, id } }: MarkerInterval) =>
    [`${from}`, of === 'all' ? '0' : '1', updatedAt, id].join(' ');
  const containing = intervals.filter(
    (interval) => appliesTo(interval.marker, user) && interval.from <= instant && instant < interval.to,
  );
  return containing.sort((a, b) => (rank(a) < rank(b) ? 1 : -1))[0]?.marker.id;
}
