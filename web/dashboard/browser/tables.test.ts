// The tables: days, the most expensive, individual requests with their filters and pages; and the exports.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import {
  browserTest,
  bytesOf,
  chartsAreThere,
  csvOf,
  dollars,
  hashIs,
  kpiIs,
  requestsAre,
  serveDashboard,
  tableRowsAre,
  usageRows,
  visit,
} from '../../../src/dashboard/testing/browser.ts';
import { eventually } from '../../../src/testing/eventually.ts';
import { executablePath } from '../../../src/testing/processes.ts';

const ROWS = usageRows(120);
const MARKER = {
  id: 'm-1',
  user: 'info',
  // Twelve requests: from 22:30 UTC to 10:30 UTC.
  start: '2025-06-09T22:30:00.000Z',
  end: '2025-06-10T10:30:00.000Z',
  project: 'web-shop',
  task: '=HYPERLINK("x")',
  note: '',
  createdAt: '2025-06-09T00:00:00.000Z',
  updatedAt: '2025-06-09T00:00:00.000Z',
};

const runFile = promisify(execFile);

const filters = (page: Page) => page.getByRole('search', { name: 'Filters of the requests' });
const rowsOf = (page: Page) => page.locator('#table-requests tbody tr');
const position = (page: Page, text: string) => page.locator('.pager-position', { hasText: text }).waitFor();
/** A column of the individual requests, from 0. */
const column = (page: Page, index: number): Promise<string[]> =>
  page.evaluate(
    `[...document.querySelectorAll('#table-requests tbody tr')].map((row) => row.cells[${index}].textContent)`,
  );

/** Records the queries that the page sends to its worker. */
const COUNT_QUERIES = `(() => {
  const post = Worker.prototype.postMessage;
  globalThis.queries = [];
  Worker.prototype.postMessage = function (message, ...rest) {
    if (message.request) queries.push(message.request.type);
    return post.call(this, message, ...rest);
  };
})()`;

/** Records what the charts write. */
const RECORD_LABELS = `(() => {
  const write = CanvasRenderingContext2D.prototype.fillText;
  globalThis.labels = new Set();
  CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
    labels.add(String(text));
    return write.call(this, text, ...rest);
  };
})()`;

async function minCost(page: Page, typed: string): Promise<void> {
  await filters(page).getByLabel('Min. cost, US$').fill(typed);
  await filters(page).getByLabel('Min. cost, US$').press('Enter');
}

interface Sums {
  readonly requests: number;
  readonly tokens: number;
  readonly costCents: number;
}

browserTest('the tables of the analytics page', async (t, browser, check) => {
  const server = await serveDashboard(t, {
    files: {
      'data/usage-events-info.csv': csvOf(ROWS),
      'data/project-markers.json': JSON.stringify({ version: 1, markers: [MARKER] }),
    },
  });
  const open = `${server.page}#range=all`;

  check('exports, report and rule A.6', async (t) => {
    const page = await visit(t, browser, `${server.page}#range=12h`);

    await t.test(
      'exports hold the selection, with project and task, and no cell that a spreadsheet would run',
      async () => {
        await requestsAre(page, 13);
        // Project, task and the charts follow the sums.
        await page.locator('#table-markers tr[data-marker-id]').waitFor();
        await chartsAreThere(page);
        const download = async (entry: string) => {
          await page.getByRole('button', { name: 'Export', exact: true }).click();
          const item = page.getByRole('menuitem', { name: new RegExp(`^${entry}`) });
          const [file] = await Promise.all([page.waitForEvent('download'), item.click()]);
          const bytes = await bytesOf(file);
          return { name: file.suggestedFilename(), bytes, text: bytes.toString('utf8') };
        };
        const csv = await download('Events as CSV');
        assert.equal(csv.name, 'usage-events-all-2025-06-10.csv');
        const lines = csv.text.trimEnd().split(/\r?\n/);
        assert.equal(lines.length, 14);
        assert.match(lines[0] ?? '', /Date.*Total Tokens.*Cost.*Project.*Task/);
        assert.match(lines.at(-1) ?? '', /2025-06-10T10:00:00\.000Z.*web-shop.*'=HYPERLINK/);
        const json = await download('Events as JSON');
        const parsed = JSON.parse(json.text) as { events: unknown[]; markers: { id: string }[] };
        assert.deepEqual([parsed.events.length, parsed.markers.map(({ id }) => id)], [13, ['m-1']]);
        const picture = await download('Page as a picture');
        assert.match(picture.name, /^usage-charts-all-2025-06-10\.png$/);
        assert.equal(picture.bytes.subarray(1, 4).toString('latin1'), 'PNG');
        const [width, height] = [picture.bytes.readUInt32BE(16), picture.bytes.readUInt32BE(20)];
        assert.ok(width > 2 * 900 && height > 2 * 1500, `${width} × ${height}: every chart, twice as fine`);
      },
    );

    await t.test('must show 3: the report in the terminal has the page’s numbers, on every cost basis', async () => {
      for (const [basis, name] of [
        ['list', 'List value'],
        ['reported', 'As reported'],
      ] as const) {
        await page.goto(`${server.page}#range=all&basis=${basis}`);
        await page.getByRole('radio', { name, checked: true }).waitFor();
        await requestsAre(page, 120);
        await tableRowsAre(page, 'table-daily', 6);
        const flags = ['--project', server.folder, '--zone', 'Europe/Berlin', '--cost-basis', basis];
        const { stdout } = await runFile(process.execPath, [
          ...[executablePath(), 'dashboard', 'report', '--by', 'day', '--format', 'json'],
          ...flags,
        ]);
        const { rows, total } = JSON.parse(stdout) as { rows: Sums[]; total: Sums };
        await kpiIs(page, 'total-cost', dollars(total.costCents));
        assert.deepEqual([total.requests, total.tokens], [120, 12_000]);
        const shown: string[][] = await page.evaluate(
          `[...document.querySelectorAll('#table-daily tbody tr')].map((row) => [...row.cells].slice(2, 5).map((cell) => cell.textContent))`,
        );
        const count = new Intl.NumberFormat('en-US');
        assert.deepEqual(
          shown,
          rows.map(({ requests, tokens, costCents }) => [
            count.format(requests),
            count.format(tokens),
            dollars(costCents),
          ]),
        );
      }
    });

    await t.test('fifty requests a page, newest first, there and back', async () => {
      await page.goto(open);
      await position(page, '1–50 of 120');
      await tableRowsAre(page, 'table-requests', 50);
      const [next, previous] = [
        page.getByRole('button', { name: 'Next page' }),
        page.getByRole('button', { name: 'Previous page' }),
      ];
      assert.equal(await previous.isDisabled(), true);
      await next.click();
      await position(page, '51–100 of 120');
      await next.click();
      await position(page, '101–120 of 120');
      await tableRowsAre(page, 'table-requests', 20);
      assert.equal(await next.isDisabled(), true);
      await hashIs(page, /page=3/);
      await page.reload();
      await position(page, '101–120 of 120');
      await previous.click();
      await position(page, '51–100 of 120');
      await filters(page).getByLabel('Max mode').selectOption('no');
      await position(page, '1–50 of 60');
      await hashIs(page, /^(?!.*page=)/);
    });

    await t.test('filters by project, minimum cost and max mode hold together', async () => {
      await page.goto(open);
      await position(page, '1–50 of 120');
      await filters(page).getByLabel('Project').selectOption('web-shop');
      await position(page, '1–12 of 12');
      assert.deepEqual(new Set(await column(page, 3)), new Set(['web-shop']));
      await filters(page).getByLabel('Max mode').selectOption('yes');
      await position(page, '1–6 of 6');
      await minCost(page, '0.14');
      const marked = ROWS.slice(0, 12).filter(({ maxMode, cents }) => maxMode && cents >= 14);
      await position(page, `1–${marked.length} of ${marked.length}`);
      await hashIs(page, /project=web-shop&min=0\.14&max=yes/);
      await filters(page).getByLabel('Project').selectOption({ label: 'Without marker' });
      const others = ROWS.slice(12).filter(({ maxMode, cents }) => maxMode && cents >= 14);
      await position(page, `1–${others.length} of ${others.length}`);
      await filters(page).getByLabel('Model').selectOption('composer-2.5');
      await filters(page).getByLabel('Kind').selectOption('On-Demand');
      const few = others.filter(({ model, kind }) => model === 'composer-2.5' && kind === 'On-Demand');
      await position(page, `of ${few.length}`);
      await minCost(page, 'a lot');
      await page.getByText('Enter US dollars such as 0.25.').waitFor();
      await minCost(page, '7,50');
      await page.getByText('No request passes these filters.').waitFor();
      await page.locator('.state').getByRole('button', { name: 'Reset filters' }).click();
      await position(page, '1–50 of 120');
      await requestsAre(page, 120);
    });

    await t.test('a column head sorts, and shows its direction', async () => {
      await position(page, '1–50 of 120');
      await page.evaluate(COUNT_QUERIES);
      const head = page.locator('#table-requests th', { has: page.getByRole('button', { name: 'Cost' }) });
      await head.getByRole('button').click();
      await head.and(page.locator('[aria-sort="descending"]')).waitFor();
      await rowsOf(page).first().getByText('$0.19').waitFor();
      await head.getByRole('button').click();
      await head.and(page.locator('[aria-sort="ascending"]')).waitFor();
      await rowsOf(page).first().getByText('$0.10').waitFor();
      await page.getByRole('button', { name: 'Next page' }).click();
      await position(page, '51–100 of 120');
      await filters(page).getByLabel('Max mode').selectOption('no');
      await position(page, '1–50 of 60');
      await filters(page).getByLabel('Max mode').selectOption('all');
      await position(page, '1–50 of 120');
      assert.deepEqual(await page.evaluate('queries'), Array(5).fill('table'), 'nothing is aggregated again');
      const daily = page.locator('#table-daily');
      await daily.getByRole('button', { name: 'Day' }).click();
      await daily.locator('th[aria-sort="ascending"]').waitFor();
      await daily.locator('tbody tr').first().getByText('Jun 5').waitFor();
    });

    await t.test('on a phone the cost is in sight, and no hour loses its label', async () => {
      await page.evaluate(RECORD_LABELS);
      await page.setViewportSize({ width: 390, height: 844 });
      for (const rows of [rowsOf(page), page.locator('#table-top tbody tr'), page.locator('#table-daily tbody tr')]) {
        const { x = 0, width = 0 } = (await rows.first().locator('td', { hasText: '$' }).boundingBox()) ?? {};
        assert.ok(width > 0 && x + width <= 390, `the cost ends at ${x + width}`);
      }
      await page.locator('#chart-byHour').scrollIntoViewIfNeeded();
      const hours = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'));
      const haveLabels = () => page.evaluate(`${JSON.stringify(hours)}.every((hour) => labels.has(hour))`);
      await eventually('a label for every hour', async () => (await haveLabels()) === true);
      await page.setViewportSize({ width: 1280, height: 900 });
    });

    await t.test('the fifteen most expensive, and none where nothing costs', async () => {
      await position(page, '1–50 of 120');
      const top = page.locator('#table-top tbody tr');
      await top.nth(14).waitFor();
      const costs: string[] = await page.evaluate(
        `[...document.querySelectorAll('#table-top tbody tr')].map((row) => row.textContent.match(/\\$\\d+\\.\\d\\d/)?.[0])`,
      );
      const expected = ROWS.map(({ cents }) => cents).sort((a, b) => b - a);
      assert.deepEqual(
        costs,
        expected.slice(0, 15).map((cents) => `$${(cents / 100).toFixed(2)}`),
      );
      await page.goto(`${server.page}#range=all&user=slope`);
      await page.getByText('No requests in this selection.').first().waitFor();
    });
  });

  check('rule A.6: without reported costs, a choice ranks by the list value', async (t) => {
    const included = usageRows(40, { kind: 'Included' });
    const server = await serveDashboard(t, { files: { 'data/usage-events-info.csv': csvOf(included) } });
    const page = await visit(t, browser, `${server.page}#range=all`);
    const card = page.locator('#top');
    const rows = page.locator('#table-top tbody tr');
    await card.getByText('No billable events.').waitFor();
    await tableRowsAre(page, 'table-top', 0);
    await card.getByRole('button', { name: 'Rank by list value' }).click();
    await rows.nth(14).waitFor();
    await tableRowsAre(page, 'table-top', 15);
    // The dearest are every tenth hour, at 19 cents: those four are first, the newest of them at 03:00 in Berlin.
    const times: string[] = await page.evaluate(
      `[...document.querySelectorAll('#table-top tbody tr')].slice(0, 4).map((row) => row.cells[0].textContent)`,
    );
    assert.deepEqual(
      times.map((time) => /(\d+:\d\d)/.exec(time)?.[1]),
      ['03:00', '17:00', '07:00', '21:00'],
    );
    await page.locator('[data-kpi="total-cost"] .kpi-value', { hasText: '$0.00' }).waitFor();
    await page.getByRole('radio', { name: 'Billed only' }).check();
    await card.getByText('No billable events.').waitFor();
  });
});
