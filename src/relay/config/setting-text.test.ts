import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Outcome } from '../../kernel/outcome.ts';
import {
  durationOf,
  readBoolean,
  readCount,
  readEventMode,
  readList,
  readLogLevel,
  readPort,
  readSize,
  readTlsVersion,
  readUrl,
} from './setting-text.ts';

const readDuration = durationOf(0);
const readInterval = durationOf(100);

for (const text of ['true', '1', 'yes', 'TRUE', 'Yes', 'on'])
  test(`readBoolean: ${text} is true`, () => assert.deepEqual(readBoolean(text), { ok: true, value: true }));
for (const text of ['false', '0', 'no', 'FALSE', 'off'])
  test(`readBoolean: ${text} is false`, () => assert.deepEqual(readBoolean(text), { ok: true, value: false }));

const good: [read: (text: string) => Outcome<unknown>, text: string, value: unknown][] = [
  [readCount, '1000', 1000],
  [readPort, '1', 1],
  [readPort, '65535', 65_535],
  [readUrl, 'https://stream.launchdarkly.com', 'https://stream.launchdarkly.com'],
  [readUrl, 'http://relay:8030/', 'http://relay:8030'],
  [readUrl, 'http://relay/prefix/', 'http://relay/prefix'],
  [readDuration, '9ms', 9],
  [readDuration, '30s', 30_000],
  [readDuration, '5m', 300_000],
  [readDuration, '1h30m', 5_400_000],
  [readDuration, '1.5h', 5_400_000],
  [readDuration, '0', 0],
  [readInterval, '100ms', 100],
  [readSize, '50KiB', 51_200],
  [readSize, '7MiB', 7_340_032],
  [readSize, '5MB', 5_242_880],
  [readSize, '10GiB', 10_737_418_240],
  [readSize, '1MiB512KiB', 1_572_864],
  [readSize, '1.5KiB', 1536],
  [readSize, '100B', 100],
  [readList, 'a', ['a']],
  [readList, 'https://oa, https://rann', ['https://oa', 'https://rann']],
  [readList, 'a,,b', ['a', '', 'b']],
  [readLogLevel, 'WARN', 'warn'],
  [readLogLevel, 'none', 'none'],
  [readTlsVersion, '1.0', 'TLSv1'],
  [readTlsVersion, '1.2', 'TLSv1.2'],
  [readEventMode, 'Discard', 'discard'],
];
for (const [read, text, value] of good) {
  test(`${read.name || 'a duration'}: ${JSON.stringify(text)} is ${JSON.stringify(value)}`, () => {
    assert.deepEqual(read(text), { ok: true, value });
  });
}

const bad: [read: (text: string) => Outcome<unknown>, text: string, reason: RegExp][] = [
  [readBoolean, 'maybe', /"maybe" is no boolean: write true or false/],
  [readCount, '0', /no whole number above 0/],
  [readCount, '-1', /no whole number above 0/],
  [readCount, '1.5', /no whole number above 0/],
  [readCount, 'x', /"x" is no whole number/],
  [readPort, '65536', /no port/],
  [readUrl, 'stream.launchdarkly.com', /no absolute http or https URL/],
  [readUrl, '/relative', /no absolute/],
  [readUrl, 'ftp://host', /no absolute http/],
  [readUrl, 'http:host', /no absolute/],
  [readUrl, 'ftp://name:secret@host', /^it is no absolute/],
  [readDuration, '30', /"30" is no duration/],
  [readDuration, '5d', /is no duration/],
  [readDuration, '-1s', /is below 0/],
  [readDuration, 'soon', /is no duration/],
  [readInterval, '99ms', /too short: the least is 100ms/],
  [readInterval, '0s', /too short/],
  [readInterval, '-1s', /too short/],
  [readSize, '5', /no size/],
  [readSize, '0B', /above 0/],
  [readSize, '5 MiB', /no size/],
  [readSize, '-1KiB', /no size/],
  [readLogLevel, 'loud', /write debug, info, warn, error or none/],
  [readTlsVersion, '1.4', /write 1.0, 1.1, 1.2 or 1.3/],
  [readEventMode, 'maybe', /off, discard or forward/],
];
for (const [read, text, reason] of bad) {
  test(`${read.name || 'a duration'}: ${JSON.stringify(text)} is refused`, () => {
    const outcome = read(text);
    assert.ok(!outcome.ok);
    assert.match(outcome.reason, reason);
  });
}
