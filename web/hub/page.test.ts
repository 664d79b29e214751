import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AlertsSummary, UsageSummary } from '../../src/hub/contract.ts';
import { startHub } from '../../src/hub/server.ts';
import { type DescribedServer, UpDeck } from '../../src/hub/up-deck.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { createLog } from '../../src/kernel/log.ts';
import {
  findBarriers,
  findColourBarriers,
  fitsAcross,
  launchBrowser,
  needsBrowser,
  openPage,
} from '../../src/testing/browser.ts';

const EXAMPLE = 'opsdeck alerts add alertname=DiskFull --annotation summary="/var <b>97</b> %"';

const quiet: AlertsSummary = { kind: 'alerts', severities: { critical: 2 }, suppressed: 1, failing: [], faults: [] };
let alerts = quiet;
const spent: UsageSummary = {
  kind: 'dashboard',
  month: { spentCents: 8_400, requests: 1_200 },
  hasLive: false,
  budgetCents: 7_000,
};
let usage = spent;

const SERVERS: readonly DescribedServer[] = [
  {
    ...{ name: 'alerts', title: 'Alerts', url: 'http://127.0.0.1:9093/' },
    state: () => (alerts.failing.length > 0 ? 'failing' : 'ready'),
    example: () => EXAMPLE,
    summary: () => alerts,
  },
  {
    ...{ name: 'relay', title: 'Flags', url: 'http://0.0.0.0:8030/' },
    state: () => 'ready',
    example: () => 'opsdeck relay status',
    summary: () => ({ kind: 'relay', flags: 5, on: 4, sources: [{ environment: 'local', state: 'VALID' }] }),
  },
  {
    ...{ name: 'rooms', title: 'Rooms', url: 'http://127.0.0.1:8065/' },
    state: () => 'unknown',
    example: () => 'export OPSDECK_ROOMS_TOKEN=odr_… && opsdeck rooms say ops hello',
    summary: () => Promise.reject(new Error('no storage')),
  },
  {
    ...{ name: 'dashboard', title: 'Usage', url: 'http://127.0.0.1:8060/analytics' },
    state: () => 'ready',
    example: () => '',
    summary: () => usage,
  },
];

test('the page of the hub', async (t) => {
  if (!needsBrowser(t)) return;
  const log = createLog({ level: 'error', format: 'logfmt', clock: systemClock, write: () => {} });
  const hub = await startHub(new UpDeck(() => SERVERS), { address: { host: '127.0.0.1', port: 0 } }, systemClock, log);
  t.after(() => hub.close());
  const browser = await launchBrowser(t);

  await t.test('links to every server, shows its numbers and an example', async (t) => {
    const page = await openPage(t, browser, `${hub.url}/`);
    const card = page.getByRole('region', { name: 'Alerts' });
    assert.equal(await card.getByRole('link', { name: 'Alerts' }).getAttribute('href'), 'http://127.0.0.1:9093/');
    assert.equal(await card.locator('.status').textContent(), 'ready');
    assert.equal(await card.getByRole('listitem').first().textContent(), '2 critical');
    assert.equal(await page.locator('.example pre').first().textContent(), EXAMPLE);
    const relay = page.getByRole('region', { name: 'Flags' }).getByRole('link');
    assert.equal(await relay.getAttribute('href'), 'http://127.0.0.1:8030/', 'an address that a browser can open');
    await page.getByRole('region', { name: 'Rooms' }).getByText('The numbers cannot be determined').waitFor();
    const usage = page.getByRole('region', { name: 'Usage' });
    const figures = await usage.getByRole('listitem').allTextContents();
    assert.deepEqual(figures, ['$84 of $70 this month', '120% of the budget']);
    await usage.getByText('1,200 requests').waitFor();
    await page.getByText('Put your token in the place of odr_…').waitFor();
    await usage.getByText('The budget is exceeded by $14.').waitFor();
  });

  await t.test('follows the servers: failing notifications turn card and header red', async (t) => {
    const page = await openPage(t, browser, `${hub.url}/`);
    const products = page.getByRole('navigation', { name: 'Products' });
    await products.getByRole('link', { name: 'Alerts' }).waitFor();
    t.after(() => {
      alerts = quiet;
      usage = spent;
    });
    const failing = [{ receiver: 'pager', groups: 24, since: '2026-01-01T08:00:00.000Z' }];
    const values = { watchdog: 'Heartbeat', since: '2026-01-01T08:00:00.000Z' };
    const watchdog = { code: 'watchdog_missing', text: 'the watchdog is missing', values };
    alerts = { ...quiet, severities: { critical: 3 }, failing, faults: [watchdog] };
    usage = { ...spent, month: null, hasLive: true };
    const card = page.getByRole('region', { name: 'Alerts' });
    await card.getByText('3 critical').waitFor();
    await page.getByRole('region', { name: 'Usage' }).getByText('Live usage is on the page.').waitFor();
    await card.getByText('pager: 24 groups not notified, since').waitFor();
    await card.getByText('The watchdog Heartbeat has not fired since').waitFor();
    assert.equal(await card.locator('.status').textContent(), 'failing');
    await page.reload();
    await products.getByRole('link', { name: 'Alerts (failing)' }).waitFor();
    await products.getByRole('link', { name: 'Rooms (state unknown)' }).waitFor();
  });

  await t.test('copies the example', async (t) => {
    const page = await openPage(t, browser, `${hub.url}/`);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    // The message is shown for two seconds.
    await Promise.all([
      page.getByText('Copied').waitFor(),
      page.getByRole('button', { name: 'Copy the example for Flags' }).click(),
    ]);
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), 'opsdeck relay status');
  });

  await t.test('language and theme are kept, also for pages on other ports of the host', async (t) => {
    const page = await openPage(t, browser, `${hub.url}/`);
    await page.getByLabel('Language').selectOption('de');
    await page.getByRole('region', { name: 'Alarme' }).getByText('bereit').waitFor();
    await page.getByLabel('Farbschema').selectOption('dark');
    const kept = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).sort();
    assert.deepEqual(kept, ['opsdeck.language=de', 'opsdeck.theme=dark']);
    await page.evaluate('localStorage.clear()');
    await page.reload();
    await page.getByRole('region', { name: 'Alarme' }).waitFor();
    assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark');
  });

  await t.test('shows that the hub is gone, and reconnects', async (t) => {
    const page = await openPage(t, browser, 'about:blank', { once: true });
    await page.clock.install({ time: '2025-06-10T11:00:00Z' });
    await page.route('**/servers.json', (route) => route.abort());
    await page.goto(`${hub.url}/`);
    await page.getByText('The hub does not answer.').waitFor();
    assert.deepEqual(await findBarriers(page), []);
    // The clock is stopped from here on: the page reaches the hub only when the button is pressed.
    await page.clock.pauseAt('2025-06-10T12:00:00Z');
    await page.reload();
    await page.getByText('The hub does not answer.').waitFor();
    await page.unroute('**/servers.json');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('region', { name: 'Alerts' }).waitFor();
  });

  await t.test('on a phone axe finds no barriers in light and dark, and no word of a command is broken', async (t) => {
    const page = await openPage(t, browser, `${hub.url}/`, { width: 390 });
    await page.getByRole('region', { name: 'Alerts' }).waitFor();
    assert.deepEqual(await findBarriers(page), []);
    await fitsAcross(page);
    const lines = await page.evaluate(
      `[...document.querySelectorAll('.example pre span')].map((word) => word.getClientRects().length)`,
    );
    assert.deepEqual(new Set(lines as number[]), new Set([1]));
    await page.emulateMedia({ colorScheme: 'dark' });
    assert.deepEqual(await findColourBarriers(page), []);
  });
});
