import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createData, csvOf, csvRow, loadCsv, marker, viewQuery } from '../testdata/usage.ts';
import type { UsageData } from '../usage-data.ts';
import type { ViewQuery } from '../view.ts';

function load(...rows: readonly string[]): UsageData {
  const data = createData();
  loadCsv(data, csvOf(...rows));
  return data;
}

test('rule A.11: a marker is drawn on the buckets of its interval', () => {
  const data = load(...[10, 11, 12, 13].map((hour) => csvRow(`2026-06-01T${hour}:30:00.001Z`, 1)));
  const day = (time: string) => `2026-06-01T${time}:00.000Z`;
  data.setMarkers([
    marker('edge', day('11:00'), day('12:00')),
    marker('part', day('11:59'), day('12:01')),
    marker('before', day('08:00'), day('10:00')),
    marker('after', day('14:00'), day('15:00')),
    marker('open', day('13:10'), null),
    marker('slope', day('10:00'), day('14:00'), { user: 'slope' }),
  ]);
  const places = (changes: Partial<ViewQuery>) =>
    Object.fromEntries(
      data
        .view(viewQuery(changes))
        .markers.map(({ marker: { id }, place }) => [id, place && [place.first, place.last]]),
    );
  assert.deepEqual(places({}), {
    edge: [1, 1],
    part: [1, 2],
    before: undefined,
    after: undefined,
    open: [3, 3],
    slope: [0, 3],
  });
  assert.deepEqual(places({ granularity: 'event', user: 'all' }), {
    edge: [1, 1],
    part: undefined,
    before: undefined,
    after: undefined,
    open: [3, 3],
    slope: undefined,
  });
  assert.equal(places({ user: 'info' }).slope, undefined);
  assert.deepEqual(places({ columnCap: 2 }).part, [0, 1]);
});

test('marker rules 1 and 2: raw statistics may overlap, assigned ones never do', () => {
  const data = load(...[10, 11, 12, 13].map((hour) => csvRow(`2026-06-01T${hour}:00:00.000Z`, hour, 5)));
  const day = (time: string) => `2026-06-01T${time}:00.000Z`;
  data.setMarkers([
    marker('outer', day('10:00'), day('13:00'), { task: 'Bugfix: x' }),
    marker('inner', day('11:00'), null, { project: 'other' }),
  ]);
  const view = data.view(viewQuery());
  assert.deepEqual(
    view.markers.map(({ marker: { id }, raw, assigned, overlaps, isOpen, category }) => [
      id,
      raw,
      assigned,
      overlaps,
      isOpen,
      category,
    ]),
    [
      ['outer', { requests: 3, tokens: 15, cost: 33 }, { requests: 1, tokens: 5, cost: 10 }, 1, false, 'Bugfix'],
      ['inner', { requests: 3, tokens: 15, cost: 36 }, { requests: 3, tokens: 15, cost: 36 }, 1, true, undefined],
    ],
  );
  assert.deepEqual(view.markerByProject, [
    { name: 'other', kind: 'named', requests: 3, tokens: 15, cost: 36 },
    { name: 'deck', kind: 'named', requests: 1, tokens: 5, cost: 10 },
  ]);
  assert.deepEqual(
    view.markerByCategory.map(({ name, kind, requests }) => [name, kind, requests]),
    [
      ['Bugfix', 'named', 1],
      ['', 'nameless', 3],
    ],
  );
  const early = data.view(
    viewQuery({ selection: { mode: 'custom', from: '2026-06-01T10:00', to: '2026-06-01T11:30' } }),
  );
  assert.deepEqual(early.markers[1]?.raw.requests, 1, 'an open marker ends with the filter, whose newest event counts');
  assert.deepEqual(early.markers[1]?.assigned.requests, 1);
  assert.deepEqual(
    data.coverage({ user: 'all', from: Date.parse(day('11:00')), to: Date.parse(day('13:00')) }, viewQuery()),
    {
      requests: 2,
      tokens: 10,
      cost: 23,
      overlaps: 2,
    },
  );
});
