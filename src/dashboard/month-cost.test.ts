import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryFolder } from '../testing/processes.ts';
import { addAgentMonth, MonthCosts } from './month-cost.ts';
import { writeFiles } from './testing/app.ts';
import { FakeAgents } from './testing/fake-agents.ts';

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

test('the month of assistants is added to that of files, or stands alone', async () => {
  const agents = new FakeAgents();
  const at = Date.parse('2026-06-10T08:00:00Z');
  agents.add({ agent: 'claude', at, cents: 3.5 }, { agent: 'claude', at, cents: 1 }, { agent: 'codex', at });
  const month = { spentCents: 100, requests: 4 };
  assert.deepEqual(await addAgentMonth(month, agents, ['claude', 'codex']), { spentCents: 104.5, requests: 7 });
  assert.deepEqual(await addAgentMonth(null, agents, ['claude']), { spentCents: 4.5, requests: 2 });
});
