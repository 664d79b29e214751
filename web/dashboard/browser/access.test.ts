// Accessibility of the page: by keyboard alone, with assistive technology, in both themes, on phones and wide screens, and
// where it cannot work.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import {
  browserTest,
  chartsAreThere,
  csvOf,
  figureOf,
  hashIs,
  requestsAre,
  serveDashboard,
  tableRowsAre,
  tabTo,
  twinRows,
  usageRows,
  visit,
} from '../../../src/dashboard/testing/browser.ts';
import { findBarriers, findColourBarriers, fitsAcross } from '../../../src/testing/browser.ts';
import { temporaryFolder } from '../../../src/testing/processes.ts';

/** Few: the search for barriers takes its time for each cell. */
const INFO = usageRows(12);
const SLOPE = usageRows(3, { shiftMs: 1_800_000, kind: 'Included' });
const MARKERS = [
  ['m-1', '2025-06-10T04:30:00Z', '2025-06-10T08:30:00Z', 'web-shop', 'Feature: login'],
  ['m-2', '2025-06-09T10:30:00Z', '2025-06-09T16:30:00Z', 'api', 'Bugfix: crash'],
  ['m-3', '2025-06-10T08:45:00Z', null, 'docs', 'install guide'],
].map(([id, start, end, project, task]) => ({ id, user: 'info', start, end, project, task }));

/** Draws every chart by making the window as tall as the page. */
async function unroll(page: Page, width: number): Promise<void> {
  const height = (await page.evaluate('document.documentElement.scrollHeight')) as number;
  await page.setViewportSize({ width, height });
  for (const figure of await page.locator('figure.chart').all()) {
    await figure.locator('canvas[aria-label*=". "]').waitFor();
  }
}

/** Searches the page for barriers, and for those of colours in the dark, where nothing else differs. */
async function search(page: Page): Promise<void> {
  assert.deepEqual(await findBarriers(page), []);
  await page.emulateMedia({ colorScheme: 'dark' });
  assert.deepEqual(await findColourBarriers(page), []);
  await page.emulateMedia({ colorScheme: 'light' });
}

browserTest('the analytics page for everybody', async (t, browser, check) => {
  const server = await serveDashboard(t, {
    files: {
      'data/usage-events-info.csv': csvOf(INFO),
      'data/usage-events-slope.csv': csvOf(SLOPE),
      'data/project-markers.json': JSON.stringify({ version: 1, markers: MARKERS }),
    },
  });
  const open = `${server.page}#range=all`;

  check('no barriers with data, at a popover or in a dialog; 390 pixels are enough', async (t) => {
    const page = await visit(t, browser, open, { width: 1440 });
    await requestsAre(page, 15);
    await page.locator('#table-markers tbody tr').nth(2).waitFor();
    await tableRowsAre(page, 'table-requests', 15);
    await chartsAreThere(page);
    await page.setViewportSize({ width: 390, height: 900 });
    await unroll(page, 390);
    await fitsAcross(page, 'the page of a phone');
    await search(page);
    await page.setViewportSize({ width: 1440, height: 900 });
    const row = page.locator('#table-markers tr[data-marker-id="m-1"]');
    await row.scrollIntoViewIfNeeded();
    await row.hover();
    await page.getByRole('dialog', { name: 'web-shop' }).waitFor();
    assert.deepEqual(await findBarriers(page, '.popover'), []);
    await page.keyboard.press('m');
    const dialog = page.getByRole('dialog', { name: 'New marker' });
    await dialog.getByText(/^Covers/).waitFor();
    assert.deepEqual(await findBarriers(page, 'dialog[open]'), []);
  });

  check('from the hub, without a script; by keyboard alone, from the skip link to the tables', async (t) => {
    const page = await visit(t, browser, `${server.url}/`);
    assert.equal(await page.locator('script').count(), 0);
    assert.deepEqual(await findBarriers(page), []);
    await page.getByRole('link').first().click();
    await page.waitForURL(/\/analytics/);
    await requestsAre(page, 15);
    await page.goto(open);
    await page.getByRole('radio', { name: 'All events', checked: true }).waitFor();
    await page.locator('#table-markers tbody tr').nth(2).waitFor();
    await twinRows(page, 'overview');
    await page.evaluate('scrollTo(0, 0)');
    const keys = page.keyboard;
    await keys.press('Tab');
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to the content');
    await tabTo(page, '.language select');
    await tabTo(page, 'input[name=source]:checked');
    await tabTo(page, 'input[name=user]:checked');
    await keys.press('ArrowRight');
    await requestsAre(page, 12);
    await tabTo(page, '[aria-haspopup=menu]');
    await keys.press('ArrowDown');
    await keys.press('End');
    assert.equal(await page.evaluate('document.activeElement.matches("[role=menuitem]:last-child")'), true);
    await keys.press('Escape');
    assert.equal(await page.evaluate('document.activeElement.getAttribute("aria-expanded")'), 'false');
    await tabTo(page, 'input[name=period]:checked');
    await keys.press('ArrowLeft');
    await page.locator('.resolved', { hasText: /^30 d/ }).waitFor();
    await tabTo(page, '#budget');
    await tabTo(page, 'figure[data-chart-key=overview] .chart-plot');
    await keys.press('End');
    await figureOf(page, 'overview').locator('.chart-tip').waitFor();
    await tabTo(page, 'figure[data-chart-key=overview] .chart-legend button');
    await keys.press('Space');
    await figureOf(page, 'overview').locator('.chart-legend [aria-pressed=false]').waitFor();
    await tabTo(page, '#table-markers tr[data-marker-id]');
    const popover = page.locator('.popover');
    await popover.waitFor();
    await keys.press('Enter');
    assert.equal(await page.evaluate('document.activeElement.closest(".popover") !== null'), true);
    await keys.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Edit marker' });
    await dialog.waitFor();
    await keys.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await page.evaluate('document.activeElement.matches("tr[data-marker-id]")'), true, 'back on the row');
    await tabTo(page, '#table-requests .sort');
  });

  check('single keys, listed by a question mark, and silent in text fields', async (t) => {
    const page = await visit(t, browser, open);
    await requestsAre(page, 15);
    const keys = page.keyboard;
    for (const [key, hash] of [
      ['4', /by=day/],
      ['5', /by=week/],
      ['b', /source=merge/],
      ['c', /source=csv/],
      ['x', /compare=1/],
      ['x', /^(?!.*compare)/],
      ['t', /range=latest-50/],
      ['t', /range=all/],
    ] as const) {
      await keys.press(key);
      await hashIs(page, hash);
    }
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await t.test('without any token live data are explained, not tried', async () => {
      assert.equal(await page.getByRole('button', { name: 'Refresh live data' }).isDisabled(), true);
      await keys.press('l');
      await page.getByRole('alert').getByText('USAGE_SESSION_TOKEN_INFO').waitFor();
      await keys.press('c');
      await page.getByRole('alert').waitFor({ state: 'detached' });
    });
    const theme = () => page.getByLabel('Theme').inputValue();
    await keys.press('d');
    assert.equal(await theme(), 'light');
    await keys.press('d');
    assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark');
    await keys.press('/');
    assert.equal(await page.evaluate('document.activeElement.closest("[role=search]") !== null'), true);
    await page.locator('#budget').focus();
    await keys.press('4');
    await keys.press('t');
    assert.match(await page.evaluate('location.hash'), /range=all&by=week/);
    await page.locator('h1').focus();
    await keys.press('?');
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await help.getByText('Compare with the previous period').waitFor();
    assert.deepEqual(await findBarriers(page, 'dialog[open]'), []);
    await keys.press('t');
    await keys.press('Escape');
    await help.waitFor({ state: 'detached' });
    assert.match(await page.evaluate('location.hash'), /range=all/);
    await page.goto(`${server.page}#range=2h`);
    await page.locator('.resolved', { hasText: /^2 h to/ }).waitFor();
    await keys.press('[');
    await hashIs(page, /range=2025-06-10T08:00\.\.2025-06-10T09:59/);
  });

  check('the page names its needs as a file', async (t) => {
    const file = join(temporaryFolder(t), 'index.html');
    writeFileSync(file, await (await fetch(server.page)).text());
    const context = await browser.newContext();
    t.after(() => context.close());
    const page = await context.newPage();
    await page.goto(pathToFileURL(file).href);
    await page.getByText('This page needs its server.').waitFor();
    await page.getByText('opsdeck dashboard serve --open').waitFor();
  });
});
