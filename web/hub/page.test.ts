import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startHub } from '../../src/hub/server.ts';
import { UpDeck } from '../../src/hub/up-deck.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { createLog } from '../../src/kernel/log.ts';
import { findBarriers, fitsAcross, launchBrowser, needsBrowser, openPage } from '../../src/testing/browser.ts';

const entry = (name: string, url: string, example: string) => ({
  name,
  title: name,
  description: `What ${name} does.`,
  url,
  status: 'ready',
  example,
});

const SERVERS = [
  entry(
    'Alerts',
    'http://127.0.0.1:9093/',
    'opsdeck alerts add alertname=DiskFull --annotation summary="/var <b>97</b> %"',
  ),
  entry('Relay', 'http://0.0.0.0:8030/', 'opsdeck relay status'),
];

test('the page of the hub', async (t) => {
  if (!needsBrowser(t)) return;
  const log = createLog({ level: 'error', format: 'logfmt', clock: systemClock, write: () => {} });
  const hub = await startHub(
    SERVERS,
    new UpDeck(() => SERVERS),
    { address: { host: '127.0.0.1', port: 0 } },
    systemClock,
    log,
  );
  t.after(() => hub.close());
  const browser = await launchBrowser(t);

  await t.test('links to every server and shows an example', async (t) => {
    const page = await openPage(t, browser, `${hub.url}/`);
    const alerts = page.getByRole('region', { name: 'Alerts' });
    assert.equal(await alerts.getByRole('link', { name: 'Alerts' }).getAttribute('href'), 'http://127.0.0.1:9093/');
    assert.equal(await alerts.locator('pre').textContent(), SERVERS[0]?.example);
    assert.equal(await alerts.locator('.status').textContent(), 'ready');
    const relay = page.getByRole('link', { name: 'Relay' });
    assert.equal(await relay.getAttribute('href'), 'http://127.0.0.1:8030/', 'an address that a browser can open');
  });

  await t.test('copies the example', async (t) => {
    const page = await openPage(t, browser, `${hub.url}/`);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    // The message is shown for two seconds.
    await Promise.all([
      page.getByText('Copied').waitFor(),
      page.getByRole('button', { name: 'Copy the example for Relay' }).click(),
    ]);
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), 'opsdeck relay status');
  });

  await t.test('shows that the hub is gone, and reconnects', async (t) => {
    const page = await openPage(t, browser, 'about:blank');
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

  for (const colorScheme of ['light', 'dark'] as const) {
    await t.test(`axe finds no barriers in ${colorScheme}, and a phone is wide enough`, async (t) => {
      const page = await openPage(t, browser, `${hub.url}/`, { colorScheme, width: 390 });
      await page.getByRole('region', { name: 'Alerts' }).waitFor();
      assert.deepEqual(await findBarriers(page), []);
      await fitsAcross(page);
    });
  }
});
