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
import { findBarriers, findColourBarriers, fitsAcross, picture } from '../../../src/testing/browser.ts';
import { isLongRound } from '../../../src/testing/long-round.ts';
import { temporaryFolder } from '../../../src/testing/processes.ts';

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

browserTest('the analytics page for everybody', async (t, browser, check) => {
  const server = await serveDashboard(t, {
    files: {
      'data/usage-events-info.csv': csvOf(usageRows(36)),
      'data/usage-events-slope.csv': csvOf(usageRows(15, { shiftMs: 1_800_000, kind: 'Included' })),
      'data/project-markers.json': JSON.stringify({ version: 1, markers: MARKERS }),
    },
  });
  const open = `${server.page}#range=all`;

  for (const colorScheme of ['light', 'dark'] as const) {
    // In the dark nothing is wider than in the light, only colours differ.
    const widths = colorScheme === 'light' || isLongRound ? [1440, 1024, 390] : [390];
    const search = colorScheme === 'light' ? findBarriers : findColourBarriers;
    check(
      `${colorScheme}: no barriers with data, at a popover or in a dialog; ${widths} pixels are enough`,
      async (t) => {
        const page = await visit(t, browser, open, { colorScheme, width: 1440 });
        await requestsAre(page, 51);
        await page.locator('#table-markers tbody tr').nth(2).waitFor();
        await tableRowsAre(page, 'table-requests', 50);
        await chartsAreThere(page);
        for (const width of widths) {
          await page.setViewportSize({ width, height: 900 });
          await unroll(page, width);
          await fitsAcross(page, `the page of ${width} px`);
          if (width === 390) assert.deepEqual(await search(page), []);
          await picture(page, `dashboard/${colorScheme}-${width}`);
        }
        await page.setViewportSize({ width: 1440, height: 900 });
        const row = page.locator('#table-markers tr[data-marker-id="m-1"]');
        await row.scrollIntoViewIfNeeded();
        await row.hover();
        await page.getByRole('dialog', { name: 'web-shop' }).waitFor();
        assert.deepEqual(await search(page, '.popover'), []);
        await picture(page, `dashboard/${colorScheme}-popover`);
        await page.keyboard.press('m');
        const dialog = page.getByRole('dialog', { name: 'New marker' });
        await dialog.getByText(/^Covers/).waitFor();
        assert.deepEqual(await search(page, 'dialog[open]'), []);
        await picture(page, `dashboard/${colorScheme}-dialog`);
      },
    );
  }

  for (const colorScheme of ['light', 'dark'] as const) {
    check(`${colorScheme}: no barriers on the first visit, which shows a sample and says so`, async (t) => {
      const empty = await serveDashboard(t);
      const page = await visit(t, browser, empty.page, { colorScheme, now: 'real' });
      await page.getByText('This is sample data.').waitFor();
      await twinRows(page, 'overview');
      await page.locator('[data-kpi="requests"] .kpi-value', { hasText: /[1-9]/ }).waitFor();
      assert.deepEqual(await findBarriers(page, colorScheme === 'light' ? 'html' : '#drop-zone'), []);
      await page.setViewportSize({ width: 390, height: 900 });
      await fitsAcross(page, 'the page on a phone');
      await page.setViewportSize({ width: 1280, height: 900 });
      await page.evaluate('scrollTo(0, 0)');
      await picture(page, `dashboard/${colorScheme}-first-visit`);
      assert.equal((await fetch(`${empty.url}/data/usage-events-info.csv`)).status, 404);
    });
  }

  check('by keyboard alone: in reading order from the skip link to the tables', async (t) => {
    const page = await visit(t, browser, open);
    await requestsAre(page, 51);
    await page.locator('#table-markers tbody tr').nth(2).waitFor();
    await twinRows(page, 'overview');
    await page.evaluate('scrollTo(0, 0)');
    const keys = page.keyboard;
    await keys.press('Tab');
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to the content');
    await tabTo(page, '#language');
    await tabTo(page, 'input[name=source]:checked');
    await tabTo(page, 'input[name=user]:checked');
    await keys.press('ArrowRight');
    await requestsAre(page, 36);
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
    await requestsAre(page, 51);
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

  check('the hub links to the page, without a script, and the page names its needs as a file', async (t) => {
    const hub = await visit(t, browser, `${server.url}/`);
    assert.equal(await hub.locator('script').count(), 0);
    assert.deepEqual(await findBarriers(hub), []);
    await hub.getByRole('link').first().click();
    await hub.waitForURL(/\/analytics/);
    await requestsAre(hub, 40);

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
