// All switches: user, period, requests, granularity, cost basis, zone, theme, language, budget.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import {
  browserTest,
  centsOf,
  choose,
  csvOf,
  dollars,
  figureOf,
  hashIs,
  kpiIs,
  listCentsOf,
  NOW,
  requestsAre,
  serveDashboard,
  storedValue,
  tableRowsAre,
  twinRows,
  usageRows,
  visit,
} from '../../../src/dashboard/testing/browser.ts';

const INFO = usageRows(240).map((row, index) => ({ ...row, model: `model-${index % 12}` }));
const SLOPE = usageRows(60, { shiftMs: 1_800_000, kind: 'Included', maxMode: false });
const ALL = [...INFO, ...SLOPE].sort((a, b) => b.at - a.at);
const HOUR_MS = 3_600_000;
const since = (hours: number) => ALL.filter(({ at }) => at >= (ALL[0]?.at ?? 0) - hours * HOUR_MS);

/** Fills a field and leaves it, as Enter and Tab do. */
async function fill(page: Page, label: string, value: string): Promise<void> {
  const field = page.locator('.range').getByLabel(label, { exact: true });
  await field.fill(value);
  await field.press('Enter');
  await field.blur();
}

browserTest('what can be switched on the analytics page', async (t, browser, check) => {
  const server = await serveDashboard(t, {
    files: { 'data/usage-events-info.csv': csvOf(INFO), 'data/usage-events-slope.csv': csvOf(SLOPE) },
  });

  check('selection, counting and display', async (t) => {
    const page = await visit(t, browser, server.page);

    await t.test('rule A.3: periods in hours, all events, and a custom range', async () => {
      await requestsAre(page, since(24).length);
      assert.equal(await storedValue(page, 'usage-analytics-time-range'), null, 'the default needs no storage');
      for (const [name, hours] of [
        ['last hour', 1],
        ['last 12 hours', 12],
        ['last 7 days', 168],
      ] as const) {
        await choose(page, 'Period', name);
        await requestsAre(page, since(hours).length);
      }
      assert.deepEqual(JSON.parse((await storedValue(page, 'usage-analytics-time-range')) ?? ''), {
        mode: 'hours',
        hours: 168,
      });
      await page.locator('.resolved', { hasText: /^7 d to .*12:00.* the newest event/ }).waitFor();
      await choose(page, 'Period', 'Custom');
      await fill(page, 'From', '2025-06-02T00:00');
      await fill(page, 'To', '2025-06-02T23:59');
      await requestsAre(page, 24);
      await fill(page, 'To', '2025-06-01T00:00');
      await page.getByText('from and to were swapped').waitFor();
      await requestsAre(page, 25);
      await fill(page, 'To', '');
      await page.getByText('Enter a date and a time.').waitFor();
      await requestsAre(page, 25);
      await fill(page, 'To', '2025-06-03T23:59');
      await requestsAre(page, 48);
      assert.deepEqual(JSON.parse((await storedValue(page, 'usage-analytics-custom-range')) ?? ''), {
        customFrom: '2025-06-02T00:00',
        customTo: '2025-06-03T23:59',
      });
      await page.getByRole('button', { name: 'Previous period' }).click();
      await requestsAre(page, 35);
    });

    await t.test('rule A.3: the newest requests by number, by rank, and all', async () => {
      await page.goto(`${server.page}#range=24h`);
      await requestsAre(page, since(24).length);
      await choose(page, 'Select by', 'Requests');
      await requestsAre(page, 50);
      await choose(page, 'Newest requests', 'newest 10 requests');
      await requestsAre(page, 10);
      await kpiIs(page, 'total-cost', dollars(centsOf(ALL.slice(0, 10))));
      for (const [typed, clamped] of [
        ['7', 10],
        ['123', 123],
        ['5000', 300],
      ] as const) {
        await fill(page, 'Newest', typed);
        await requestsAre(page, clamped);
      }
      assert.equal(await storedValue(page, 'usage-analytics-count'), '1000');
      await choose(page, 'Newest requests', 'By rank');
      await fill(page, 'To rank', '20');
      await fill(page, 'From rank', '11');
      await requestsAre(page, 10);
      await kpiIs(page, 'total-cost', dollars(centsOf(ALL.slice(10, 20))));
      await hashIs(page, /range=rank-11-20/);
      await fill(page, 'To rank', '5');
      await requestsAre(page, 7);
      await fill(page, 'To rank', '5000');
      await fill(page, 'From rank', '4000');
      await page.getByText('only 300 requests are loaded').waitFor();
      await requestsAre(page, 0);
      await choose(page, 'Newest requests', 'All');
      await requestsAre(page, 300);
      assert.equal(await storedValue(page, 'usage-analytics-selection-mode'), 'count');
      await page.reload();
      await requestsAre(page, 300);
    });

    await t.test('rule A.2: all users, or one of them', async () => {
      await page.goto(`${server.page}#range=all`);
      for (const [user, rows] of [
        ['info', INFO],
        ['slope', SLOPE],
        ['all', ALL],
      ] as const) {
        await choose(page, 'User', user);
        await requestsAre(page, rows.length);
        await hashIs(page, new RegExp(`user=${user}`));
      }
      // Eleven days of info, three of slope.
      await tableRowsAre(page, 'table-daily', 14);
    });

    await t.test('the address holds the state of the page: reload, back and forward', async () => {
      await page.goto(`${server.page}#range=all&user=info`);
      await requestsAre(page, 240);
      await choose(page, 'Granularity', 'Day');
      await choose(page, 'Period', 'last 6 hours');
      await requestsAre(page, 7);
      await choose(page, 'User', 'all');
      await requestsAre(page, 13);
      await page.reload();
      await requestsAre(page, 13);
      await hashIs(page, /user=all&range=6h&by=day/);
      await page.goBack();
      await requestsAre(page, 7);
      await page.goBack();
      await requestsAre(page, 240);
      await page.goForward();
      await requestsAre(page, 7);
      assert.equal(await page.getByRole('radio', { name: 'info', exact: true }).isChecked(), true);
    });

    await t.test('rule A.8: the budget covers the month of all users, for any period', async () => {
      await page.goto(`${server.page}#range=1h&user=slope`);
      const monthStart = Date.parse('2025-05-31T22:00:00Z');
      const spent = centsOf(INFO.filter(({ at }) => at >= monthStart));
      const budget = page.getByRole('region', { name: 'Budget this month' });
      const says = (limit: number) => {
        const percent = ((spent / limit) * 100).toFixed(1).replace(/\.0$/, '');
        return budget.getByText(new RegExp(`^\\${dollars(spent)} of \\${dollars(limit)} · ${percent}%?`)).waitFor();
      };
      await says(7000);
      await choose(page, 'Period', 'All events');
      await choose(page, 'User', 'all');
      await requestsAre(page, 300);
      await says(7000);
      await budget.getByLabel('Monthly, US$').fill('30,00');
      await budget.getByLabel('Monthly, US$').press('Enter');
      await says(3000);
      await budget.getByText('Over budget').waitFor();
      assert.equal(await storedValue(page, 'usage-analytics-monthly-budget-usd'), '30');
      await budget.getByLabel('Monthly, US$').fill('much');
      await budget.getByLabel('Monthly, US$').press('Enter');
      await budget.getByText('Enter US dollars such as 70 or 12.50.').waitFor();
      await budget.getByLabel('Monthly, US$').fill('');
      await budget.getByLabel('Monthly, US$').press('Enter');
      await budget.getByText('spent, no budget set').waitFor();
      // The server keeps it.
      await page.evaluate('localStorage.clear()');
      await page.reload();
      await budget.getByText('spent, no budget set').waitFor();
    });

    await t.test('rule A.4: the steps of overview and cumulative; the totals stay', async () => {
      await page.goto(`${server.page}#range=all&user=info`);
      for (const [name, steps] of [
        ['15 min', 100],
        ['Day', 11],
        ['Month', 2],
      ] as const) {
        await choose(page, 'Granularity', name);
        await twinRows(page, 'overview', steps);
        await twinRows(page, 'cumulative', steps);
        await kpiIs(page, 'total-cost', dollars(centsOf(INFO)));
      }
      const costs = (await twinRows(page, 'overview')).map((row) => row.find((cell) => cell.startsWith('$')));
      const total = costs.reduce((sum, cost) => sum + Math.round(Number((cost ?? '').slice(1)) * 100), 0);
      assert.equal(total, centsOf(INFO), 'two months hold everything');
      assert.equal((await twinRows(page, 'cumulative')).at(-1)?.includes(dollars(centsOf(INFO))), true);
      assert.equal(await storedValue(page, 'usage-analytics-granularity'), 'month');
      await choose(page, 'Select by', 'Requests');
      await choose(page, 'Newest requests', 'newest 25 requests');
      await twinRows(page, 'overview', 25);
      assert.equal(await page.getByRole('group', { name: 'Granularity', exact: true }).isVisible(), false);
      await choose(page, 'Select by', 'Period');
      await choose(page, 'Period', 'last hour');
      await page.getByRole('button', { name: /^Switch to / }).click();
      await page.getByRole('button', { name: /^Switch to / }).waitFor({ state: 'hidden' });
      assert.notEqual(await storedValue(page, 'usage-analytics-granularity'), 'month');
    });

    await t.test('rule A.5: cost, its average per day and thirty times that, on every cost basis', async () => {
      await page.goto(`${server.page}#range=168h&user=info`);
      const week = INFO.slice(0, 169);
      const cents = centsOf(week);
      await kpiIs(page, 'total-cost', dollars(cents));
      await kpiIs(page, 'average-per-day', dollars(cents / 7));
      await kpiIs(page, 'forecast', dollars((cents / 7) * 30));
      // 71 requests in the week before.
      await page.locator('[data-kpi="requests"] .change', { hasText: '▲ 138%' }).waitFor();
      await page.getByLabel('Compare with the previous period').check();
      await figureOf(page, 'cumulative')
        .locator('.chart-legend')
        .getByRole('button', { name: 'Previous period' })
        .waitFor();
      await choose(page, 'User', 'slope');
      await kpiIs(page, 'total-cost', '$0.00');
      await choose(page, 'Cost basis', 'List value');
      await kpiIs(page, 'total-cost', dollars(listCentsOf(SLOPE)));
      await figureOf(page, 'overview').getByText('Cost, list value').first().waitFor();
      await hashIs(page, /basis=list/);
      await choose(page, 'Cost basis', 'Billed only');
      await kpiIs(page, 'total-cost', '$0.00');
      await page.getByText('What is this?').click();
      await page.getByText('As reported takes each amount as its source states it').waitFor();
      assert.equal(await storedValue(page, 'usage-analytics-cost-basis'), 'billed');
    });

    await t.test('the top models are five or ten, on both charts, in the address', async () => {
      await page.goto(`${server.page}#range=all&by=day&user=info&basis=reported`);
      await twinRows(page, 'topCost', 5);
      await page.getByLabel('How many models by cost').selectOption('Top 10');
      for (const chart of ['topCost', 'topTokens']) await twinRows(page, chart, 10);
      assert.equal(await page.getByLabel('How many models by tokens').inputValue(), '10');
      await hashIs(page, /&top=10/);
    });

    await t.test('zone, theme and language; German in numbers and dates', async () => {
      await twinRows(page, 'overview', 11);
      await page.getByLabel('Time zone').fill('Mars/Base');
      await page.getByLabel('Time zone').press('Enter');
      await page.getByText('Not a time zone').waitFor();
      await page.getByLabel('Time zone').fill('Pacific/Kiritimati');
      await page.getByLabel('Time zone').press('Enter');
      await page.locator('.resolved', { hasText: 'GMT+14' }).waitFor();
      assert.equal(await page.evaluate('document.activeElement.id'), 'zone', 'the focus stays');
      await page.getByLabel('Language').selectOption('de');
      await page.getByRole('heading', { name: 'Nutzungsanalyse' }).waitFor();
      await kpiIs(page, 'total-cost', `${(centsOf(INFO) / 100).toFixed(2).replace('.', ',')}\u00A0$`);
      assert.equal(await page.evaluate('document.documentElement.lang'), 'de');
      await figureOf(page, 'overview').getByText('Tokens und Kosten im Verlauf').first().waitFor();
      await page.getByLabel('Farbschema').selectOption('dark');
      assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark');
    });

    await t.test('a later visit has the top models, zone, theme and language of the one before', async () => {
      await page.goto('about:blank');
      await page.goto(server.page);
      await page.getByRole('heading', { name: 'Nutzungsanalyse' }).waitFor();
      assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark');
      assert.deepEqual(
        await Promise.all(
          ['usage-analytics-timezone', 'opsdeck.theme', 'opsdeck.language'].map((key) => storedValue(page, key)),
        ),
        ['Pacific/Kiritimati', 'dark', 'de'],
      );
      await twinRows(page, 'topTokens', 10);
      await page.getByLabel('Wie viele Modelle nach Tokens').selectOption('Top 5');
      await twinRows(page, 'topCost', 5);
    });
  });

  check('a preference for German is followed, and the stored language is the default', async (t) => {
    const storage = {
      'usage-analytics-selection-mode': 'count',
      'usage-analytics-count': '25',
    };
    const page = await visit(t, browser, `${server.url}/health`, { locale: 'de-DE', storage, now: NOW });
    // Other visits change that of the server.
    await page.route('**/api/budget', (route) => route.fulfill({ json: { monthlyUsd: 12 } }));
    await page.goto(server.page);
    await page.getByRole('heading', { name: 'Nutzungsanalyse' }).waitFor();
    await requestsAre(page, 25);
    await page.getByText('von 12,00\u00A0$').waitFor();
  });
});
