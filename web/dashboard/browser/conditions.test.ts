// The page under adverse conditions: with the system's own few colours, at 400 percent, without its worker or its
// charts.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import {
  browserTest,
  choose,
  csvOf,
  figureOf,
  hashIs,
  NOW,
  requestsAre,
  serveDashboard,
  tabTo,
  twinRows,
  usageRows,
  visit,
} from '../../../src/dashboard/testing/browser.ts';
import { findBarriers, fitsAcross, picture, settles } from '../../../src/testing/browser.ts';
import { eventually } from '../../../src/testing/eventually.ts';

/**
 * The fill at the foot of a chart's bar, with its middle taken from the keyboard's cursor: `solid`, or horizontal, vertical
 * or slanted stripes.
 */
async function fillOf(page: Page, chart: string, index: number): Promise<string> {
  const plot = figureOf(page, chart).locator('.chart-plot');
  await plot.focus();
  await page.keyboard.press('Home');
  for (let presses = 0; presses < index; presses++) await page.keyboard.press('ArrowRight');
  return page.evaluate(`(() => {
    const figure = document.querySelector('figure[data-chart-key="${chart}"]');
    const canvas = figure.querySelector('canvas');
    const band = figure.querySelector('.chart-band');
    const scale = canvas.width / canvas.clientWidth;
    const x = Math.round((band.offsetLeft + band.offsetWidth / 2 - 8) * scale);
    const y = Math.round((band.offsetTop + band.offsetHeight - 24) * scale);
    const { data } = canvas.getContext('2d').getImageData(x, y, 16, 16);
    const cells = Array.from({ length: 16 }, (_, row) => Array.from({ length: 16 }, (_, column) => data[(row * 16 + column) * 4] > 128));
    if (cells.flat().every((cell) => cell === cells[0][0])) return 'solid';
    if (cells.every((row) => row.every((cell) => cell === row[0]))) return 'lying';
    if (cells.every((row) => row.every((cell, column) => cell === cells[0][column]))) return 'standing';
    return 'leaning';
  })()`);
}

const swatches = (page: Page, chart: string): Promise<string[]> =>
  page.evaluate(
    `[...document.querySelectorAll('figure[data-chart-key="${chart}"] .chart-legend .chart-swatch')].map((swatch) => getComputedStyle(swatch).backgroundImage.match(/-?\\d+deg/)?.[0] ?? 'solid')`,
  );

/** Sums up the layout shift, as browsers measure it. */
const WATCH_SHIFTS = `window.shifts = { sum: 0, sources: '' };
new PerformanceObserver((list) => {
  for (const { value, sources } of list.getEntries()) {
    shifts.sum += value;
    shifts.sources += sources.map(({ node }) => node?.className || node?.nodeName).join(' ') + '; ';
  }
}).observe({ type: 'layout-shift', buffered: true });`;
/** The limit of a good score: https://web.dev/articles/cls. */
const MAX_SHIFTED = 0.1;

/** Elements that stick out of the window at the side, or are covered while focused. */
const SPILLED = `[...document.querySelectorAll('a, button, input, select, h1, h2, h3, p, label')].filter((element) => {
  const { left, right, width, height } = element.getBoundingClientRect();
  const isShown = width > 1 && height > 1 && element.checkVisibility({ visibilityProperty: true }) && !element.closest('.table-box, .chart-twin');
  return isShown && (left < -1 || right > innerWidth + 1);
}).map((element) => element.outerHTML.slice(0, 120))`;

const COVERED = `(() => {
  const element = document.activeElement;
  const { left, right, top, bottom } = element.getBoundingClientRect();
  if (top < 0 || bottom > innerHeight) return 'out of sight';
  const found = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  return element === found || element.contains(found) || found?.closest('label')?.contains(element) ? '' : found?.outerHTML.slice(0, 120);
})()`;

browserTest('the analytics page under conditions', async (t, browser, check) => {
  const server = await serveDashboard(t, { files: { 'data/usage-events-info.csv': csvOf(usageRows(60)) } });
  const open = `${server.page}#range=all`;

  check('forced colours: patterns distinguish the series, in chart and legend, whatever is hidden', async (t) => {
    const page = await visit(t, browser, 'about:blank');
    await page.emulateMedia({ forcedColors: 'active' });
    await page.goto(open);
    await twinRows(page, 'modelFamily', 3);
    const fills = async () => [await fillOf(page, 'modelFamily', 0), await fillOf(page, 'modelFamily', 1)].join();
    await eventually('the chart to be drawn', async () => (await fills()) === 'solid,leaning');
    await eventually('its third bar', async () => (await fillOf(page, 'modelFamily', 2)) === 'lying');
    assert.deepEqual(await swatches(page, 'modelFamily'), ['solid', '-45deg', '0deg']);
    await figureOf(page, 'modelFamily').locator('button[data-series]').first().click();
    await twinRows(page, 'modelFamily', 2);
    await eventually('the others to keep theirs', async () => (await fills()) === 'leaning,lying');
    assert.deepEqual(await swatches(page, 'modelFamily'), ['solid', '-45deg', '0deg']);
  });

  check('400 percent: 320 pixels are enough for everything, without a scroll to the side', async (t) => {
    // A window of 1280 × 1024 at 400 percent.
    const page = await visit(t, browser, open, { width: 320, height: 256, device: { deviceScaleFactor: 4 } });
    await requestsAre(page, 60);
    await twinRows(page, 'overview', 60);
    await fitsAcross(page);
    await settles('all to be in the window', async () => assert.deepEqual(await page.evaluate(SPILLED), []));
    await page.evaluate('scrollTo(0, 0)');
    await page.locator('h1').focus();
    for (const control of ['.language select', '#budget', 'figure[data-chart-key=overview] .chart-legend button']) {
      await tabTo(page, control);
      await settles(`${control} to be in sight`, async () => assert.equal(await page.evaluate(COVERED), ''));
    }
    await page.getByRole('button', { name: 'Change' }).click();
    await choose(page, 'Granularity', 'Day');
    await choose(page, 'Period', 'Custom');
    await hashIs(page, /by=day/);
    await settles('all to be in the window with a range of one’s own', async () =>
      assert.deepEqual(await page.evaluate(SPILLED), []),
    );
    await page.keyboard.press('m');
    const dialog = page.getByRole('dialog', { name: 'New marker' });
    await dialog.getByLabel('Project').fill('web-shop');
    assert.equal(
      await page.evaluate(
        `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('dialog[open]'))`,
      ),
      0,
    );
    await dialog.getByRole('button', { name: 'Save marker' }).scrollIntoViewIfNeeded();
    await picture(page, 'dashboard/zoomed-400-percent');
    await dialog.getByRole('button', { name: 'Save marker' }).click();
    await page.getByRole('button', { name: 'Edit marker: web-shop' }).waitFor();
    await fitsAcross(page);
  });

  check('nothing jumps while the data and the charts load on a phone', async (t) => {
    const page = await visit(t, browser, 'about:blank', { width: 390, once: true });
    await page.addInitScript(WATCH_SHIFTS);
    await page.goto(open);
    await requestsAre(page, 60);
    await page.locator('main:not([aria-busy])').waitFor();
    await figureOf(page, 'overview').locator('canvas[aria-label*=". "]').waitFor();
    const { sum, sources } = await page.evaluate<{ readonly sum: number; readonly sources: string }>('shifts');
    assert.ok(sum < MAX_SHIFTED, `${sum}: ${sources}`);
  });

  check('a worker that is no code: the page shows it and the remedy', async (t) => {
    const page = await visit(t, browser, 'about:blank');
    const answer = { status: 200, contentType: 'text/javascript', body: 'this is no code' };
    await page.route('**/assets/worker-*.js', (route) => route.fulfill(answer));
    await page.goto(open);
    const alert = page.getByRole('alert').filter({ hasText: 'The data cannot be read.' });
    await alert.getByText('Reload the page; if that does not help, restart the server.').waitFor();
    await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
    assert.deepEqual(await findBarriers(page, '.notices'), []);
    await page.unroute('**/assets/worker-*.js');
    await alert.getByRole('button', { name: 'Reload' }).click();
    await requestsAre(page, 60);
  });

  check('a worker that fails before the users are known: the page shows no loading state', async (t) => {
    const page = await visit(t, browser, 'about:blank');
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/assets/worker-*.js', (route) => route.fulfill({ status: 404 }));
    await page.route('**/api/users', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(open);
    await page.getByRole('alert').filter({ hasText: 'The data cannot be read.' }).waitFor();
    release();
    await page.getByRole('group', { name: 'User', exact: true }).getByRole('radio', { name: 'slope' }).waitFor();
    assert.equal(await page.locator('[aria-busy="true"]').count(), 0);
  });

  check('without the charts’ code the page reports it, and its figures and tables are there', async (t) => {
    const page = await visit(t, browser, 'about:blank');
    await page.route('**/assets/charts-chunk-*.js', (route) => route.abort());
    await page.goto(open);
    await page.getByRole('alert').filter({ hasText: 'The charts could not be loaded.' }).waitFor();
    await requestsAre(page, 60);
    await page.locator('.pager-position', { hasText: '1–50 of 60' }).waitFor();
    assert.equal(await page.locator('figure.chart').count(), 0);
    await choose(page, 'Period', 'last 2 hours');
    await requestsAre(page, 3);
    assert.deepEqual(await findBarriers(page, '[role=alert]'), []);
  });

  check('charts that are missing after ten seconds are given up, and are not drawn later', async (t) => {
    const page = await visit(t, browser, 'about:blank', { now: 'real', once: true });
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/assets/charts-chunk-*.js', async (route) => {
      await held;
      await route.continue();
    });
    // The clock is stopped: a slow load of the rest does not use up the ten seconds.
    await page.clock.install({ time: '2025-06-10T11:00:00Z' });
    await page.clock.pauseAt(NOW);
    await page.goto(open, { waitUntil: 'commit' });
    await requestsAre(page, 60);
    const alert = page.getByRole('alert').filter({ hasText: 'The charts could not be loaded.' });
    assert.equal(await alert.count(), 0, 'they are waited for');
    await page.clock.fastForward(10_000);
    await alert.waitFor();
    const arrived = page.waitForResponse(/charts-chunk/);
    release();
    await (await arrived).finished();
    await choose(page, 'Period', 'last 2 hours');
    await requestsAre(page, 3);
    assert.equal(await page.locator('figure.chart').count(), 0);
  });
});
