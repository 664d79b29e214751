import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import papaparse from 'papaparse';
import {
  bench,
  describeMachine,
  isAsked,
  printNumber,
  printSpread,
  printTable,
  type Spread,
  spreadOf,
} from '../../testing/bench.ts';
import { inventUsageFile } from '../testing/usage-file.ts';
import { marker, NOW, tableQuery, viewQuery } from './testdata/usage.ts';
import { UsageData } from './usage-data.ts';
import type { ViewQuery } from './view.ts';

const EVENTS = 1_000_000;
const CHUNK_BYTES = 1 << 20;
const ROUNDS = 7;

const MARKERS = Array.from({ length: 30 }, (_, number) => {
  const start = Date.parse('2026-10-01T00:00:00Z') + number * 86_400_000;
  const end = number % 5 === 0 ? null : new Date(start + 10 * 3_600_000).toISOString();
  const project = `project ${number % 4}`;
  return marker(`m${number}`, new Date(start).toISOString(), end, { project, task: 'Feature: bench' });
});

function load(file: Uint8Array): UsageData {
  const data = new UsageData([{ label: 'info' }, { label: 'slope' }]);
  const opened = data.openCsv({ name: 'bench.csv', size: file.length, user: 'info' }, NOW);
  for (let at = 0; at < file.length; at += CHUNK_BYTES) opened.push(file.subarray(at, at + CHUNK_BYTES));
  const { events, skipped } = opened.finish();
  if (events !== EVENTS || skipped > 0) throw new Error(`read ${events} events, skipped ${skipped}`);
  return data;
}

/** What most pages do instead: one text, split, one object a row. */
function loadObjects(file: Uint8Array): readonly PlainEvent[] {
  const [, ...lines] = new TextDecoder().decode(file).trimEnd().split('\n');
  return lines.map((line) => {
    const cells = line.slice(1, -1).split('","');
    const [date = '', kind = '', model = '', maxMode = ''] = cells;
    const [cacheWrite = 0, input = 0, cacheRead = 0, output = 0, total = 0] = cells.slice(4, 9).map(Number);
    const costCents = kind === 'Included' ? 0 : Math.round(Number(cells[9]) * 100);
    const tokens = { cacheWrite, input, cacheRead, output, total };
    return { date: new Date(date), kind, model, maxMode: maxMode === 'Yes', ...tokens, costCents };
  });
}

interface PlainEvent {
  readonly date: Date;
  readonly kind: string;
  readonly model: string;
  readonly maxMode: boolean;
  readonly cacheWrite: number;
  readonly input: number;
  readonly cacheRead: number;
  readonly output: number;
  readonly total: number;
  readonly costCents: number;
}

/** Sums by hour of time, hour of the day, weekday, day, model and max mode, over objects; less than a view answers. */
function aggregateObjects(events: readonly PlainEvent[]): number {
  const groups = new Map<string, { requests: number; tokens: number; cost: number }>();
  const add = (key: string, event: PlainEvent) => {
    const sums = groups.get(key) ?? { requests: 0, tokens: 0, cost: 0 };
    sums.requests++;
    sums.tokens += event.total;
    sums.cost += event.costCents;
    groups.set(key, sums);
  };
  for (const event of events) {
    const { date } = event;
    add(`bucket ${Math.floor(date.getTime() / 3_600_000)}`, event);
    add(`hour ${date.getHours()}`, event);
    add(`weekday ${date.getDay()}`, event);
    add(`day ${date.getFullYear()}-${date.getMonth()}-${date.getDate()}`, event);
    add(`model ${event.model}`, event);
    add(`max ${event.maxMode}`, event);
  }
  return groups.size;
}

function measure(rounds: number, run: (round: number) => unknown): Spread {
  const samples: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const startedAt = performance.now();
    run(round);
    samples.push(performance.now() - startedAt);
  }
  return spreadOf(samples);
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function heapMegabytes(): number {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 2 ** 20;
}

const QUERY = viewQuery({ zone: 'Europe/Berlin', source: 'csv', columnCap: 1600 });

/** The switches; each change of one is a filter change. */
const CHANGES: readonly Partial<ViewQuery>[] = [
  { granularity: 'day' },
  { user: 'info' },
  { costBasis: 'list' },
  { selection: { mode: 'hours', hours: 720 } },
  { selection: { mode: 'count', count: 1000 } },
  { granularity: 'event' },
  { granularity: 'quarter', compare: true },
];

type Row = readonly [what: string, found: string, aim: string];

function row(what: string, { median, least, most }: Spread, unit: string, aim: number, isAtLeast = false): Row {
  const isMet = isAtLeast ? median >= aim : median <= aim;
  const found = `${printSpread({ median, least, most })} ${unit}`;
  return [what, found, `${isAtLeast ? '≥' : '≤'} ${aim} ${unit}${isMet ? '' : ' (missed)'}`];
}

function speedOf(bytes: number, { median, least, most }: Spread): Spread {
  const speed = (ms: number) => bytes / 1e6 / (ms / 1000);
  return { median: speed(median), least: speed(most), most: speed(least) };
}

function measureParsing(file: Uint8Array): readonly Row[] {
  const first = measure(1, () => load(file));
  const warm = measure(ROUNDS, () => load(file));
  const objects = speedOf(
    file.length,
    measure(2, () => loadObjects(file)),
  );
  const rows = speedOf(
    file.length,
    measure(2, () => papaparse.parse(new TextDecoder().decode(file), { header: true })),
  );
  return [
    row('parse, the first file', speedOf(file.length, first), 'MB/s', 200, true),
    row('parse, warm', speedOf(file.length, warm), 'MB/s', 200, true),
    ['parse into plain objects', `${printSpread(objects)} MB/s`, ''],
    ['Papa Parse, rows of texts', `${printSpread(rows)} MB/s`, ''],
  ];
}

function measureViews(file: Uint8Array): readonly Row[] {
  const data = load(file);
  data.setMarkers(MARKERS);
  const first = measure(1, () => data.view(QUERY));
  const again = measure(ROUNDS, () => data.view(QUERY));
  const changes = measure(CHANGES.length, (round) => data.view({ ...QUERY, ...CHANGES[round] }));
  const table = measure(ROUNDS, (round) =>
    data.table(tableQuery({ page: round, minCents: 50, maxMode: 'yes' }, QUERY)),
  );
  const objects = loadObjects(file);
  const plain = measure(2, () => aggregateObjects(objects));
  return [
    ['first view: order, duplicates, markers too', `${printNumber(first.median)} ms`, ''],
    row('one view, all aggregates', again, 'ms', 150),
    row('view after a filter change', changes, 'ms', 200),
    row('page of the filtered requests', table, 'ms', 200),
    ['some of the aggregates over plain objects', `${printSpread(plain)} ms`, ''],
  ];
}

function measureMemory(file: Uint8Array): readonly Row[] {
  const before = heapMegabytes();
  const data = load(file);
  data.setMarkers(MARKERS);
  data.view(QUERY);
  const columns = heapMegabytes() - before;
  if (data.files.length !== 1) throw new Error('the file is not loaded');
  const objects = loadObjects(file);
  const plain = heapMegabytes() - before - columns;
  if (objects.length !== EVENTS) throw new Error('the objects are not there');
  return [
    row('heap beyond the file', { median: columns, least: columns, most: columns }, 'MB', 150),
    ['heap of plain objects', `${printNumber(plain)} MB`, ''],
  ];
}

const parts: Readonly<Record<string, (file: Uint8Array) => readonly Row[]>> = {
  parse: measureParsing,
  view: measureViews,
  memory: measureMemory,
};

bench('dashboard', async (filters) => {
  const file = inventUsageFile(EVENTS, Date.parse('2026-11-01T00:00:00Z'));
  console.log(
    `opsdeck ${OPSDECK_VERSION}, ${EVENTS} usage events, ${printNumber(file.length / 1e6)} MB: median (least–most)`,
  );
  console.log(`${describeMachine()}\n`);
  const rows = Object.entries(parts).flatMap(([part, run]) => (isAsked(part, filters) ? run(file) : []));
  console.log(printTable(['', 'found', 'aim'], rows));
});
