import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRetryAfter } from './retry-after.ts';

const DATE = 'Thu, 01 Jan 2026 00:00:00 GMT';
const waits: [headers: Record<string, string>, waitMs: number | undefined][] = [
  [{}, undefined],
  [{ 'retry-after': '' }, undefined],
  [{ 'retry-after': '120' }, 120_000],
  [{ 'retry-after': ' 1 ' }, 1000],
  [{ 'retry-after': '0' }, 0],
  [{ 'retry-after': '1.5' }, 1500],
  [{ 'retry-after': '0.0074' }, 7],
  [{ 'retry-after': '-1', date: DATE }, undefined],
  [{ 'retry-after': '-1', date: 'Fri, 01 Jan 1999 00:00:00 GMT' }, undefined],
  [{ 'retry-after': '1e3', date: DATE }, undefined],
  [{ 'retry-after': '99999999999', date: DATE }, undefined],
  [{ 'retry-after': 'soon', date: DATE }, undefined],
  [{ 'retry-after': 'Thu, 01 Jan 2026 00:01:30 GMT', date: DATE }, 90_000],
  [{ 'retry-after': 'Thursday, 01-Jan-26 00:01:30 GMT', date: DATE }, 90_000],
  [{ 'retry-after': '2026-01-01T00:01:30Z', date: DATE }, 90_000],
  [{ 'retry-after': DATE, date: DATE }, 0],
  [{ 'retry-after': 'Thu, 01 Jan 2026 00:01:30 GMT' }, undefined],
  [{ 'retry-after': 'Thu Jan  1 00:01:30 2026', date: DATE }, undefined],
  [{ 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT', date: DATE }, undefined],
];
for (const [headers, waitMs] of waits) {
  test(`${JSON.stringify(headers)} means ${waitMs ?? 'no'} ms`, () =>
    assert.equal(readRetryAfter(new Headers(headers)), waitMs));
}
