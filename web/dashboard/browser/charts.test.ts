// The thirteen charts: legends, height, zoom by pointer and by key, data cursor, table, downloads.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import {
  browserTest,
  bytesOf,
  csvOf,
  figureOf,
  requestsAre,
  serveDashboard,
  storedValue,
  twinRows,
  usageRows,
  visit,
} from '../../../src/dashboard/testing/browser.ts';
import { restingBox, settles } from '../../../src/testing/browser.ts';

const KEYS = [
  'overview',
  'topCost',
  'topTokens',
  'tokenTypes',
  'modelFamily',
  'byHour',
  'cumulative',
  'inputOutput',
  'cacheEfficiency',
  'byWeekday',
  'markerByProject',
  'markerByCategory',
  'maxMode',
] as const;
const OVERVIEW = 'Tokens and cost over time';
const RUNNING = 'Running cost';

const legend = (page: Page, chart: string, series: string) =>
  figureOf(page, chart).locator('.chart-legend').getByRole('button', { name: series, exact: true });
const resetOf = (page: Page, title: string) => page.getByRole('button', { name: `Reset zoom: ${title}`, exact: true });

/** Drags across a chart, from one share of its width to another. */
async function drag(page: Page, chart: string, from: number, to: number, key?: string): Promise<void> {
  const plot = figureOf(page, chart).locator('.chart-plot');
  await plot.scrollIntoViewIfNeeded();
  await plot.locator('canvas[aria-label*=". "]').waitFor();
  const box = await restingBox(plot);
  const y = box.y + box.height * 0.6;
  if (key) await page.keyboard.down(key);
  await page.mouse.move(box.x + box.width * from, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * ((from + to) / 2), y, { steps: 3 });
  await page.mouse.move(box.x + box.width * to, y, { steps: 3 });
  await page.mouse.up();
  if (key) await page.keyboard.up(key);
}

/** Waits until a button is enabled, or disabled. */
async function isEnabled(page: Page, title: string, enabled: boolean): Promise<void> {
  await resetOf(page, title)
    .and(page.locator(enabled ? ':enabled' : ':disabled'))
    .waitFor();
}

const said = (page: Page, text: RegExp) =>
  page.locator('.content > [aria-live]', { hasText: text }).waitFor({ state: 'attached' });

browserTest('the charts of the analytics page', async (t, browser, check) => {
  const server = await serveDashboard(t, { files: { 'data/usage-events-info.csv': csvOf(usageRows(60)) } });
  const open = `${server.page}#range=all`;

  check('rule A.7', async (t) => {
    const page = await visit(t, browser, open);

    await t.test('thirteen canvases, each with a summary, a legend of buttons and a table', async () => {
      await twinRows(page, 'overview', 60);
      const canvases = await page.evaluate('[...document.querySelectorAll("canvas")].map(({ id }) => id).sort()');
      assert.deepEqual(canvases, KEYS.map((key) => `chart-${key}`).sort());
      for (const key of KEYS) {
        const figure = figureOf(page, key);
        await figure.scrollIntoViewIfNeeded();
        await figure.locator('canvas[role="img"][aria-label*=". "]').waitFor();
        assert.equal(await figure.locator('table').count(), 1, key);
        assert.equal(
          await figure.getByRole('button', { name: /^Taller: / }).getAttribute('aria-pressed'),
          'false',
          key,
        );
        for (const button of await figure.locator('.chart-legend button[data-series]').all()) {
          assert.match((await button.getAttribute('aria-pressed')) ?? '', /^(true|false)$/, key);
        }
      }
      for (const ring of ['tokenTypes', 'cacheEfficiency'])
        assert.equal(
          await figureOf(page, ring)
            .getByRole('button', { name: /^Reset zoom/ })
            .isVisible(),
          false,
        );
    });

    await t.test('the height toggle takes 90 percent of the window, title and legend included', async () => {
      for (const chart of ['overview', 'tokenTypes'] as const) {
        const figure = figureOf(page, chart);
        await figure.scrollIntoViewIfNeeded();
        await figure.locator('canvas[aria-label*=". "]').waitFor();
        const before = await restingBox(figure);
        const toggle = figure.getByRole('button', { name: /^Taller: / });
        await toggle.click();
        await figure.and(page.locator('[data-tall]')).waitFor();
        const tall = await restingBox(figure);
        assert.equal(tall.height, 810, 'of 900 px');
        const toolbar = await restingBox(page.locator('.toolbar'));
        const top = toolbar.y + toolbar.height;
        // The page may be scrolled to half a pixel.
        assert.ok(tall.y >= top && tall.y + tall.height < 901, 'all is in sight');
        assert.ok((await restingBox(figure.locator('.chart-plot'))).height > 600);
        assert.equal(await toggle.getAttribute('aria-pressed'), 'true');
        await toggle.click();
        await settles('the chart to be as high as before', async () =>
          assert.equal((await figure.boundingBox())?.height, before.height),
        );
      }
    });

    await t.test('a drag zooms both charts over time, and the button resets them', async () => {
      await twinRows(page, 'overview', 60);
      await isEnabled(page, OVERVIEW, false);
      await drag(page, 'overview', 0.3, 0.6);
      await isEnabled(page, OVERVIEW, true);
      await isEnabled(page, RUNNING, true);
      await said(page, /^Zoomed to /);
      await requestsAre(page, 60);
      await resetOf(page, OVERVIEW).click();
      await isEnabled(page, OVERVIEW, false);
      await isEnabled(page, RUNNING, false);
      await said(page, /^Whole range$/);
      await drag(page, 'cumulative', 0.2, 0.5);
      await isEnabled(page, OVERVIEW, true);
      await page.locator('h1').click();
      await page.keyboard.press('0');
      await isEnabled(page, OVERVIEW, false);
      const plot = figureOf(page, 'overview').locator('.chart-plot');
      await plot.hover();
      const top = await page.evaluate('scrollY');
      await page.keyboard.down('Control');
      await page.mouse.wheel(0, -400);
      await page.keyboard.up('Control');
      await isEnabled(page, OVERVIEW, true);
      assert.equal(await page.evaluate('scrollY'), top, 'the wheel with Ctrl does not scroll');
      await plot.dblclick({ position: { x: 400, y: 150 } });
      await isEnabled(page, OVERVIEW, false);
      await drag(page, 'byHour', 0.3, 0.6);
      await isEnabled(page, 'Hour of day', true);
      await isEnabled(page, OVERVIEW, false);
    });

    await t.test('three days by keyboard: cursor, series, ends, zoom; each step is announced', async () => {
      await page.goto(`${open}&by=day`);
      const days = await twinRows(page, 'overview', 3);
      const plot = figureOf(page, 'overview').locator('.chart-plot');
      await plot.focus();
      const keys = page.keyboard;
      const names = days.map(([name = '']) => name);
      const starts = (name: string | undefined) => new RegExp(`^${(name ?? '').replace(/[.*+?()|[\]\\]/g, '\\$&')}: `);
      await keys.press('ArrowRight');
      await said(page, starts(names[0]));
      await keys.press('ArrowRight');
      await said(page, starts(names[1]));
      await keys.press('End');
      await said(page, starts(names[2]));
      await figureOf(page, 'overview').locator('.chart-tip').waitFor();
      await keys.press('Home');
      await said(page, starts(names[0]));
      await said(page, /: Input [\d,]+$/);
      await keys.press('ArrowDown');
      await said(page, /: Cache write [\d,]+$/);
      await keys.press('ArrowUp');
      await said(page, /: Input [\d,]+$/);
      await keys.press('+');
      await isEnabled(page, OVERVIEW, true);
      await said(page, /^Zoomed to /);
      await keys.press('0');
      await said(page, /^Whole range$/);
      await isEnabled(page, OVERVIEW, false);
      await keys.press('ArrowRight');
      await keys.press('Escape');
      await figureOf(page, 'overview').locator('.chart-tip').waitFor({ state: 'hidden' });
    });

    await t.test('three days as a table, by another measure, as a picture and as data', async () => {
      const rows = await twinRows(page, 'overview', 3);
      const figure = figureOf(page, 'overview');
      assert.equal(await figure.locator('.chart-plot').isVisible(), true);
      await figure.getByRole('button', { name: `Table view: ${OVERVIEW}` }).click();
      await figure.getByRole('rowheader', { name: rows[0]?.[0] ?? '', exact: true }).waitFor();
      await figure.getByRole('button', { name: `Table view: ${OVERVIEW}` }).click();
      const download = figure.getByRole('button', { name: `Download: ${OVERVIEW}` });
      for (const [entry, name, start] of [
        ['Data (CSV)', 'usage-overview.csv', /^Start \(UTC\),End \(UTC\),Input,/],
        ['Picture (PNG)', 'usage-overview.png', /^.PNG/],
      ] as const) {
        await download.click();
        const [file] = await Promise.all([
          page.waitForEvent('download'),
          figure.getByRole('button', { name: entry }).click(),
        ]);
        assert.equal(file.suggestedFilename(), name);
        assert.match((await bytesOf(file)).toString('latin1'), start);
      }
      await figureOf(page, 'byHour').scrollIntoViewIfNeeded();
      const measures = figureOf(page, 'byHour').getByRole('group', { name: 'Measure of Hour of day' });
      await measures.getByRole('button', { name: 'Cost' }).click();
      await measures.locator('[aria-pressed="true"]', { hasText: 'Cost' }).waitFor();
      await figureOf(page, 'byHour').locator('thead', { hasText: 'Cost' }).waitFor({ state: 'attached' });
    });

    await t.test('rule A.7: a hidden series stays hidden after a reload, chart by chart', async () => {
      const nonsense = '{"overview":{"nonsense":false},"other":{"x":false}}';
      await page.evaluate(`localStorage.setItem('usage-analytics-chart-visibility', ${JSON.stringify(nonsense)})`);
      // Another document, which reads what is stored.
      await page.goto('about:blank');
      await page.goto(`${open}&by=hour`);
      await twinRows(page, 'overview', 60);
      for (const name of ['Cache read', 'Total tokens']) await legend(page, 'overview', name).click();
      await figureOf(page, 'overview').locator('button[data-series][aria-pressed="false"]').nth(1).waitFor();
      const stored = JSON.parse((await storedValue(page, 'usage-analytics-chart-visibility')) ?? '');
      assert.deepEqual(Object.values(stored.overview), Object.values(stored.overview).fill(false));
      await page.reload();
      await twinRows(page, 'overview', 60);
      assert.equal(await legend(page, 'overview', 'Cache read').getAttribute('aria-pressed'), 'false');
      assert.equal(await legend(page, 'overview', 'Input').getAttribute('aria-pressed'), 'true');
      assert.equal(await figureOf(page, 'overview').locator('thead th', { hasText: 'Cache read' }).count(), 0);
      await figureOf(page, 'tokenTypes').scrollIntoViewIfNeeded();
      await legend(page, 'tokenTypes', 'Cache read').waitFor();
      assert.equal(await legend(page, 'tokenTypes', 'Cache read').getAttribute('aria-pressed'), 'true');
      const shown = figureOf(page, 'overview').locator('button[data-series][aria-pressed="true"]');
      for (let left = await shown.count(); left > 0; left--) {
        await shown.first().click();
        await shown.nth(left - 1).waitFor({ state: 'detached' });
      }
      await figureOf(page, 'overview').getByText('All series are hidden').waitFor();
      await figureOf(page, 'overview').getByRole('button', { name: 'Show all' }).click();
      await figureOf(page, 'overview')
        .locator('button[data-series][aria-pressed="false"]')
        .first()
        .waitFor({ state: 'detached' });
      await legend(page, 'overview', 'Output').click({ modifiers: ['Control'] });
      await shown.nth(1).waitFor({ state: 'detached' });
      assert.equal(await shown.textContent(), 'Output', 'Ctrl shows one alone');
    });
  });
});
