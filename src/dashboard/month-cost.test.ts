import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryFolder } from '../testing/processes.ts';
import { MonthCosts } from './month-cost.ts';
import { writeFiles } from './testing/app.ts';

const HEADER =
  'Date,User,Cloud Agent ID,Automation ID,Kind,Model,Max Mode,Input (w/ Cache Write),Input (w/o Cache Write),Cache Read,Output Tokens,Total Tokens,Cost';
const row = (date: string, cost: string) => `"${date}",ada@example.com,,,On-Demand,auto,No,0,10,20,30,60,${cost}`;
const NOW = Date.parse('2026-05-15T12:00:00Z');

test("this month's cost is that of the project's CSV files, which are read again when they change", async (t) => {
  const folder = temporaryFolder(t);
  let now = NOW;
  const costs = new MonthCosts(folder, () => now);
  assert.equal(await costs.read(), null);
  const rows = [row('2026-04-10T08:00:00.000Z', '9.00'), row('2026-05-10T08:00:00.000Z', '1.25')];
  writeFiles(folder, { 'data/usage-events-info.csv': [HEADER, ...rows, ''].join('\n') });
  assert.deepEqual(await costs.read(), { spentCents: 125, requests: 1 });
  rows.push(row('2026-05-11T08:00:00.000Z', '0.50'));
  writeFiles(folder, { 'data/usage-events-info.csv': [HEADER, ...rows, ''].join('\n') });
  assert.deepEqual(await costs.read(), { spentCents: 175, requests: 2 });
  now = Date.parse('2026-06-15T12:00:00Z');
  assert.deepEqual(await costs.read(), { spentCents: 0, requests: 0 });
});
