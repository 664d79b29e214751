// Project markers: made, shown, changed, deleted, imported, exported and shared with another browser.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import {
  browserTest,
  bytesOf,
  chooseFile,
  csvOf,
  type DashboardServer,
  figureOf,
  hashIs,
  NOW,
  requestsAre,
  serveDashboard,
  storedValue,
  twinRows,
  usageRows,
  visit,
} from '../../../src/dashboard/testing/browser.ts';
import { findBarriers, restingBox } from '../../../src/testing/browser.ts';
import { eventually } from '../../../src/testing/eventually.ts';

interface Marker {
  readonly id: string;
  readonly user: string;
  readonly start: string;
  readonly end: string | null;
  readonly project: string;
  readonly task: string;
  readonly note: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

const LOGIN: Marker = {
  id: 'm-login',
  user: 'info',
  start: '2025-06-10T04:30:00.000Z',
  end: '2025-06-10T08:30:00.000Z',
  project: 'web-shop',
  task: 'Feature: login',
  note: 'with two factors',
  createdAt: '2025-06-09T00:00:00.000Z',
  updatedAt: '2025-06-09T00:00:00.000Z',
};
const CRASH: Marker = {
  ...LOGIN,
  id: 'm-crash',
  project: 'api',
  task: 'Bugfix: crash',
  end: '2025-06-09T12:30:00.000Z',
  start: '2025-06-09T10:30:00.000Z',
};
const store = (...markers: Marker[]): string => JSON.stringify({ version: 1, markers });

async function markersOf(server: DashboardServer): Promise<readonly Marker[]> {
  return ((await (await fetch(`${server.url}/api/markers`)).json()) as { markers: Marker[] }).markers;
}

const stored = (server: DashboardServer, count: number): Promise<readonly Marker[]> =>
  eventually(`${count} markers on the server`, async () => {
    const markers = await markersOf(server);
    return markers.length === count && markers;
  });

const dialogOf = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true });
const edit = (page: Page, project: string) =>
  page.getByRole('button', { name: `Edit marker: ${project}`, exact: true });

browserTest('project markers on the analytics page', async (t, browser, check) => {
  const csv = { 'data/usage-events-info.csv': csvOf(usageRows(48, { cents: 10 })) };
  const serve = (...markers: Marker[]) =>
    serveDashboard(t, { files: { ...csv, 'data/project-markers.json': store(...markers) } });

  check('markers of ranges and of the dialog', async (t) => {
    const server = await serve();
    const page = await visit(t, browser, `${server.page}#range=all&by=hour`);

    await t.test('a range drawn with Alt, or after “Mark range”, becomes a marker', async () => {
      await twinRows(page, 'overview', 48);
      for (const way of ['Alt', 'Mark range']) {
        const figure = figureOf(page, 'overview');
        if (way !== 'Alt') {
          await figure.getByRole('button', { name: way }).click();
          await figure.getByText('Drag across the chart to mark a range.').waitFor();
        }
        await figure.locator('canvas[aria-label*=". "]').waitFor();
        const box = await restingBox(figure.locator('.chart-plot'));
        if (way === 'Alt') await page.keyboard.down('Alt');
        await page.mouse.move(box.x + box.width * 0.4, box.y + 150);
        await page.mouse.down();
        await page.mouse.move(box.x + box.width * 0.6, box.y + 150, { steps: 4 });
        await page.mouse.up();
        if (way === 'Alt') await page.keyboard.up('Alt');
        const dialog = dialogOf(page, 'New marker');
        const [from, to] = [await dialog.getByLabel(/^From/).inputValue(), await dialog.getByLabel(/^To/).inputValue()];
        assert.match(from, /^2025-06-09T\d\d:00$/);
        assert.ok(to > from, `${from} to ${to}`);
        await page.keyboard.press('Escape');
        await dialog.waitFor({ state: 'detached' });
      }
    });

    await t.test('rule A.10: a marker is made in the dialog, edited, deleted and restored', async () => {
      await requestsAre(page, 48);
      await figureOf(page, 'overview').getByRole('button', { name: 'Set marker' }).click();
      const dialog = dialogOf(page, 'New marker');
      const from = dialog.getByLabel(/^From/);
      assert.equal(await from.inputValue(), '2025-06-10T14:00', 'now, in the display zone');
      await dialog.getByRole('button', { name: 'Save marker' }).click();
      await dialog.getByText('Enter a project.').waitFor();
      await from.fill('2025-06-10T08:30');
      await dialog.getByLabel(/^To/).fill('2025-06-10T08:00');
      await dialog.getByRole('button', { name: 'Save marker' }).click();
      await dialog.getByText('Must be later than the start.').waitFor();
      await dialog.getByLabel(/^To/).fill('2025-06-10T10:30');
      await dialog.getByText('Covers 2 requests · $0.20.').waitFor();
      await dialog.getByLabel('Project').fill('web-shop');
      await dialog.getByRole('button', { name: 'Feature' }).click();
      await page.keyboard.type('cart');
      await dialog.getByLabel('Note').fill('first try');
      await page.keyboard.press('Shift+Tab');
      await dialog.getByLabel('Project').press('Enter');
      const [made] = await stored(server, 1);
      assert.deepEqual(
        { ...made, id: made?.id.slice(0, 2) },
        {
          id: 'm-',
          user: 'info',
          start: '2025-06-10T06:30:00.000Z',
          end: '2025-06-10T08:30:00.000Z',
          project: 'web-shop',
          task: 'Feature: cart',
          note: 'first try',
          createdAt: new Date(NOW).toISOString(),
          updatedAt: new Date(NOW).toISOString(),
        },
      );
      await page.clock.setFixedTime('2025-06-10T12:05:00Z');
      await edit(page, 'web-shop').click();
      await dialogOf(page, 'Edit marker').getByLabel('Project').fill('shop');
      await page.keyboard.press('Escape');
      await dialogOf(page, 'Edit marker').waitFor({ state: 'detached' });
      assert.equal(await page.evaluate('document.activeElement.getAttribute("aria-label")'), 'Edit marker: web-shop');
      await edit(page, 'web-shop').click();
      await dialogOf(page, 'Edit marker').getByLabel('Project').fill('shop');
      await page.keyboard.press('Enter');
      await edit(page, 'shop').click();
      const [changed] = await eventually('the change on the server', async () => {
        const all = await markersOf(server);
        return all[0]?.project === 'shop' && all;
      });
      assert.deepEqual([changed?.createdAt, changed?.updatedAt], [made?.createdAt, '2025-06-10T12:05:00.000Z']);
      await dialogOf(page, 'Edit marker').getByRole('button', { name: 'Delete marker' }).click();
      const question = dialogOf(page, 'Delete this marker?');
      await question.getByText('“shop” covers 2 requests.').waitFor();
      assert.deepEqual(await findBarriers(page, 'dialog[open]'), []);
      await question.getByRole('button', { name: 'Delete marker' }).click();
      await page.getByText('No markers yet.').waitFor();
      await stored(server, 0);
      await page.getByRole('button', { name: 'Undo' }).click();
      await edit(page, 'shop').waitFor();
      await stored(server, 1);
      await edit(page, 'shop').click();
      await dialogOf(page, 'Edit marker').getByLabel(/^To/).fill('');
      await dialogOf(page, 'Edit marker').getByLabel('Project').press('Enter');
      await page.locator('#table-markers tbody tr', { hasText: '*' }).waitFor();
      await figureOf(page, 'overview').scrollIntoViewIfNeeded();
      await figureOf(page, 'overview').getByText('* open-ended').waitFor();
    });

    await t.test('rule A.10: markers are exported, and imported after a question; nothing is deleted', async () => {
      const [shop] = await eventually('the open end on the server', async () => {
        const all = await markersOf(server);
        return all[0]?.end === null && all;
      });
      assert.ok(shop);
      await page.getByRole('button', { name: 'Export', exact: true }).click();
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: /^Markers as JSON/ }).click(),
      ]);
      assert.equal(file.suggestedFilename(), 'usage-markers-2025-06-10.json');
      assert.deepEqual(JSON.parse((await bytesOf(file)).toString('utf8')), { version: 1, markers: [shop] });
      const newer = { ...shop, project: 'newer', updatedAt: '2025-06-11T00:00:00.000Z' };
      const bad = { ...CRASH, id: 'bad', end: CRASH.start };
      const name = 'theirs.json';
      await chooseFile(page, 'Import markers', { name, text: JSON.stringify([newer, CRASH, bad]) });
      const question = dialogOf(page, 'Import markers?');
      await question.getByText('1 new, 1 updated, 1 skipped. Nothing is deleted.').waitFor();
      assert.deepEqual(await findBarriers(page, 'dialog[open]'), []);
      await question.getByRole('button', { name: 'Import' }).click();
      await edit(page, 'newer').waitFor();
      const markers = await stored(server, 2);
      assert.deepEqual(new Set(markers.map(({ project }) => project)), new Set(['newer', 'api']));
      await chooseFile(page, 'Import markers', { name, text: store(shop) });
      await page.getByText('There is nothing new in theirs.json').waitFor();
      await chooseFile(page, 'Import markers', { name, text: '{"events":[]' });
      await page.getByText('theirs.json holds no markers.').waitFor();
      await edit(page, 'newer').waitFor();
    });
  });

  check('markers in the tables and on the chart', async (t) => {
    const server = await serve(LOGIN, CRASH);
    const page = await visit(t, browser, `${server.page}#range=all`);

    await t.test('a focused element of a table keeps the focus when the tables are drawn anew', async () => {
      await edit(page, 'web-shop').waitFor();
      await page.locator('main:not([aria-busy])').waitFor();
      await edit(page, 'web-shop').focus();
      await page.keyboard.press('5');
      await hashIs(page, /by=week/);
      await page.locator('main:not([aria-busy])').waitFor();
      assert.equal(await page.evaluate('document.activeElement.getAttribute("aria-label")'), 'Edit marker: web-shop');
    });

    await t.test('rule A.10: a row with a marker names it; one checkbox in three toolbars', async () => {
      await page.locator('#table-markers tbody tr').nth(1).waitFor();
      const popover = dialogOf(page, 'web-shop');
      for (const table of ['table-top', 'table-requests', 'table-markers']) {
        const row = page.locator(`#${table} tr[data-marker-id="m-login"]`).first();
        await row.scrollIntoViewIfNeeded();
        await row.hover();
        await popover.waitFor();
        for (const text of ['Feature: login', 'info', 'with two factors', '4', '400', '$0.40'])
          await popover.getByText(text, { exact: true }).first().waitFor();
        await page.keyboard.press('Escape');
        await popover.waitFor({ state: 'hidden' });
        await page.mouse.move(0, 0);
      }
      const boxes = page.locator('.popover-switch');
      assert.equal(await boxes.count(), 3);
      const row = page.locator('#table-requests tr[data-marker-id="m-login"]').first();
      await row.hover();
      await popover.waitFor();
      const states = await page.evaluate(`(() => {
        document.querySelector('#markers .popover-switch').click();
        return { closed: document.querySelector('.popover').hidden, boxes: [...document.querySelectorAll('.popover-switch')].map((box) => box.checked) };
      })()`);
      assert.deepEqual(states, { closed: true, boxes: [false, false, false] }, 'at once');
      assert.match((await storedValue(page, 'usage-marker-chart-display')) ?? '', /"showTablePopover":false/);
      await page.reload();
      await requestsAre(page, 48);
      assert.equal(await boxes.first().isChecked(), false);
      await page.locator('#top .popover-switch').check();
      assert.equal(await page.locator('#individual .popover-switch').isChecked(), true);
      await row.scrollIntoViewIfNeeded();
      await row.hover();
      await popover.getByRole('button', { name: 'Edit marker' }).click();
      assert.equal(await dialogOf(page, 'Edit marker').getByLabel('Project').inputValue(), 'web-shop');
      await page.keyboard.press('Escape');
    });

    await t.test(
      'rule A.10: a marker on the chart has a description, and the controls of both charts agree',
      async () => {
        await page.goto(`${server.page}#range=all&by=hour`);
        await twinRows(page, 'overview', 48);
        await page.locator('#table-markers tbody tr').nth(1).waitFor();
        const plot = figureOf(page, 'overview').locator('.chart-plot');
        await plot.focus();
        await page.keyboard.press('End');
        for (let step = 0; step < 3; step++) await page.keyboard.press('ArrowLeft');
        // Rule A.11.
        const tip = figureOf(page, 'overview').locator('.chart-tip');
        for (const text of ['web-shop', 'Feature: login', 'with two factors'])
          await tip.getByText(text).first().waitFor();
        await page.keyboard.press('Enter');
        await dialogOf(page, 'web-shop').getByText('Feature: login').waitFor();
        await page.keyboard.press('Escape');
        await dialogOf(page, 'web-shop').waitFor({ state: 'hidden' });
        await hoverMarker(page);
        await dialogOf(page, 'web-shop').waitFor();
        await page.mouse.down();
        await page.mouse.up();
        await page.mouse.move(5, 5);
        // A timer of the page that fires after the timer that closes a hover popover.
        await page.evaluate('new Promise((done) => setTimeout(done, 400))');
        assert.equal(await dialogOf(page, 'web-shop').isVisible(), true, 'a click has pinned it');
        await page.mouse.click(5, 5);
        await dialogOf(page, 'web-shop').waitFor({ state: 'hidden' });
        const [overview, running] = ['overview', 'cumulative'].map((chart) => figureOf(page, chart));
        assert.ok(overview && running);
        await overview.getByLabel('Markers of project: Overview').selectOption('api');
        assert.equal(await running.getByLabel('Markers of project: Running cost').inputValue(), 'api');
        await running.getByLabel('Labels', { exact: true }).uncheck();
        await overview.getByLabel('Markers', { exact: true }).uncheck();
        assert.equal(await running.getByLabel('Markers', { exact: true }).isChecked(), false);
        assert.equal(await overview.getByLabel('Labels', { exact: true }).isDisabled(), true);
        assert.deepEqual(JSON.parse((await storedValue(page, 'usage-marker-chart-display')) ?? ''), {
          showMarkers: false,
          showLabels: false,
          projectFilter: 'api',
          showTablePopover: true,
        });
      },
    );

    let other: Page;
    await t.test('markers of the legacy key move to the new one, and to the server', async () => {
      const old = { ...LOGIN, id: 'm-old', project: 'old' };
      const storage = { 'usage-event-chart-markers-v1': JSON.stringify([old]) };
      other = await visit(t, browser, `${server.page}#range=all`, { storage });
      await edit(other, 'old').waitFor();
      await stored(server, 3);
      assert.match((await storedValue(other, 'usage-markers-v1')) ?? '', /"version":1,.*m-old/);
      assert.equal(await storedValue(other, 'usage-event-chart-markers-v1'), storage['usage-event-chart-markers-v1']);
    });

    await t.test('two browsers: the newer edit wins, and deleted markers stay deleted', async () => {
      const one = page;
      await edit(other, 'web-shop').waitFor();
      await one.clock.setFixedTime('2025-06-10T12:10:00Z');
      await edit(one, 'web-shop').click();
      await dialogOf(one, 'Edit marker').getByLabel('Project').fill('of one');
      await one.keyboard.press('Enter');
      await edit(one, 'of one').waitFor();
      await edit(one, 'api').click();
      await dialogOf(one, 'Edit marker').getByRole('button', { name: 'Delete marker' }).click();
      await dialogOf(one, 'Delete this marker?').getByRole('button', { name: 'Delete marker' }).click();
      await stored(server, 2);
      await other.clock.setFixedTime('2025-06-10T12:20:00Z');
      await edit(other, 'web-shop').click();
      await dialogOf(other, 'Edit marker').getByLabel('Project').fill('of the other');
      await other.keyboard.press('Enter');
      const last = await eventually('the newer edit on the server', async () => {
        const all = await markersOf(server);
        return all.some(({ project }) => project === 'of the other') && all;
      });
      assert.deepEqual(
        [last.find(({ project }) => project === 'of the other')?.id, (await markersOf(server)).length],
        ['m-login', 2],
      );
      await edit(other, 'api').waitFor({ state: 'detached' });
      await one.reload();
      await edit(one, 'of the other').waitFor();
      assert.equal(await edit(one, 'api').count(), 0);
    });
  });
});

/** Moves the pointer along the top of the overview until it is on a marker's label or box. */
async function hoverMarker(page: Page): Promise<void> {
  const plot = figureOf(page, 'overview').locator('.chart-plot');
  await plot.scrollIntoViewIfNeeded();
  const box = await restingBox(plot);
  // The label of the newest marker is near the right end.
  for (let share = 0.98; share > 0.7; share -= 0.02) {
    await page.mouse.move(box.x + box.width * share, box.y + 14);
    if (await page.locator('.chart-plot[data-over-marker]').count()) return;
  }
  assert.fail('no marker under the pointer');
}
