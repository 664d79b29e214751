import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Alert } from '../../../src/alerts/contract/wire.ts';
import { searchFor } from './search.ts';

const ALERT = {
  labels: { alertname: 'DiskFull', severity: 'critical', instance: 'db-1' },
  annotations: { summary: 'The disk is full', note: 'say "hello"' },
} as unknown as Alert;

const found = [
  '',
  ' ',
  'disk',
  'FULL db-1',
  'severity=crit',
  'severity="critical',
  'alertname',
  'is full',
  'x!="',
  'a=~"(',
];
const missed = ['disc', 'disk memory', 'severity=warning', 'db-1 critical warning'];

for (const typed of found) test(`“${typed}” finds`, () => assert.ok(searchFor(typed)(ALERT)));
for (const typed of missed) test(`“${typed}” does not find`, () => assert.ok(!searchFor(typed)(ALERT)));
