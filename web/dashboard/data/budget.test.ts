import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProjectBudget } from './budget.ts';
import { KEYS, Settings } from './settings.ts';

function open(kept: number | null | 'away', stored?: string) {
  const storage = new Map(stored === undefined ? [] : [[KEYS.budget as string, stored]]);
  const settings = new Settings({
    getItem: (key) => storage.get(key) ?? null,
    setItem: (key, value) => void storage.set(key, value),
  });
  const [shown, sent, failures]: [number[], (number | null)[], string[]] = [[], [], []];
  const budget = new ProjectBudget({
    settings,
    server: {
      async fetch() {
        if (kept === 'away') throw new Error('away');
        return { monthlyUsd: kept };
      },
      async put({ monthlyUsd }) {
        sent.push(monthlyUsd);
        return kept === 'away' ? 'it is away' : undefined;
      },
    },
    show: (dollars) => void shown.push(dollars),
    failed: (reason) => void failures.push(reason),
  });
  return { budget, settings, shown, sent, failures };
}

test("the server's budget counts, also when it is none, and is remembered", async () => {
  for (const kept of [30, 0]) {
    const { budget, settings, shown, sent } = open(kept, '12');
    await budget.sync();
    assert.deepEqual([shown, sent, settings.budget], [[kept], [], kept]);
  }
});

test('a budget chosen before the server kept it is handed over, and a default is not', async () => {
  const older = open(null, '12,50');
  await older.budget.sync();
  assert.deepEqual(older.sent, [12.5]);
  const fresh = open(null);
  await fresh.budget.sync();
  assert.deepEqual([fresh.sent, fresh.settings.budget], [[], 70]);
});

test('without the server the budget is that of the browser, and a change says so', async () => {
  const { budget, settings, shown, failures } = open('away', '12');
  await budget.sync();
  assert.deepEqual([shown, settings.budget], [[], 12]);
  await budget.set(20);
  assert.deepEqual([settings.budget, failures], [20, ['it is away']]);
});
