// The page as people use it: the built executable, a real browser, and every check through visible and pressed elements.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { findBarriers, getJson, launchBrowser, needsBrowser, openPage, postJson } from '../../src/testing/browser.ts';
import { eventually } from '../../src/testing/eventually.ts';
import { configFile, type RunningServer, startOpsdeck } from '../../src/testing/processes.ts';

const ALERTS = [
  {
    labels: { alertname: 'HighLatency', cluster: 'eu', severity: 'critical', instance: 'api-1' },
    annotations: { summary: 'The API takes 900 ms', runbook_url: 'https://runbooks.example.com/latency' },
    generatorURL: 'http://prometheus.example.com/graph?g0.expr=x',
  },
  {
    labels: { alertname: 'HighLatency', cluster: 'eu', severity: 'warning', instance: 'api-2' },
    annotations: { summary: 'The API takes 400 ms' },
  },
  {
    labels: { alertname: 'DiskFull', cluster: 'us', severity: 'warning', path: 'C:\\data "x"' },
    annotations: { summary: 'The disk is full' },
  },
  {
    labels: { alertname: '<b>Odd</b>', cluster: 'us' },
    annotations: { summary: '<img src=x onerror="window.broken=true">', link: 'javascript:window.broken=true' },
    generatorURL: 'javascript:window.broken=true',
  },
] as const;

interface ListedSilence {
  readonly id: string;
  readonly status: { readonly state: string };
  readonly endsAt: string;
  readonly updatedAt: string;
  readonly comment: string;
  readonly annotations?: Record<string, string>;
}

/** Creates a silence by the API and returns its id. */
async function createSilence(server: RunningServer, value: string): Promise<string> {
  const matchers = [{ name: 'alertname', value, isRegex: false, isEqual: true }];
  const now = Date.now();
  const times = { startsAt: new Date(now).toISOString(), endsAt: new Date(now + 3_600_000).toISOString() };
  const silence = { matchers, ...times, createdBy: 'mira', comment: 'disk swap' };
  const answer = await postJson<{ silenceID: string }>(server, 'silences', silence);
  return answer?.silenceID ?? '';
}

/** Turns sound and notification of new critical alerts on, and records both in `signals`. */
const SIGNALS = `(() => {
  window.signals = [];
  localStorage.setItem('opsdeck.alerts', JSON.stringify({ sound: true, desktop: true }));
  const parameter = { setValueAtTime() {}, exponentialRampToValueAtTime() {} };
  const node = { frequency: {}, gain: parameter, connect: (other) => other, start: () => signals.push('tone'), stop() {} };
  window.AudioContext = class {
    currentTime = 0;
    resume() {}
    createOscillator = () => node;
    createGain = () => node;
  };
  window.Notification = class {
    static permission = 'granted';
    constructor(title, { body }) {
      signals.push(title + ': ' + body);
    }
  };
})()`;

const tally = (page: Page, text: string): Promise<void> => page.locator('.tally-sum', { hasText: text }).waitFor();
const title = (page: Page, name: string): Promise<void> =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
/** The line of an alert, which opens its details. */
const line = (page: Page, text: string): Locator => page.locator('.alert-toggle', { hasText: text });
const chip = (page: Page, text: string): Locator => page.locator('.chip', { hasText: text });
/** Waits until the fragment of the address is this: the browser reports it with a delay. */
const hashIs = (page: Page, hash: string): Promise<void> =>
  page.waitForURL((url) => decodeURIComponent(url.hash) === hash);

/** The id of the silence that the address names. */
async function shownSilence(page: Page): Promise<string> {
  await page.waitForURL(/#\/silences\/[0-9a-f-]{36}$/);
  return new URL(page.url()).hash.replace('#/silences/', '');
}

async function setUp(t: TestContext): Promise<{ server: RunningServer; browser: Browser } | undefined> {
  if (!needsBrowser(t)) return undefined;
  const server = await startOpsdeck(t, ['--config.file', configFile(t)]);
  await postJson(server, 'alerts', ALERTS);
  return { server, browser: await launchBrowser(t) };
}

test('the page of the alert server', async (t) => {
  const parts = await setUp(t);
  if (!parts) return;
  const { server, browser } = parts;

  await t.test('a pressed label narrows the list down, and a removed chip widens it again', async (t) => {
    const page = await openPage(t, browser, server.url);
    await tally(page, '4 alerts in 3 groups');
    await line(page, 'The API takes 900 ms').click();
    await page.getByRole('button', { name: 'instance=api-1', exact: true }).click();
    await tally(page, '1 alert in 1 group');
    await hashIs(page, '#/alerts?filter={instance="api-1"}');
    await page.getByRole('button', { name: 'severity=critical', exact: true }).click();
    await chip(page, 'severity="critical"').waitFor();
    await page.getByRole('button', { name: 'Remove instance="api-1"' }).click();
    await hashIs(page, '#/alerts?filter={severity="critical"}');
    await page.goBack();
    await chip(page, 'instance="api-1"').waitFor();
    await page.goto(`${server.url}/#/alerts`);
    await tally(page, '4 alerts in 3 groups');
    await page.getByRole('button', { name: 'severity=critical', exact: true }).click({ modifiers: ['Shift'] });
    await tally(page, '3 alerts in 3 groups');
    await hashIs(page, '#/alerts?filter={severity!="critical"}');
    const atOnce = `document.querySelector('.chip button').click(), document.querySelectorAll('.chip').length`;
    assert.equal(await page.evaluate(atOnce), 0, 'the box does not wait for the address');
    await tally(page, '4 alerts in 3 groups');
  });

  await t.test('mistyped input is explained in place', async (t) => {
    const page = await openPage(t, browser, server.url);
    await tally(page, '4 alerts');
    const field = page.getByLabel('Search alerts');
    await field.fill('severity=~"(" ');
    await field.press('Enter');
    await page.locator('.field-error', { hasText: 'missing closing )' }).waitFor();
    await page.getByRole('button', { name: 'Clear the filter' }).click();
    await chip(page, 'severity').waitFor({ state: 'detached' });
    await field.fill('severity of nothing');
    await page.getByText('No alerts match.').waitFor();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/api/v2/alerts/groups**', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${server.url}/#/alerts`);
    await chip(page, 'severity').waitFor({ state: 'detached' });
    await field.fill('x="a b');
    await field.press('Enter');
    await page.locator('.field-error', { hasText: 'closing " is missing' }).waitFor();
    release();
    await page.getByText('No alerts match.').waitFor();
    await page.waitForURL(/search=x/);
    assert.match((await page.locator('.field-error').textContent()) ?? '', /closing " is missing/, 'it stays');
    await field.fill('latency');
    await tally(page, '2 alerts in 1 group');
  });

  await t.test('links lead to web addresses only, and nothing in an alert becomes a part of the page', async (t) => {
    const page = await openPage(t, browser, server.url);
    await line(page, '<img src=x onerror="window.broken=true">').click();
    await line(page, 'The API takes 900 ms').click();
    const links = await page.evaluate(
      '[...document.links].filter((link) => link.matches(".external")).map(({ text, href, rel }) => [text, href, rel])',
    );
    assert.deepEqual(links, [
      ['Source', 'http://prometheus.example.com/graph?g0.expr=x', 'noopener noreferrer'],
      ['Runbook', 'https://runbooks.example.com/latency', 'noopener noreferrer'],
    ]);
    assert.equal(await page.locator('.alert img').count(), 0);
    assert.equal(await page.evaluate('window.broken'), undefined);
  });

  await t.test('an alert is silenced, the silence edited and expired', async (t) => {
    const page = await openPage(t, browser, server.url);
    await line(page, 'The disk is full').click();
    await page.getByRole('link', { name: 'Silence: The disk is full' }).click();
    await title(page, 'New silence');
    const values = page.getByLabel(/^Value, matcher/);
    assert.equal(await values.nth(0).inputValue(), 'DiskFull');
    await page.getByRole('heading', { name: '1 matching alert' }).waitFor();
    await page.getByRole('button', { name: 'Save the silence' }).click();
    await page.getByText('Say who creates it.').waitFor();
    await page.getByLabel('Created by').fill('mira');
    await page.getByLabel('Comment').fill('disk swap, https://tickets.example.com/1');
    await page.getByRole('button', { name: '4h', exact: true }).click();
    assert.equal(await page.getByLabel('Duration', { exact: true }).inputValue(), '4h');
    await page.getByRole('button', { name: 'Save the silence' }).click();
    const saved = page.locator('.toast', { hasText: 'The silence is saved.' });
    await saved.getByRole('button', { name: 'Close' }).click();
    const id = await shownSilence(page);
    const path = 'alerts?filter=alertname="DiskFull"';
    const [alert] = await getJson<{ status: { silencedBy: string[] } }[]>(server, path);
    assert.deepEqual(alert?.status.silencedBy, [id]);

    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Alerts' }).click();
    await tally(page, '3 alerts in 2 groups');
    await page.getByLabel('Silenced').check();
    await tally(page, '4 alerts in 3 groups');
    await hashIs(page, '#/alerts?silenced=true');
    await page.locator('a.badge', { hasText: 'silenced' }).click();
    await title(page, 'Silence');
    await hashIs(page, `#/silences/${id}`);

    await page.getByRole('link', { name: /^Edit/ }).click();
    await title(page, 'Edit silence');
    assert.equal(await page.getByLabel('Created by').inputValue(), 'mira');
    await page.getByLabel('Comment').fill('the disk comes tomorrow');
    await page.getByLabel('Duration', { exact: true }).fill('1d');
    await page.getByRole('button', { name: 'Save the silence' }).click();
    await saved.waitFor();
    // Another comment and another end keep the silence.
    await hashIs(page, `#/silences/${id}`);
    await page.getByText('the disk comes tomorrow').waitFor();

    await page.getByRole('button', { name: /^Expire/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Expire this silence?' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /^Expire/ }).click();
    await dialog.getByRole('button', { name: 'Expire' }).click();
    await page.locator('.badge', { hasText: 'expired' }).waitFor();
    const silence = await getJson<{ status: { state: string } }>(server, `silence/${id}`);
    assert.equal(silence.status.state, 'expired');

    await page.getByRole('link', { name: /^Recreate/ }).click();
    await title(page, 'Recreate silence');
    assert.equal(await page.getByLabel('Comment').inputValue(), 'the disk comes tomorrow');
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Alerts' }).click();
    await tally(page, '4 alerts in 3 groups');
  });

  await t.test('the form warns of a silence for everything and shows the refusal of the server', async (t) => {
    const page = await openPage(
      t,
      browser,
      `${server.url}/#/silences/new?filter=${encodeURIComponent('{alertname=~".+"}')}&creator=mira&comment=all`,
    );
    await page.getByText('This matches every alert, now and later.').waitFor();
    await page.getByLabel('Value, matcher 1').fill('.*');
    await page.getByRole('button', { name: 'Save the silence' }).click();
    await page.locator('.silence-form .form-error', { hasText: 'must not match the empty string' }).waitFor();
    await page.getByLabel('Value, matcher 1').fill('(');
    await page.locator('.preview .form-error', { hasText: 'missing closing )' }).waitFor();
    await page.getByLabel('Label name, matcher 1').fill('cluster');
    await page.getByLabel('Value, matcher 1').fill('eu|us');
    await page.getByText('This matches all 4 current alerts.').waitFor();
  });

  await t.test('other matchers make a new silence, and the form announces it', async (t) => {
    const id = await createSilence(server, 'Nothing');
    const page = await openPage(t, browser, `${server.url}/#/silences/${id}/edit`);
    const hint = page.getByText('Other matchers or another start make it a new silence');
    await page.getByLabel('Comment').fill('still the same');
    assert.equal(await hint.isVisible(), false);
    await page.getByLabel('Value, matcher 1').fill('Nothing at all');
    await hint.waitFor();
    await page.getByRole('button', { name: 'Save the silence' }).click();
    await page.getByText('The silence is saved.').waitFor();
    assert.notEqual(await shownSilence(page), id);
    const old = await getJson<{ status: { state: string } }>(server, `silence/${id}`);
    assert.equal(old.status.state, 'expired');
  });

  await t.test('silences are found by state, by words and by matcher', async (t) => {
    const id = await createSilence(server, 'Findable');
    const page = await openPage(t, browser, `${server.url}/#/silences`);
    const found = page.locator('.silence', { hasText: 'Findable' });
    const others = page.locator('.silence', { hasNotText: 'Findable' });
    await found.waitFor();
    await others.first().waitFor();
    await page.getByLabel('Filter silences').fill('SWAP find');
    await others.first().waitFor({ state: 'detached' });
    assert.equal(await found.count(), 1);
    await page.getByLabel('Filter silences').fill('alertname=Findable');
    await page.getByLabel('Filter silences').press('Enter');
    await chip(page, 'alertname="Findable"').waitFor();
    await others.first().waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /^Expire/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Expire' }).click();
    await page.getByText('No active silences.').waitFor();
    await page.getByRole('link', { name: /^Expired/ }).click();
    await found.getByRole('link', { name: /^Recreate/ }).waitFor();
    await hashIs(page, '#/silences?state=expired&filter={alertname="Findable"}');
    assert.equal((await getJson<{ status: { state: string } }>(server, `silence/${id}`)).status.state, 'expired');
  });

  await t.test('several silences are extended and expired by keys, and brought back as new ones', async (t) => {
    const ids = [await createSilence(server, 'Bulk-1'), await createSilence(server, 'Bulk-2')];
    const read = () => Promise.all(ids.map((id) => getJson<ListedSilence>(server, `silence/${id}`)));
    const ends = (await read()).map(({ endsAt }) => Date.parse(endsAt) + 4 * 3_600_000);
    const page = await openPage(t, browser, `${server.url}/#/silences`);
    await page.getByLabel('Filter silences').fill('bulk');
    await page.locator('.silence').nth(2).waitFor({ state: 'detached' });
    await page.getByLabel('Filter silences').blur();
    for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key);
    await page.getByText('2 selected').waitFor();
    await page.keyboard.press('e');
    await page.getByRole('dialog').getByRole('button', { name: '+4h' }).click();
    await page.getByText('2 silences extended by 4h.').waitFor();
    assert.deepEqual(
      (await read()).map(({ endsAt }) => Date.parse(endsAt)),
      ends,
    );

    // The failure of one does not keep the other from expiring.
    await page.route(`**/silence/${ids[0]}`, (route) =>
      route.request().method() === 'DELETE'
        ? route.fulfill({ status: 500, json: 'the disk is full' })
        : route.continue(),
    );
    await page.keyboard.press('d');
    await page.getByRole('dialog').getByRole('button', { name: 'Expire' }).click();
    const report = page.getByRole('dialog', { name: '1 of 2 not expired' });
    assert.match((await report.textContent()) ?? '', /Bulk-1.*the disk is full/);
    await report.getByRole('button', { name: 'Close' }).click();
    assert.deepEqual(
      (await read()).map(({ status }) => status.state),
      ['active', 'expired'],
    );
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Restored as a new silence.').waitFor();
    const bulk = await getJson<ListedSilence[]>(server, 'silences?expired=false&filter=alertname="Bulk-2"');
    assert.deepEqual(
      bulk.map(({ id, endsAt }) => [ids.includes(id), Date.parse(endsAt)]),
      [[false, ends[1]]],
    );
    for (const id of [ids[0], bulk[0]?.id]) await fetch(`${server.url}/api/v2/silence/${id}`, { method: 'DELETE' });
  });

  await t.test('a silence that another user changed is extended, expired and restored as it is now', async (t) => {
    const id = await createSilence(server, 'Shared');
    const ended = await createSilence(server, 'Ended elsewhere');
    const page = await openPage(t, browser, `${server.url}/#/silences`);
    const press = async (name: string, action: string, confirm: string) => {
      const row = page.locator('.silence', { hasText: name });
      await row.getByRole('button', { name: action }).click();
      await page.getByRole('dialog').getByRole('button', { name: confirm }).click();
    };
    await page.locator('.silence', { hasText: 'Shared' }).waitFor();
    // The page keeps what it has loaded.
    await page.route('**/api/v2/silences*', (route) =>
      route.request().method() === 'GET' ? route.abort() : route.continue(),
    );
    const { status: _, updatedAt: __, ...silence } = await getJson<ListedSilence>(server, `silence/${id}`);
    const after = (hours: number) => new Date(Date.parse(silence.endsAt) + hours * 3_600_000).toISOString();
    await postJson(server, 'silences', { ...silence, endsAt: after(2), comment: 'the new disk is late' });
    await fetch(`${server.url}/api/v2/silence/${ended}`, { method: 'DELETE' });

    await press('Shared', 'Extend', '+4h');
    await page.getByText('1 silence extended by 4h.').waitFor();
    const extended = await getJson<ListedSilence>(server, `silence/${id}`);
    assert.deepEqual([extended.endsAt, extended.comment], [after(6), 'the new disk is late']);
    await press('Shared', 'Expire', 'Expire');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Restored as a new silence.').waitFor();
    const restored = await getJson<ListedSilence[]>(server, 'silences?expired=false&filter=alertname="Shared"');
    assert.deepEqual(
      restored.map(({ endsAt, comment }) => [endsAt, comment]),
      [[after(6), 'the new disk is late']],
    );

    await press('Ended elsewhere', 'Extend', '+4h');
    const report = page.getByRole('dialog', { name: '1 of 1 not extended' });
    assert.match((await report.textContent()) ?? '', /Ended elsewhere.*already expired/);
    assert.deepEqual(await getJson(server, 'silences?expired=false&filter=alertname="Ended elsewhere"'), []);
    for (const { id } of restored) await fetch(`${server.url}/api/v2/silence/${id}`, { method: 'DELETE' });
  });

  await t.test('one form makes several silences, which expire with their alerts and name a ticket', async (t) => {
    const sets = '{alertname="HighLatency",instance=~"api-1|api-2"},{alertname="DiskFull"}';
    const page = await openPage(
      t,
      browser,
      `${server.url}/#/silences/new?filter=${encodeURIComponent(sets)}&creator=mira`,
    );
    await page.getByRole('heading', { name: '3 matching alerts' }).waitFor();
    await page.getByLabel('Comment').fill('works');
    await page.getByLabel('Expire when all').check();
    await page.getByLabel('Ticket').fill('https://tickets.example.com/OPS-7');
    await page.getByRole('button', { name: 'Save as a template' }).click();
    await page.getByLabel('Name of the template').fill('Works');
    await page.getByRole('button', { name: 'Keep' }).click();
    await page.getByRole('button', { name: 'Save 2 silences' }).click();
    await page.getByText('2 silences saved.').waitFor();
    await page.locator('.silence', { hasText: 'expires when resolved' }).nth(1).waitFor();
    assert.equal(await page.getByRole('link', { name: 'OPS-7' }).count(), 2);
    await page.keyboard.press('n');
    await page.getByRole('button', { name: 'Works', exact: true }).click();
    assert.equal(await page.getByLabel('Comment').inputValue(), 'works');
    const saved = await getJson<ListedSilence[]>(server, 'silences?expired=false');
    const made = saved.filter(({ annotations }) => annotations?.ticket);
    assert.deepEqual(
      made.map(({ annotations }) => annotations?.expire_when_resolved),
      ['true', 'true'],
    );
    for (const { id } of made) await fetch(`${server.url}/api/v2/silence/${id}`, { method: 'DELETE' });
  });

  await t.test('old links still work', async (t) => {
    const id = await createSilence(server, 'Nothing');
    const page = await openPage(t, browser, server.url);
    const links: readonly [hash: string, heading: string, text: string][] = [
      [
        '#/alerts?filter=%7Balertname%3D%22HighLatency%22%2Cseverity%3D~%22a%7Ccritical%22%7D&receiver=default',
        'Alerts',
        '1 alert in 1 group',
      ],
      [
        '#/alerts?silenced=false&inhibited=false&active=true&filter={alertname="DiskFull"}',
        'Alerts',
        '1 alert in 1 group',
      ],
      ['#/alerts?receiver=nobody', 'Alerts', 'No alerts match.'],
      ['#/alerts?active=false', 'Alerts', 'Hidden: 4 active.'],
      ['#/silences', 'Silences', 'disk swap'],
      ['#/silences/new?filter=%7Balertname%3D%22DiskFull%22%7D', 'New silence', '1 matching alert'],
      [`#/silences/${id}`, 'Silence', 'No alerts match now'],
      [`#/silences/${id}/edit`, 'Edit silence', 'Which alerts'],
      ['#/silences/00000000-0000-4000-8000-000000000000', 'Silence', 'There is no such silence.'],
      ['#/silences/no-uuid', 'Silence', 'There is no such silence.'],
      ['#/history?outcome=failed', 'History', 'Nothing matches the filters.'],
      ['#/routing?labels=alertname%3DX', 'Routing', 'This alert goes to default.'],
      ['#/routing?labels=alertname', 'Routing', 'Write each label as name=value'],
      ['#/status', 'Status', 'Last reload'],
      ['#/settings', 'Settings', 'Every 15 seconds'],
      ['#/nowhere', 'No such page', 'This link leads nowhere.'],
    ];
    for (const [hash, heading, text] of links) {
      await page.goto(`${server.url}/${hash}`);
      await title(page, heading);
      await page.locator('main', { hasText: text }).waitFor();
      await page.goto('about:blank');
    }
    await fetch(`${server.url}/api/v2/silence/${id}`, { method: 'DELETE' });
  });

  await t.test('failing notifications stand above every page, and lead to their history', async (t) => {
    const page = await openPage(t, browser, 'about:blank');
    const answers = {
      '**/api/v2/conditions?': JSON.stringify([{ code: 'notifications_fail', text: 'pager', values: {} }]),
      '**/api/v2/integrations?': JSON.stringify([
        {
          ...{ receiver: 'pager', integration: 'webhook', index: 0, sent: 0, failed: 24 },
          failing: { groups: 24, since: new Date(Date.now() - 1_230_000).toISOString(), error: 'connection refused' },
        },
        { receiver: 'team', integration: 'email', index: 0, sent: 3, failed: 0 },
      ]),
    };
    for (const [url, body] of Object.entries(answers)) await page.route(url, (route) => route.fulfill({ body }));
    await page.goto(`${server.url}/#/status`);
    const failing = page.getByRole('status', { name: 'Failing notifications' });
    const summary = failing.locator('summary');
    await summary.getByText('pager (webhook): 24 groups not notified for 20m: connection refused').waitFor();
    await summary.click();
    assert.equal(await failing.getByRole('listitem').count(), 1);
    assert.equal(await page.getByRole('status', { name: 'State of the server' }).textContent(), '');
    assert.deepEqual(await findBarriers(page), []);
    await failing.getByRole('link').click();
    await hashIs(page, '#/history?receiver=pager&outcome=failed');
    assert.equal(await page.getByLabel('Receiver').inputValue(), 'pager');
    await page.getByLabel('Outcome').selectOption('Sent');
    await hashIs(page, '#/history?receiver=pager&outcome=sent');
  });

  await t.test('several failing receivers take one line of a phone, and of a wall', async (t) => {
    const page = await openPage(t, browser, 'about:blank', { width: 390 });
    const since = new Date(Date.now() - 1_230_000).toISOString();
    const health = ['pager', 'database-team', 'web-team'].map((receiver) => ({
      ...{ receiver, integration: 'webhook', index: 0, sent: 0, failed: 24 },
      failing: { groups: 24, since, error: 'connection refused' },
    }));
    const conditions = [{ code: 'notifications_fail', text: 'pager', values: {} }];
    await page.route('**/api/v2/conditions?', (route) => route.fulfill({ json: conditions }));
    await page.route('**/api/v2/integrations?', (route) => route.fulfill({ json: health }));
    await page.goto(`${server.url}/?wall`);
    const failing = page.getByRole('status', { name: 'Failing notifications' });
    await failing.getByText('3 receivers not notified for 20m: pager').waitFor();
    assert.ok(((await failing.boundingBox())?.height ?? 99) < 40);
    const counts =
      '[...document.querySelectorAll(".wall-counts > *")].map((count) => count.getBoundingClientRect().right)';
    const edges = (await page.evaluate(counts)) as number[];
    assert.equal(edges.length, 3);
    assert.ok(Math.max(...edges) <= 390, `counts of severities end at ${edges} pixels`);
    await failing.locator('summary').click();
    await failing.getByText('web-team (webhook): 24 groups not notified for 20m: connection refused').waitFor();
  });

  await t.test('a wide window shows the details of one alert beside the list, with the reasons', async (t) => {
    const page = await openPage(t, browser, server.url, { width: 2560 });
    const pane = page.getByRole('complementary', { name: 'Details of the alert' });
    await line(page, 'The API takes 900 ms').click();
    await pane.getByRole('heading', { name: 'The API takes 900 ms' }).waitFor();
    await pane.getByText('Nothing mutes this alert.').waitFor();
    await line(page, 'The disk is full').click();
    await pane.getByRole('heading', { name: 'The disk is full' }).waitFor();
    assert.equal(await page.locator('.alert-toggle[aria-expanded="true"]').count(), 1);
    assert.deepEqual(await findBarriers(page, 'main'), []);
    await pane.getByRole('button', { name: /^Acknowledge/ }).focus();
    await page.keyboard.press('x');
    await page.getByText('1 selected').waitFor();
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.locator('.alert .alert-details .why').waitFor();
    assert.equal(await pane.count(), 0);
    await page.setViewportSize({ width: 2560, height: 900 });
    await line(page, 'The API takes 400 ms').click();
    await pane.getByRole('button', { name: 'Close' }).click();
    await pane.waitFor({ state: 'hidden' });
  });

  await t.test('the list keeps itself fresh, and stays as it was left', async (t) => {
    const page = await openPage(t, browser, 'about:blank', { once: true });
    // The clock is stopped: the test decides which requests repeat, and when.
    await page.clock.install({ time: '2025-06-10T11:00:00Z' });
    await page.clock.pauseAt('2025-06-10T12:00:00Z');
    await page.addInitScript(SIGNALS);
    await page.goto(server.url);
    await tally(page, '4 alerts in 3 groups');
    assert.deepEqual(await page.evaluate('signals'), [], 'a critical alert that was there is no news');
    const disk = page.getByRole('button', { name: /^DiskFull/ });
    await disk.click();
    await page.getByText('The disk is full').waitFor({ state: 'detached' });
    await postJson(server, 'alerts', [{ labels: { alertname: 'Late', cluster: 'eu', severity: 'critical' } }]);
    await page.clock.runFor(15_000);
    await tally(page, '5 alerts in 4 groups');
    await eventually('three signals', async () => (await page.evaluate('signals.length')) === 3);
    assert.deepEqual(await page.evaluate('signals'), ['tone', 'tone', '1 new critical alert: Late']);
    await page.getByRole('link', { name: 'Status', exact: true }).click();
    await title(page, 'Status');
    await page.goBack();
    await tally(page, '5 alerts in 4 groups');
    assert.equal(await disk.getAttribute('aria-expanded'), 'false');
  });
});
