import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertSame } from '../../testdata/go-printf-values.ts';
// Zone files of the IANA database 2025b, and what Go 1.26 read from them.
import measured from '../../testdata/go-time-zones.json' with { type: 'json' };
import { formatGoTime, loadZone, localZone, timeOfMs, UTC_ZONE } from '../time.ts';
import { readZoneFile, type ZoneLookup } from './file.ts';
import { periodOfRule, readZoneRule } from './rule.ts';
import { lookupFromEngine } from './zone.ts';

interface ZoneCase {
  readonly zone: string;
  /** In base64. */
  readonly file: string;
  readonly rows: readonly (readonly [seconds: number, abbreviation: string, offset: number])[];
}

const cases: readonly ZoneCase[] = measured as unknown as readonly ZoneCase[];

function rowsBy(lookup: ZoneLookup, rows: ZoneCase['rows']): unknown {
  return rows.map(([seconds]) => {
    const { abbreviation, offset } = lookup(seconds);
    return [seconds, abbreviation, offset];
  });
}

test('a zone file has the abbreviation and the offset from UTC, from the first to beyond the last transition', () => {
  assertSame(cases, ({ file, rows }) => {
    const lookup = readZoneFile(Buffer.from(file, 'base64'));
    assert.ok(lookup);
    return [rowsBy(lookup, rows), rows];
  });
});

test('without zone files the engine gives offsets, and the names that times have today', () => {
  const today = cases.map((one) => ({ ...one, rows: one.rows.filter(([at]) => at > 1.6e9 && at < 2e9) }));
  assertSame(today, ({ zone, rows }) => {
    const lookup = lookupFromEngine(zone);
    assert.ok(lookup);
    return [rowsBy(lookup, rows), rows];
  });
  assert.equal(lookupFromEngine('Mars/Olympus'), undefined);
});

test('summer time counts in the south, too, and all through the half-year', () => {
  const sydney = lookupFromEngine('Australia/Sydney');
  const names = ['2026-01-15', '2026-04-04', '2026-04-06', '2026-10-03', '2026-10-05', '2026-12-31'].map(
    (day) => sydney?.(Date.parse(`${day}T12:00:00Z`) / 1000).abbreviation,
  );
  assert.deepEqual(names, ['AEDT', 'AEDT', 'AEST', 'AEST', 'AEDT', 'AEDT']);
});

test('half a zone file is invalid, and no part of one throws', () => {
  const whole = Buffer.from((cases[0] as ZoneCase).file, 'base64');
  for (let length = 0; length < whole.length; length += 7) {
    const lookup = readZoneFile(whole.subarray(0, length));
    if (lookup) assert.equal(typeof lookup(0).offset, 'number');
  }
  assert.equal(readZoneFile(whole.subarray(0, 60)), undefined);
  assert.equal(readZoneFile(Buffer.from('# a text')), undefined);
});

const rules: readonly (readonly [rule: string, at: string, abbreviation: string, offset: number])[] = [
  ['CET-1CEST,M3.5.0,M10.5.0/3', '2040-07-01T00:00:00Z', 'CEST', 7200],
  ['CET-1CEST,M3.5.0,M10.5.0/3', '2040-03-25T00:59:59Z', 'CET', 3600],
  ['CET-1CEST,M3.5.0,M10.5.0/3', '2040-03-25T01:00:00Z', 'CEST', 7200],
  ['CET-1CEST,M3.5.0,M10.5.0/3', '2040-10-28T01:00:00Z', 'CET', 3600],
  ['AEST-10AEDT,M10.1.0,M4.1.0/3', '2040-01-01T00:00:00Z', 'AEDT', 39_600],
  ['AEST-10AEDT,M10.1.0,M4.1.0/3', '2040-06-01T00:00:00Z', 'AEST', 36_000],
  ['<+0530>-5:30', '2040-06-01T00:00:00Z', '+0530', 19_800],
  ['<-03>3<-02>,M3.5.0/-2,M10.5.0/-1', '2040-06-01T00:00:00Z', '-02', -7200],
  ['EST5EDT', '2040-06-01T00:00:00Z', 'EDT', -14_400],
  ['XXX3YYY,J60,J300', '2040-02-29T12:00:00Z', 'XXX', -10_800],
  ['XXX3YYY,59,300', '2040-02-29T12:00:00Z', 'YYY', -7200],
];

test('rules as POSIX writes them say when summer time begins and ends', () => {
  for (const [text, at, abbreviation, offset] of rules) {
    const rule = readZoneRule(text);
    assert.ok(rule, text);
    assert.deepEqual({ ...periodOfRule(rule, Date.parse(at) / 1000) }, { abbreviation, offset }, `${text} at ${at}`);
  }
  for (const text of ['', 'C', 'CET', 'CET-1CEST,M3.5', 'CET-1CEST,M3.5.0,x', ':Europe/Berlin']) {
    assert.equal(readZoneRule(text), undefined, text);
  }
});

test('zones have IANA names; other names are unknown', () => {
  const berlin = loadZone('Europe/Berlin');
  assert.ok(berlin.ok);
  assert.equal(berlin.value.name, 'Europe/Berlin');
  assert.equal(formatGoTime(timeOfMs(Date.parse('2026-07-01T10:00:00Z'), berlin.value), '15:04 MST'), '12:00 CEST');
  for (const name of ['..', '../../../etc/passwd', '/etc/localtime', '\\x']) {
    assert.deepEqual(loadZone(name), { ok: false, reason: 'time: invalid location name' });
  }
  for (const name of ['Nowhere', 'Europe/', 'Europe', 'tzdata.zi', 'a b', 'Europe//Berlin', './UTC', 'leapseconds']) {
    assert.deepEqual(loadZone(name), { ok: false, reason: `unknown time zone ${name}` });
  }
});

test('no name and UTC are UTC; Local is the machine’s zone', () => {
  assert.deepEqual(loadZone(''), { ok: true, value: UTC_ZONE });
  assert.deepEqual(loadZone('UTC'), { ok: true, value: UTC_ZONE });
  assert.deepEqual(loadZone('Local'), { ok: true, value: localZone() });
  const summer = Date.parse('2026-07-01T10:00:00Z');
  assert.equal(localZone().at(summer / 1000).offset, 0 - new Date(summer).getTimezoneOffset() * 60);
});
