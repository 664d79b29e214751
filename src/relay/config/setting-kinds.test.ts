import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Kind } from '../../kernel/settings/kind.ts';
import {
  count,
  eventMode,
  goDuration,
  httpUrl,
  list,
  logFormat,
  logLevel,
  port,
  size,
  strictList,
  tlsVersion,
} from './setting-kinds.ts';

const duration = goDuration(0);
const interval = goDuration(100);

const good: [name: string, kind: Kind<unknown, unknown>, text: string, value: unknown][] = [
  ['count', count, '1000', 1000],
  ['port', port, '1', 1],
  ['port', port, '65535', 65_535],
  ['URL', httpUrl, 'https://stream.launchdarkly.com', 'https://stream.launchdarkly.com'],
  ['URL', httpUrl, 'http://relay:8030/', 'http://relay:8030'],
  ['URL', httpUrl, 'http://relay/prefix/', 'http://relay/prefix'],
  ['duration', duration, '9ms', 9],
  ['duration', duration, '30s', 30_000],
  ['duration', duration, '5m', 300_000],
  ['duration', duration, '1h30m', 5_400_000],
  ['duration', duration, '1.5h', 5_400_000],
  ['duration', duration, '0', 0],
  ['interval', interval, '100ms', 100],
  ['size', size, '50KiB', 51_200],
  ['size', size, '7MiB', 7_340_032],
  ['size', size, '5MB', 5_242_880],
  ['size', size, '10GiB', 10_737_418_240],
  ['size', size, '1MiB512KiB', 1_572_864],
  ['size', size, '1.5KiB', 1536],
  ['size', size, '100B', 100],
  ['list', list, 'a', ['a']],
  ['list', list, 'https://oa, https://rann', ['https://oa', 'https://rann']],
  ['list', list, 'a,,b', ['a', 'b']],
  ['strict list', strictList, 'a,,b', ['a', '', 'b']],
  ['log level', logLevel, 'WARN', 'warn'],
  ['log level', logLevel, 'none', 'none'],
  ['log format', logFormat, 'Text', 'logfmt'],
  ['TLS version', tlsVersion, '1.0', 'TLSv1'],
  ['TLS version', tlsVersion, '1.2', 'TLSv1.2'],
  ['events', eventMode, 'Discard', 'discard'],
];
for (const [name, kind, text, value] of good)
  test(`${name}: ${JSON.stringify(text)} is ${JSON.stringify(value)}`, () =>
    assert.deepEqual(kind.read(text), { ok: true, value }));

const bad: [name: string, kind: Kind<unknown, unknown>, text: string, reason: RegExp][] = [
  ['count', count, '0', /^write a whole number of at least 1$/],
  ['count', count, '-1', /whole number/],
  ['count', count, '1.5', /whole number/],
  ['count', count, 'x', /whole number/],
  ['port', port, '65536', /^write a whole number from 1 to 65535$/],
  ['URL', httpUrl, 'stream.launchdarkly.com', /^write an absolute http or https URL/],
  ['URL', httpUrl, '/relative', /absolute/],
  ['URL', httpUrl, 'ftp://host', /absolute http/],
  ['URL', httpUrl, 'http:host', /absolute/],
  ['duration', duration, '30', /^write a duration such as 500ms, 30s, 5m or 1h30m$/],
  ['duration', duration, '5d', /duration/],
  ['duration', duration, '-1s', /duration/],
  ['duration', duration, 'soon', /duration/],
  ['interval', interval, '99ms', /^write a duration of at least 100ms such as/],
  ['interval', interval, '0s', /at least 100ms/],
  ['interval', interval, '-1s', /at least 100ms/],
  ['size', size, '5', /^write a size of at least 1B such as/],
  ['size', size, '0B', /at least 1B/],
  ['size', size, '5 MiB', /size/],
  ['size', size, '-1KiB', /size/],
  ['log level', logLevel, 'loud', /^write debug, info, warn, error or none$/],
  ['log format', logFormat, 'constructor', /^write text or json$/],
  ['TLS version', tlsVersion, '1.4', /^write 1.0, 1.1, 1.2 or 1.3$/],
  ['events', eventMode, 'maybe', /^write off, discard or forward$/],
];
for (const [name, kind, text, reason] of bad)
  test(`${name}: ${JSON.stringify(text)} is refused, with the correct form`, () => {
    const outcome = kind.read(text);
    assert.ok(!outcome.ok);
    assert.match(outcome.reason, reason);
  });
