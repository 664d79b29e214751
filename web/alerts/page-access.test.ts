// Accessibility and faults of the page: by keyboard, by phone, with assistive technology, with far too many
// alerts, with the server gone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import {
  findBarriers,
  findColourBarriers,
  fitsAcross,
  getJson,
  launchBrowser,
  needsBrowser,
  openPage,
  postJson,
  settles,
} from '../../src/testing/browser.ts';
import { isLongRound } from '../../src/testing/long-round.ts';
import { configFile, startOpsdeck } from '../../src/testing/processes.ts';

const alert = (labels: Readonly<Record<string, string>>, summary: string) => ({
  labels,
  annotations: { summary, description: `${summary}. `.repeat(20), note: 'See https://example.com/x.' },
  generatorURL: 'http://prometheus.example.com/graph',
});

const ALERTS = [
  alert({ alertname: 'HighLatency', cluster: 'eu', severity: 'critical', instance: 'api-1' }, 'The API is slow'),
  alert({ alertname: 'HighLatency', cluster: 'eu', severity: 'warning', instance: 'api-2' }, 'The API is slow'),
  alert(
    { alertname: 'DiskFull', cluster: 'us', severity: 'info', path: `/${'very-long'.repeat(30)}` },
    'The disk is full',
  ),
];

/** Far more than fit on the page. */
const MANY = isLongRound ? 10_000 : 2_500;

const tally = (page: Page, text: string): Promise<void> => page.locator('.tally-sum', { hasText: text }).waitFor();

test('accessibility of the page of the alert server', { only: isLongRound }, async (t) => {
  if (!needsBrowser(t)) return;
  const server = await startOpsdeck(t, ['--config.file', configFile(t)]);
  await postJson(server, 'alerts', ALERTS);
  const now = Date.now();
  const saved = await postJson<{ silenceID: string }>(server, 'silences', {
    matchers: [{ name: 'alertname', value: 'DiskFull', isRegex: false, isEqual: true }],
    startsAt: new Date(now).toISOString(),
    endsAt: new Date(now + 3_600_000).toISOString(),
    createdBy: 'mira',
    comment: 'disk swap',
    annotations: { expire_when_resolved: 'true', ticket: 'https://tickets.example.com/OPS-7' },
  });
  const silence = `#/silences/${saved?.silenceID}`;
  const browser = await launchBrowser(t);
  const places: readonly [hash: string, sign: string][] = [
    ['#/alerts?silenced=true&filter={alertname!="x"}', 'The disk is full'],
    ['#/alerts?filter={alertname="x"}', 'No alerts match.'],
    ['#/alerts?filter={a=~"("}', 'does not accept'],
    ['#/silences', 'disk swap'],
    ['#/silences?state=expired', 'No expired silences.'],
    [silence, '1 matching alert'],
    [`${silence}/edit`, '1 matching alert'],
    ['#/silences/new', 'Fill in a matcher'],
    ['#/history', 'No notifications.'],
    ['#/routing?labels=alertname%3DX', 'takes the alert'],
    ['#/status', 'Configuration'],
    ['#/settings', 'Theme'],
    ['#/nowhere', 'leads nowhere'],
  ];

  await t.test('axe finds no barriers in light and dark, and nothing hangs over the edge', async (t) => {
    const page = await openPage(t, browser, server.url);
    // The pages share their colours: a few stand for all.
    const search = async (what: string, isInDarkToo = isLongRound) => {
      assert.deepEqual(await findBarriers(page), [], what);
      if (!isInDarkToo) return;
      await page.emulateMedia({ colorScheme: 'dark' });
      assert.deepEqual(await findColourBarriers(page), [], `${what} in dark`);
      await page.emulateMedia({ colorScheme: 'light' });
    };
    for (const [hash, sign] of places) {
      await page.setViewportSize({ width: 1280, height: 900 });
      await page.goto(`${server.url}/${hash}`);
      await page.locator('main', { hasText: sign }).waitFor();
      await search(hash, isLongRound || hash === places[0]?.[0] || hash === silence);
      for (const width of [1280, 390, 1920]) {
        await page.setViewportSize({ width, height: 900 });
        await fitsAcross(page, `${hash} at ${width} pixels`);
      }
    }
    await page.goto(`${server.url}/#/silences`);
    await page.getByLabel('Select all').check();
    await search('a selection of silences', true);
    await page.setViewportSize({ width: 390, height: 900 });
    await fitsAcross(page, 'a selection of silences at 390 pixels');
    await page.goto(`${server.url}/${silence}`);
    await page.getByRole('button', { name: /^Expire/ }).click();
    await page.getByRole('dialog').waitFor();
    await search('the dialog', true);
  });

  await t.test('an arrow stands at each end of the row of pages beyond which a narrow window has more', async (t) => {
    const page = await openPage(t, browser, `${server.url}/#/alerts`, { width: 390 });
    const pages = page.getByRole('navigation', { name: 'Pages' });
    const arrowsAre = (expected: readonly string[]) =>
      settles(`arrows at ${expected.join(' and ') || 'no end'}`, async () => {
        const shown = `Object.entries({start: '::before', end: '::after'})
          .filter(([, part]) => getComputedStyle(document.querySelector('.sections'), part).content !== 'none')
          .map(([end]) => end)`;
        assert.deepEqual(await page.evaluate(shown), expected);
      });
    await arrowsAre(['end']);
    await pages.getByRole('link', { name: 'History' }).click();
    await arrowsAre(['start', 'end']);
    await pages.getByRole('link', { name: 'Settings' }).click();
    await arrowsAre(['start']);
    await page.setViewportSize({ width: 1280, height: 900 });
    await arrowsAre([]);
  });

  await t.test('the keyboard is enough to filter, to silence and to expire', async (t) => {
    const page = await openPage(t, browser, server.url);
    await tally(page, '2 alerts');
    await page.keyboard.press('/');
    await page.keyboard.type('instance=api-2');
    await page.keyboard.press('Enter');
    // The words that were typed have already narrowed the list down.
    await page.locator('.chip').waitFor();
    await tally(page, '1 alert in 1 group');
    await page.keyboard.press('Backspace');
    assert.equal(await page.getByLabel('Search alerts').inputValue(), 'instance="api-2"');
    await page.locator('.chip').waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await page.locator('.chip').waitFor();
    await tally(page, '1 alert in 1 group');
    await page.keyboard.press('Tab');
    await page.keyboard.press('n');
    await page.getByRole('heading', { level: 1, name: 'New silence' }).waitFor();
    assert.equal(await page.getByLabel('Value, matcher 1').inputValue(), 'api-2');
    await tabTo(page, 'comment');
    await page.keyboard.type('by keyboard');
    await page.keyboard.press('Tab');
    await page.keyboard.type('mira');
    await page.keyboard.press('Control+Enter');
    await page.getByText('The silence is saved.').waitFor();
    await page.getByRole('button', { name: /^Expire/ }).waitFor();
    for (let presses = 0; presses < 30; presses++) {
      if (((await page.evaluate('document.activeElement.ariaLabel ?? ""')) as string).startsWith('Expire')) break;
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.badge', { hasText: 'expired' }).waitFor();
    await page.locator('h1:focus').waitFor({ state: 'attached' });
  });

  await t.test('two keys acknowledge an alert, and five silence one', async (t) => {
    const page = await openPage(t, browser, `${server.url}/#/settings`);
    await page.getByLabel('Your name in new silences').fill('mira');
    const press = async (keys: string) => {
      for (const key of keys.split(' ')) await page.keyboard.press(key);
    };
    await page.goto(`${server.url}/#/alerts?filter={instance="api-1"}`);
    await tally(page, '1 alert in 1 group');
    await press('j a');
    await page.getByText('Nothing to show.').waitFor();
    await page.goto(`${server.url}/#/alerts?filter={instance="api-2"}`);
    await tally(page, '1 alert in 1 group');
    await press('j j s');
    await page.locator('#comment:focus').waitFor();
    await press('x Control+Enter');
    await page.getByText('The silence is saved.').waitFor();
    const silences = await getJson<{ id: string; createdBy: string; status: { state: string } }[]>(server, 'silences');
    const made = silences.filter(({ createdBy, status }) => createdBy === 'mira' && status.state === 'active');
    for (const { id } of made.filter((one) => one.id !== saved?.silenceID))
      await fetch(`${server.url}/api/v2/silence/${id}`, { method: 'DELETE' });
  });

  await t.test('the list is one tab stop, and its keys select, silence together and list themselves', async (t) => {
    const page = await openPage(t, browser, server.url);
    await tally(page, '2 alerts');
    assert.equal(await page.locator('.results [tabindex="0"]').count(), 1);
    for (const key of ['j', 'ArrowDown', 'x', 'j', 'X']) await page.keyboard.press(key);
    await page.getByRole('region', { name: 'Selection' }).getByText('2 selected').waitFor();
    await page.keyboard.press('s');
    await page.getByRole('heading', { level: 1, name: 'New silence' }).waitFor();
    await page.goBack();
    await tally(page, '2 alerts');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).getByText('acknowledge the selection').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    for (const density of ['comfortable', 'compact']) {
      await page.keyboard.press('d');
      await page.locator(`.results[data-density="${density}"]`).waitFor();
    }
    const rows = page.locator('.results .alert-toggle');
    await page.keyboard.press('c');
    await settles('all groups to be closed', async () => assert.equal(await rows.count(), 0));
    await page.keyboard.press('o');
    await settles('all groups to be open', async () => assert.equal(await rows.count(), 2));
  });

  await t.test('suggestions are marked by arrows, and a saved filter is the first view', async (t) => {
    const page = await openPage(t, browser, server.url);
    await tally(page, '2 alerts');
    const field = page.getByRole('combobox', { name: 'Search alerts' });
    await field.pressSequentially('severity=c');
    await tally(page, '1 alert in 1 group');
    assert.deepEqual(await findBarriers(page), []);
    await field.press('ArrowDown');
    const marked = page.locator('.chip', { hasText: 'severity="critical"' });
    await field.press('Enter');
    await marked.waitFor();
    await tally(page, '1 alert in 1 group');
    await page.getByText('Saved filters').click();
    await page.getByLabel('Name of the filter').fill('Mine');
    await page.getByLabel('Name of the filter').press('Enter');
    await page.getByRole('button', { name: 'Start with this: Mine' }).click();
    assert.deepEqual(await findBarriers(page), []);
    await page.goto('about:blank');
    await page.goto(server.url);
    await marked.waitFor();
    await tally(page, '1 alert in 1 group');
    assert.match(await page.title(), /^1 alert/);
    assert.match((await page.locator('link[rel="icon"]').getAttribute('href')) ?? '', /^data:image\/svg/);
  });

  await t.test('the wall shows the worst first without controls, also in German', async (t) => {
    const page = await openPage(t, browser, 'about:blank', { once: true });
    await page.addInitScript('localStorage.setItem("opsdeck.language", "de")');
    await page.goto(`${server.url}/?wall`);
    await page.getByRole('heading', { level: 1, name: '2 Alarme' }).waitFor();
    await page.getByText('verbunden').waitFor();
    assert.match((await page.locator('.wall li').first().textContent()) ?? '', /critical/);
    assert.equal(await page.locator('button:visible, a:visible').count(), 0);
    assert.deepEqual(await findBarriers(page), []);
    await page.keyboard.press('Escape');
    await page.locator('.tally-sum', { hasText: '2 Alarme in 1 Gruppe' }).waitFor();
    assert.deepEqual(await findBarriers(page), []);
  });

  await t.test('choices in the settings apply', async (t) => {
    const page = await openPage(t, browser, `${server.url}/#/settings`);
    await page.getByLabel('Dark').check();
    await page.getByLabel('Absolute, in local time').check();
    await page.getByLabel('Your name in new silences').fill('jonas');
    await page.getByLabel('Refresh').selectOption('0');
    await page.reload();
    assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark');
    assert.equal(await page.getByLabel('Refresh').inputValue(), '0');
    await page.goto(`${server.url}/#/silences/new`);
    await page.waitForURL(/silences\/new/);
    assert.equal(await page.getByLabel('Created by').inputValue(), 'jonas');
    await page.goto(`${server.url}/#/alerts`);
    await page
      .locator('.age', { hasText: /^\d\d:\d\d:\d\d$/ })
      .first()
      .waitFor();
  });

  await t.test('thousands of alerts are shown a few at a time', async (t) => {
    const page = await openPage(t, browser, server.url);
    await tally(page, '2 alerts');
    const many = Array.from({ length: MANY }, (_, n) =>
      alert({ alertname: `Load${n % 7}`, host: `host-${n}` }, 'Busy'),
    );
    for (let n = 0; n < MANY; n += 2500) await postJson(server, 'alerts', many.slice(n, n + 2500));
    await page.getByRole('button', { name: 'Refresh' }).click();
    await tally(page, `${(MANY + 2).toLocaleString('en-US')} alerts in 8 groups`);
    assert.ok((await page.locator('*').count()) < 700, 'few elements are built at first');
    const rows = page.getByRole('region', { name: 'Load0' }).locator('.alert');
    assert.equal(await rows.count(), 0, 'only the worst group is open');
    await page.getByRole('button', { name: 'Load0' }).click();
    await countIs(rows, 5);
    await page.getByRole('button', { name: /^Show all \d+/ }).click();
    await rows.nth(50).waitFor();
    assert.ok((await rows.count()) < 200, 'the list grows as it is scrolled');
    await rows.last().scrollIntoViewIfNeeded();
    await rows.nth(70).waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Close all' }).click();
    await countIs(page.locator('.alert'), 0);
    await page.getByLabel('Search alerts').fill('host-777');
    await tally(page, MANY > 7777 ? '11 alerts' : '1 alert in 1 group');
  });

  await t.test('a server that is gone leaves the last alerts on the page, and is found again', async (t) => {
    const page = await openPage(t, browser, 'about:blank', { once: true });
    // The clock is stopped: the page does not reach the server again before the button is pressed.
    await page.clock.install({ time: '2025-06-10T11:00:00Z' });
    await page.clock.pauseAt('2025-06-10T12:00:00Z');
    await page.goto(`${server.url}/#/alerts?filter={alertname="HighLatency"}`);
    await tally(page, '2 alerts');
    await page.route('**/api/v2/**', (route) => route.abort());
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByRole('alert').filter({ hasText: 'The server does not answer.' }).waitFor();
    assert.equal(await page.locator('.alert').count(), 2);
    await page.unroute('**/api/v2/**');
    await page.getByRole('button', { name: 'Try again now' }).click();
    await page.locator('.banner').waitFor({ state: 'hidden' });
    await page.route('**/api/v2/**', (route) =>
      route.fulfill({ status: 200, contentType: 'text/html', body: '<h1>Log in</h1>' }),
    );
    await page.goto(`${server.url}/#/status`);
    await page.getByText('is there a proxy or a login page in between?').waitFor();
    await page.unroute('**/api/v2/**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('region', { name: 'Configuration' }).waitFor();
  });
});

async function countIs(elements: Locator, count: number): Promise<void> {
  if (count > 0) await elements.nth(count - 1).waitFor({ state: 'attached' });
  await elements.nth(count).waitFor({ state: 'detached' });
}

/** Presses Tab until the field with the id has the focus. */
async function tabTo(page: Page, id: string): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    if ((await page.evaluate('document.activeElement.id')) === id) return;
    await page.keyboard.press('Tab');
  }
  assert.fail(`Tab does not reach #${id}`);
}
