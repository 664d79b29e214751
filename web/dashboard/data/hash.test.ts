import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatHash, parseHash } from './hash.ts';
import { Settings } from './settings.ts';
import type { PageState } from './state.ts';
import { COST_BASES, GRANULARITIES, NO_FILTERS, SOURCES, UNMARKED } from './state.ts';

const STORED = new Settings({ getItem: () => null, setItem: () => {} }).readState('2026-06-12');

test('an empty address is the stored state', () => {
  assert.equal(parseHash('', STORED), STORED);
  assert.equal(parseHash('#', STORED), STORED);
});

test('law: parsing a formatted state returns the state', () => {
  const ranges: readonly Partial<PageState>[] = [
    {},
    { time: { ...STORED.time, mode: 'hours', hours: 720 } },
    { time: { ...STORED.time, mode: 'all' } },
    { time: { ...STORED.time, mode: 'custom', customFrom: '2026-03-29T01:30', customTo: '2026-03-30' } },
    { mode: 'count', count: { ...STORED.count, count: 250 } },
    { mode: 'count', count: { ...STORED.count, mode: 'all' } },
    { mode: 'count', count: { ...STORED.count, mode: 'rank', from: 5, to: 90 } },
  ];
  for (const range of ranges)
    for (const source of SOURCES)
      for (const granularity of GRANULARITIES)
        for (const basis of COST_BASES) {
          const filters = {
            project: 'a+b & c',
            minCost: '0,25',
            maxMode: 'no',
            model: '=x/y:z',
            kind: 'Errored, No Charge',
          } as const;
          const state: PageState = {
            ...STORED,
            ...range,
            source,
            granularity,
            basis,
            user: 'slope',
            zone: 'Asia/Tokyo',
            compare: true,
            topModels: source === 'live' ? 5 : 10,
            filters,
            page: 3,
          };
          assert.deepEqual(parseHash(formatHash(state), STORED), state);
        }
});

test('an invalid part of an address leaves the stored value', () => {
  const state = parseHash(
    '#source=ftp&user=&range=9x&by=year&basis=x&tz=Mars/Base&max=perhaps&min=abc&page=-1',
    STORED,
  );
  assert.deepEqual(state, { ...STORED, filters: NO_FILTERS, page: 1 });
});

test('an address is readable', () => {
  const filters = { ...NO_FILTERS, project: UNMARKED, model: 'gpt 5' };
  const state: PageState = { ...STORED, zone: 'Europe/Berlin', filters };
  assert.equal(formatHash(state), '#source=csv&user=all&range=24h&by=hour&tz=Europe/Berlin&project=-&model=gpt+5');
});

test('the number of top models is in the address unless it is five, and is five in an address without it', () => {
  const ten: PageState = { ...STORED, topModels: 10 };
  assert.match(formatHash(ten), /&top=10/);
  assert.doesNotMatch(formatHash(STORED), /top=/);
  assert.equal(parseHash('#range=24h', ten).topModels, 5);
  assert.equal(parseHash('#source=csv&top=7', ten).topModels, 10);
  assert.equal(parseHash('', ten).topModels, 10);
});

test('ranks the wrong way round are swapped, counts kept from 10 to 1000', () => {
  assert.deepEqual(parseHash('#range=rank-9-3', STORED).count, { ...STORED.count, mode: 'rank', from: 3, to: 9 });
  assert.equal(parseHash('#range=latest-5', STORED).count.count, 10);
  assert.equal(parseHash('#range=latest-5000', STORED).count.count, 1000);
});
