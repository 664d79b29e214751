// The page as people use it: the built executable, a real browser, and everything through what is seen and pressed.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { findBarriers, launchBrowser, openPage, overflowOf } from '../../src/testing/browser.ts';
import { FAKE_TOKEN, type FakeEvent, html, startFakeUsageUpstream } from '../../src/testing/fake-usage-upstream.ts';
import { type Cleanup, executablePath, needsReal, startServer, temporaryFolder } from '../../src/testing/processes.ts';

const HEADER =
  'Date,Kind,Model,Max Mode,Input (w/ Cache Write),Input (w/o Cache Write),Cache Read,Output Tokens,Total Tokens,Cost';
const MINUTE_MS = 60_000;

/** Rows of a CSV, one an hour, the newest an hour ago; every one costs 10 cents. */
function csvOf(count: number, model = 'gpt-5-codex'): string {
  const now = Date.now();
  const rows = Array.from({ length: count }, (_, index) => {
    const at = new Date(now - (index + 1) * 60 * MINUTE_MS).toISOString();
    return `"${at}","On-Demand","${model}","${index % 2 === 0 ? 'Yes' : 'No'}","5","10","80","5","100","$0.10"`;
  });
  return `${HEADER}\n${rows.join('\n')}\n`;
}

interface Project {
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
}

async function startDashboard(t: Cleanup, { files = {}, env = {}, args = [] }: Project = {}) {
  const folder = temporaryFolder(t);
  await mkdir(join(folder, 'data'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, 'data', name), text);
  const server = await startServer(t, {
    command: process.execPath,
    args: [executablePath(), 'dashboard', 'serve', '--port', '0', '--project', folder, ...args],
    cwd: folder,
    env,
    addressIn: (stderr) => /^.*Dashboard is listening.*\baddress=(\S+).*\n/m.exec(stderr)?.[1],
  });
  return { ...server, page: `${server.url}/analytics` };
}

const kpi = (page: Page, name: string) => page.locator(`[data-kpi="${name}"] .kpi-value`);
const choose = (page: Page, name: string) => page.getByRole('radio', { name, exact: true }).check({ force: true });
const hashOf = (page: Page) => new URL(page.url()).hash;

async function requestsAre(page: Page, count: number): Promise<void> {
  await page.locator('[data-kpi="requests"] .kpi-value', { hasText: new RegExp(`^${count}$`) }).waitFor();
}

const upload = (page: Page, name: string, text: string) =>
  page.getByLabel('Load CSV', { exact: true }).setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });

test('the analytics page', { timeout: 180_000 }, async (t: TestContext) => {
  if (!needsReal(t, 'chromium', 'chromium')) return;
  const browser = await launchBrowser(t);

  await t.test('a first visit shows the sample, says so, and has no barriers in either theme', async (t) => {
    const server = await startDashboard(t);
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await openPage(t, browser, server.page, { colorScheme });
      await page.getByText('This is sample data.').waitFor();
      await page.locator('#chart-overview').waitFor();
      assert.deepEqual(await findBarriers(page), []);
    }
    for (const width of [390, 1024, 1440]) {
      const page = await openPage(t, browser, server.page, { width });
      await page.getByText('This is sample data.').waitFor();
      await page.locator('#chart-overview').waitFor();
      assert.equal(await overflowOf(page), 0, `${width} px`);
    }
  });

  await t.test('rule A.9: the first real file takes the place of the sample and hides the drop zone', async (t) => {
    const server = await startDashboard(t);
    const page = await openPage(t, browser, server.page);
    await page.getByText('This is sample data.').waitFor();
    await upload(page, 'usage-events-info.csv', csvOf(20));
    await page.getByText('20 requests loaded from usage-events-info.csv').waitFor();
    await page.locator('#drop-zone').waitFor({ state: 'hidden' });
    await choose(page, 'All events');
    await requestsAre(page, 20);
    await upload(page, 'usage-events-info.csv', csvOf(20).replaceAll('"100"', '"many"'));
    await page.getByText('usage-events-info.csv was not loaded.').waitFor();
    await requestsAre(page, 20);
  });

  await t.test('rule A.9: the default files are loaded at start, without a drop zone', async (t) => {
    const server = await startDashboard(t, {
      files: { 'usage-events-info.csv': csvOf(30), 'usage-events-slope.csv': csvOf(40, 'claude-4.5-sonnet') },
    });
    const page = await openPage(t, browser, `${server.page}#range=all`);
    await requestsAre(page, 70);
    assert.equal(await page.locator('#drop-zone').isVisible(), false);
    await choose(page, 'slope');
    await requestsAre(page, 40);
    assert.equal(await kpi(page, 'total-cost').textContent(), '$4.00');
  });

  await t.test('rule A.3 and A.4: period, requests and granularity stand in the address and come back', async (t) => {
    const server = await startDashboard(t, { files: { 'usage-events-info.csv': csvOf(200) } });
    const page = await openPage(t, browser, server.page);
    await requestsAre(page, 25);
    await choose(page, 'last 2 hours');
    await requestsAre(page, 3);
    await choose(page, 'Day');
    await choose(page, 'Requests');
    await requestsAre(page, 50);
    await page.getByLabel('Newest', { exact: true }).fill('5');
    await page.getByLabel('Newest', { exact: true }).press('Enter');
    await requestsAre(page, 10);
    await choose(page, 'By rank');
    await page.getByLabel('To rank').fill('195');
    await page.getByLabel('To rank').press('Enter');
    await requestsAre(page, 195);
    assert.match(hashOf(page), /range=rank-1-195&by=day/);
    await page.reload();
    await requestsAre(page, 195);
    await page.goBack();
    await page.goBack();
    await requestsAre(page, 10);
  });

  await t.test('rule A.6: fifty requests a page, filters that hold together', async (t) => {
    const server = await startDashboard(t, { files: { 'usage-events-info.csv': csvOf(120) } });
    const page = await openPage(t, browser, `${server.page}#range=all`);
    const table = page.locator('#table-requests tbody tr');
    const position = page.locator('.pager-position');
    await position.getByText('1–50 of 120').waitFor();
    assert.equal(await table.count(), 50);
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByRole('button', { name: 'Next page' }).click();
    await position.getByText('101–120 of 120').waitFor();
    await page.getByRole('search').getByLabel('Max mode').selectOption('yes');
    await position.getByText('1–50 of 60').waitFor();
    await page.getByLabel('Min. cost, US$').fill('0,11');
    await page.getByLabel('Min. cost, US$').press('Enter');
    await page.getByText('No request passes these filters.').waitFor();
    await page.locator('.card-empty').getByRole('button', { name: 'Reset filters' }).click();
    await position.getByText('1–50 of 120').waitFor();
  });

  await t.test(
    'rule A.10: a marker is made, covers requests, is told about, edited, deleted and restored',
    async (t) => {
      const server = await startDashboard(t, { files: { 'usage-events-info.csv': csvOf(48) } });
      const page = await openPage(t, browser, `${server.page}#range=all`);
      await requestsAre(page, 48);
      await page.keyboard.press('m');
      const dialog = page.getByRole('dialog', { name: 'New marker' });
      const from = dialog.getByLabel(/^From/);
      assert.notEqual(await from.inputValue(), '');
      await dialog.getByRole('button', { name: 'Save marker' }).click();
      await dialog.getByText('Enter a project.').waitFor();
      await from.fill(new Date(Date.now() - 600 * MINUTE_MS).toISOString().slice(0, 16));
      await dialog.getByLabel('Project').fill('web-shop');
      await dialog.getByRole('button', { name: 'Feature' }).click();
      await dialog.getByText(/^Covers \d+ requests/).waitFor();
      assert.deepEqual(await findBarriers(page), []);
      await dialog.getByLabel('Project').press('Enter');
      const row = page.locator('#table-requests tr[data-marker-id]').first();
      await row.hover();
      const popover = page.getByRole('dialog', { name: 'web-shop' });
      await popover.getByText('Feature:').waitFor();
      await page
        .locator('#top')
        .getByRole('checkbox', { name: /Marker details/ })
        .setChecked(false);
      assert.equal(await popover.isVisible(), false);
      for (const box of await page.locator('.popover-switch').all()) assert.equal(await box.isChecked(), false);
      const stored = (await (await fetch(`${server.url}/api/markers`)).json()) as { readonly markers: unknown[] };
      assert.equal(stored.markers.length, 1);
      await page.getByRole('button', { name: 'Edit marker: web-shop' }).click();
      await page.getByRole('dialog', { name: 'Edit marker' }).getByRole('button', { name: 'Delete marker' }).click();
      await page
        .getByRole('dialog', { name: 'Delete this marker?' })
        .getByRole('button', { name: 'Delete marker' })
        .click();
      await page.getByText('No markers yet.').waitFor();
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByRole('button', { name: 'Edit marker: web-shop' }).waitFor();
    },
  );

  await t.test('German, dark and another zone outlive a reload', async (t) => {
    const server = await startDashboard(t, { files: { 'usage-events-info.csv': csvOf(10) } });
    const page = await openPage(t, browser, server.page);
    await requestsAre(page, 10);
    await page.getByLabel('Language').selectOption('de');
    await page.getByRole('heading', { name: 'Nutzungsanalyse' }).waitFor();
    await page.getByLabel('Farbschema').selectOption('dark');
    await page.getByLabel('Zeitzone').fill('Asia/Tokyo');
    await page.getByLabel('Zeitzone').press('Enter');
    await page.locator('.resolved', { hasText: /MEZ|GMT\+9|JST/ }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Nutzungsanalyse' }).waitFor();
    assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark');
    assert.match(hashOf(page), /tz=Asia\/Tokyo/);
    await requestsAre(page, 10);
    assert.deepEqual(await findBarriers(page), []);
  });

  await t.test('top models are five or ten, on both charts, in the address and after a reload', async (t) => {
    const rows = Array.from({ length: 12 }, (_, index) => csvOf(1, `model-${index}`).split('\n')[1]);
    const server = await startDashboard(t, { files: { 'usage-events-info.csv': `${HEADER}\n${rows.join('\n')}\n` } });
    const page = await openPage(t, browser, server.page);
    const models = (chart: string) => page.locator(`figure[data-chart-key="${chart}"] .chart-twin tbody tr`);
    await page.locator('figure[data-chart-key="topCost"]').scrollIntoViewIfNeeded();
    await models('topCost').nth(4).waitFor({ state: 'attached' });
    assert.equal(await models('topCost').count(), 5);
    await page.getByLabel('How many models by cost').selectOption('Top 10');
    for (const chart of ['topCost', 'topTokens']) {
      await models(chart).nth(9).waitFor({ state: 'attached' });
      assert.equal(await models(chart).count(), 10);
    }
    assert.equal(await page.getByLabel('How many models by tokens').inputValue(), '10');
    assert.match(hashOf(page), /&top=10/);
    await page.goto('about:blank');
    await page.goto(server.page);
    await page.locator('figure[data-chart-key="topTokens"]').scrollIntoViewIfNeeded();
    await models('topTokens').nth(9).waitFor({ state: 'attached' });
  });

  await t.test('the page as a picture holds every chart that has something to show, twice as fine', async (t) => {
    const server = await startDashboard(t, { files: { 'usage-events-info.csv': csvOf(30) } });
    const page = await openPage(t, browser, server.page);
    await requestsAre(page, 25);
    await page.locator('#chart-overview').waitFor();
    const arriving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: /Page as a picture/ }).click();
    const download = await arriving;
    assert.match(download.suggestedFilename(), /^usage-charts-all-\d{4}-\d{2}-\d{2}\.png$/);
    const png = readFileSync(await download.path());
    assert.equal(png.subarray(1, 4).toString('latin1'), 'PNG');
    const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
    assert.ok(width > 2 * 900 && height > 2 * 1500, `${width} × ${height}`);
  });

  await t.test(
    'another language keeps what is said of files and what is under way, which can still be cancelled',
    async (t) => {
      const upstream = await startFakeUsageUpstream(t);
      upstream.events = liveEvents(5);
      const server = await startDashboard(t, {
        env: { USAGE_SESSION_TOKEN_INFO: FAKE_TOKEN },
        args: ['--upstream-url', upstream.url],
      });
      const page = await openPage(t, browser, server.page);
      await requestsAre(page, 5);
      await upload(page, 'usage-events-info.csv', csvOf(4).replace('"100"', '"many"'));
      await page.getByText('1 of 4 rows of usage-events-info.csv skipped.').waitFor();
      upstream.trouble = () => 'hang';
      await page.getByRole('button', { name: 'Refresh live data' }).click();
      await page.getByText('Fetching live data of info …').waitFor();
      await page.getByLabel('Language').selectOption('de');
      await page.getByText('Live-Daten von info werden geholt …').waitFor();
      await page.getByText('1 von 4 Zeilen aus usage-events-info.csv').waitFor();
      await page.getByLabel('Zeitzone').fill('Asia/Tokyo');
      await page.getByLabel('Zeitzone').press('Enter');
      await page.locator('.resolved', { hasText: /GMT\+9|JST/ }).waitFor();
      assert.equal(await page.locator('[data-notice]').count(), 1);
      await page.getByRole('button', { name: 'Abbrechen' }).click();
      await page.locator('.progress').waitFor({ state: 'hidden' });
      await requestsAre(page, 8);
    },
  );

  await t.test('live events are read line by line, and counted while they come', async (t) => {
    const upstream = await startFakeUsageUpstream(t);
    upstream.events = liveEvents(1200);
    const server = await startDashboard(t, {
      env: { USAGE_SESSION_TOKEN_INFO: FAKE_TOKEN },
      args: ['--upstream-url', upstream.url],
    });
    const page = await openPage(t, browser, server.page);
    const answered = page.waitForResponse((response) => response.url().includes('/api/events'));
    await page.getByRole('button', { name: 'Refresh live data' }).click();
    assert.equal((await answered).headers()['content-type'], 'application/x-ndjson');
    await page.locator('.progress').waitFor({ state: 'hidden' });
    await choose(page, 'All events');
    await page.locator('[data-kpi="requests"] .kpi-value', { hasText: '1,200' }).waitFor();
  });

  await t.test('live events come through the server, and an expired session leaves what there is', async (t) => {
    const upstream = await startFakeUsageUpstream(t);
    upstream.events = liveEvents(40);
    const server = await startDashboard(t, {
      env: { USAGE_SESSION_TOKEN_INFO: FAKE_TOKEN },
      args: ['--upstream-url', upstream.url],
    });
    const page = await openPage(t, browser, server.page);
    await requestsAre(page, 40);
    assert.match(hashOf(page), /source=live/);
    upstream.trouble = () => html('<form action="/login">Sign in</form>');
    await page.getByRole('button', { name: 'Refresh live data' }).click();
    const notice = page.locator('[data-notice="live"]');
    await notice.getByText(/Showing live data from/).waitFor();
    await notice
      .getByText(/session expired/)
      .first()
      .waitFor();
    await requestsAre(page, 40);
    upstream.trouble = () => undefined;
    await notice.getByRole('button', { name: 'Try again' }).click();
    await notice.waitFor({ state: 'detached' });
  });
});

/** Live events, newest first, one a minute. */
function liveEvents(count: number): FakeEvent[] {
  const now = Date.now();
  return Array.from({ length: count }, (_, index) => ({
    timestamp: String(now - (index + 1) * MINUTE_MS),
    model: 'composer-2.5',
    kind: 'USAGE_EVENT_KIND_USAGE_BASED',
    conversationId: `c-${index}`,
    tokenUsage: { inputTokens: 100, outputTokens: 10, totalCents: 1.25 },
    chargedCents: 2.5,
  }));
}
