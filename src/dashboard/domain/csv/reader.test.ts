import assert from 'node:assert/strict';
import { test } from 'node:test';
import badRows from '../testdata/bad-rows.csv';
import generation1 from '../testdata/generation-1.csv';
import generation2 from '../testdata/generation-2.csv';
import generation2Requests from '../testdata/generation-2-requests.csv';
import generation2Team from '../testdata/generation-2-team.csv';
import generation3 from '../testdata/generation-3.csv';
import generation3Team from '../testdata/generation-3-team.csv';
import semicolons from '../testdata/semicolons.csv';
import { COLUMNS, createData, csvOf, csvRow, loadCsv, NOW, tableQuery } from '../testdata/usage.ts';
import type { EventRow, ViewQuery } from '../view.ts';

function eventsOf(text: string | Uint8Array, view: Partial<ViewQuery> = {}): readonly EventRow[] {
  const data = createData();
  const result = loadCsv(data, text);
  assert.equal(result.status, 'added', JSON.stringify(result.error));
  return data.table(tableQuery({ sort: { by: 'time', descending: false } }, view)).rows;
}

const tokensOf = ({ tokens: { input, cacheWrite, cacheRead, output, total } }: EventRow) => [
  input,
  cacheWrite,
  cacheRead,
  output,
  total,
];

test('the columns of every generation of exports are found by name', () => {
  const [first, second] = eventsOf(generation1);
  assert.deepEqual(
    [first?.model, first?.costCents, first?.costDisplay, first?.kind],
    ['gpt-4o', 10, '$0.10', 'unknown'],
  );
  assert.deepEqual(first && tokensOf(first), [5, 10, 0, 15, 30]);
  assert.equal(second?.costCents, 125);

  const ofSecond = eventsOf(generation2);
  assert.deepEqual(
    ofSecond.map(({ kind, costCents, isIncluded, maxMode }) => [kind, costCents, isIncluded, maxMode]),
    [
      ['Errored, No Charge', 0, false, false],
      ['On-Demand', 3, false, true],
      ['Included', 0, true, false],
    ],
  );
  assert.deepEqual(ofSecond.map(tokensOf)[2], [812, 21400, 90210, 18000, 130422]);

  const ofThird = eventsOf(generation3);
  assert.deepEqual(
    ofThird.map(({ model, costCents, costDisplay, maxMode }) => [model, costCents, costDisplay, maxMode]),
    [
      ['composer-2', 0, '-', true],
      ['grok-4.6-high', 0, 'Free', false],
      ['grok-4.6-high', 123456, '$1,234.56', true],
    ],
  );
});

test('the event model: fields of a CSV event', () => {
  const [event] = eventsOf(csvOf('"2026-06-01T22:30:00.123Z","On-Demand","gpt-5","Yes","1","2","3","4","10","$0.50"'), {
    zone: 'Europe/Berlin',
  });
  assert.deepEqual(event, {
    id: 0,
    at: Date.parse('2026-06-01T22:30:00.123Z'),
    dayKey: '2026-06-02',
    user: 'info',
    model: 'gpt-5',
    kind: 'On-Demand',
    maxMode: true,
    tokens: { input: 2, cacheWrite: 1, cacheRead: 3, output: 4, total: 10 },
    costCents: 50,
    basisCents: 50,
    listCents: 50,
    costDisplay: '$0.50',
    isIncluded: false,
    isChargeable: true,
    isEstimated: false,
    source: 'csv',
    markerId: undefined,
    project: undefined,
    task: undefined,
  });
});

test('a User column names the user of each event, by label or e-mail; other events belong to the file’s user', () => {
  assert.deepEqual(
    eventsOf(generation2Team).map(({ user }) => user),
    ['slope', 'info', 'info'],
  );
  assert.deepEqual(
    eventsOf(generation3Team).map(({ user, costCents }) => [user, costCents]),
    [['slope', 30]],
  );
});

test('CSV columns: without Cost events cost nothing and their tokens count', () => {
  const events = eventsOf(generation2Requests);
  assert.deepEqual(
    events.map(({ costCents, isIncluded, costDisplay, tokens }) => [costCents, isIncluded, costDisplay, tokens.total]),
    [
      [0, true, 'Included', 120],
      [0, true, 'Included', 0],
    ],
  );
});

test('CSV columns: required columns must be present, and missing ones are named', () => {
  const data = createData();
  const missing = loadCsv(data, 'Date,Model,Cache Read,Output Tokens\n2026-01-01,x,1,2\n');
  assert.equal(missing.status, 'rejected');
  assert.deepEqual(missing.error, { code: 'missing-columns', columns: ['Input (w/o Cache Write)', 'Total Tokens'] });
  const optional = loadCsv(
    data,
    'Total Tokens,Output Tokens,Cache Read,Input (w/o Cache Write),Date\n10,1,2,7,2026-01-01T00:00:00.5Z\n',
  );
  assert.equal(optional.status, 'added');
  const [event] = data.table(tableQuery()).rows;
  assert.deepEqual(event && [event.model, event.kind, event.maxMode, event.at % 1000], [
    'unknown',
    'unknown',
    false,
    500,
  ]);
});

test('semicolons, decimal commas, offsets, odd spellings of the header and trailing cells are read', () => {
  const [first, second] = eventsOf(semicolons);
  assert.equal(first?.at, Date.parse('2026-06-01T08:00:00.100Z'));
  assert.deepEqual(first && tokensOf(first), [1234, 0, 0, 66, 1300]);
  assert.deepEqual([first?.costCents, first?.maxMode], [4, true]);
  assert.equal(second?.at, Date.parse('2026-06-01T09:00:00.200Z'), 'a time without an offset is UTC');
  assert.deepEqual([second?.model, second?.costCents, second?.tokens.total], ['unknown', 4, 15]);
});

test('bad rows are skipped and counted, with line and reason; a header in the middle is not counted', () => {
  const result = loadCsv(createData(), badRows);
  assert.equal(result.status, 'added');
  assert.deepEqual([result.rows, result.events, result.skipped, result.totalsThatDiffer], [8, 2, 6, 1]);
  assert.deepEqual(result.badRows, [
    { line: 3, reason: 'date', text: '01.06.2026' },
    { line: 4, reason: 'implausible-date', text: '2019-06-01T10:00:00.100Z' },
    { line: 5, reason: 'tokens', text: 'many' },
    { line: 7, reason: 'negative-tokens', text: '-3' },
    { line: 8, reason: 'cells', text: '2026-06-01T10:00:00.100Z' },
    { line: 12, reason: 'date', text: '2026-02-30T10:00:00.100Z' },
  ]);
  assert.deepEqual(
    eventsOf(badRows).map(({ model, tokens }) => [model, tokens.total]),
    [
      ['gpt-5', 10],
      ['a "quoted"\nname', 11],
    ],
  );
});

test('at most twenty bad rows are reported, and a file of nothing else is refused', () => {
  const result = loadCsv(createData(), csvOf(...Array.from({ length: 30 }, () => 'x,,,,,,,,,')));
  assert.equal(result.status, 'rejected');
  assert.deepEqual(result.error, { code: 'all-rows-bad' });
  assert.deepEqual([result.skipped, result.badRows.length], [30, 20]);
});

test('files without a header or with an unclosed quote are refused with a reason', () => {
  assert.deepEqual(loadCsv(createData(), '').error, { code: 'empty' });
  assert.deepEqual(loadCsv(createData(), '\n \n').error, { code: 'empty' });
  const open = csvOf(csvRow('2026-06-01T10:00:00.100Z', 5), '"2026-06-01T10:00:00Z,Included');
  assert.deepEqual(loadCsv(createData(), open).error, { code: 'unclosed-quote', line: 3 });
  const long = `${COLUMNS}\n"${'x\n'.repeat(800_000)}`;
  assert.deepEqual(loadCsv(createData(), long).error, { code: 'unclosed-quote', line: 2 });
});

test('a header alone is a file without events', () => {
  const result = loadCsv(createData(), `${COLUMNS}\n`);
  assert.deepEqual([result.status, result.rows, result.oldestAt], ['added', 0, undefined]);
});

test('byte order mark, line ends, UTF-16 and a last line without an end change nothing', () => {
  const plain = JSON.stringify(eventsOf(generation2));
  const utf16 = (text: string, littleEndian: boolean) => {
    const bytes = new DataView(new ArrayBuffer(text.length * 2));
    for (let at = 0; at < text.length; at++) bytes.setUint16(at * 2, text.charCodeAt(at), littleEndian);
    return new Uint8Array(bytes.buffer);
  };
  const variants: Readonly<Record<string, string | Uint8Array>> = {
    'BOM and CRLF': `\ufeff${generation2.replaceAll('\n', '\r\n')}`,
    'CR alone': generation2.replaceAll('\n', '\r'),
    'no last line end': generation2.trimEnd(),
    'empty lines': `\n\n${generation2.replaceAll('\n', '\n\n')}`,
    tabs: generation2.replaceAll('Errored, No', 'Errored; No').replaceAll(',', '\t').replaceAll('Errored;', 'Errored,'),
    'UTF-16 little endian': utf16(`\ufeff${generation2}`, true),
    'UTF-16 big endian': utf16(`\ufeff${generation2}`, false),
  };
  for (const [name, variant] of Object.entries(variants)) {
    assert.equal(JSON.stringify(eventsOf(variant)), plain, name);
  }
});

test('property: chunks of a file may be cut anywhere', () => {
  const encoder = new TextEncoder();
  for (const text of [badRows, generation3, `\ufeff${generation2.replaceAll('\n', '\r\n')}`, semicolons]) {
    const bytes = encoder.encode(text);
    const whole = createData();
    const expected = { ...loadCsv(whole, bytes), rowsOfTable: whole.table(tableQuery()).rows };
    for (const size of [1, 2, 3, 7, 64, 1000]) {
      const data = createData();
      const opened = data.openCsv({ name: 'usage-events.csv', size: bytes.length, user: 'info' }, NOW);
      for (let at = 0; at < bytes.length; at += size) opened.push(bytes.subarray(at, at + size));
      const result = opened.finish();
      assert.deepEqual({ ...result, rowsOfTable: data.table(tableQuery()).rows }, expected, `chunks of ${size}`);
    }
  }
});

test('dates without a time begin at the midnight of the zone', () => {
  const [first] = eventsOf(generation1, { zone: 'Europe/Berlin' });
  assert.equal(first?.at, Date.parse('2025-02-01T00:00:00+01:00'));
  assert.equal(first?.dayKey, '2025-02-01');
  assert.equal(eventsOf(generation1, { zone: 'America/St_Johns' })[0]?.dayKey, '2025-02-01');
});

test('the same file dropped twice is left out; one of the same name with other content is not', () => {
  const data = createData();
  assert.equal(loadCsv(data, generation2).status, 'added');
  assert.equal(loadCsv(data, generation2).status, 'duplicate');
  assert.equal(loadCsv(data, generation2.replace('21400', '21401')).status, 'added');
  assert.deepEqual(
    data.files.map(({ name, events }) => [name, events]),
    [
      ['usage-events.csv', 3],
      ['usage-events.csv', 3],
    ],
  );
});

test('names of Object.prototype are names like others', () => {
  const [event] = eventsOf(
    `__proto__,constructor,${COLUMNS}\n1,2,${csvRow('2026-06-01T10:00:00.100Z', 5, 10, '__proto__')}\n`,
  );
  assert.deepEqual([event?.model, event?.costCents], ['__proto__', 5]);
});

test('progress counts bytes, rows and events while a file is read, and a dropped import leaves nothing', () => {
  const data = createData();
  const bytes = new TextEncoder().encode(badRows);
  const opened = data.openCsv({ name: 'a.csv', size: bytes.length, user: 'info' }, NOW);
  assert.deepEqual(opened.push(bytes.subarray(0, 300)), { bytes: 300, rows: 3, events: 1, skipped: 2 });
  assert.equal(data.view(tableQuery().view).counts.loaded, 0);
  assert.deepEqual(data.files, []);
});
