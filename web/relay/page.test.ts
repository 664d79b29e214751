// The page as people use it, over a relay in this process.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { systemClock } from '../../src/kernel/clock.ts';
import { createLog } from '../../src/kernel/log.ts';
import { startRelay } from '../../src/relay/server.ts';
import { environment, RELAY_DEFAULTS } from '../../src/relay/testing/config.ts';
import {
  findBarriers,
  findColourBarriers,
  fitsAcross,
  launchBrowser,
  needsBrowser,
  openPage,
  picture,
} from '../../src/testing/browser.ts';
import { temporaryFolder } from '../../src/testing/processes.ts';

const SDK_KEY = 'sdk-00000000-0000-4000-8000-000000abcdef';
const TOKEN = 'page-token-of-this-relay';

const FLAGS = `flags:
  new-checkout:
    on: true
    variations: [true, false]
    offVariation: 1
    prerequisites: [{ key: payments, variation: 0 }]
    targets: [{ variation: 0, values: [ada, kim] }]
    rules:
      - clauses:
          - { attribute: email, op: endsWith, values: ["@example.org"] }
          - { contextKind: org, attribute: plan, op: in, values: [gold, platinum], negate: true }
        rollout: { contextKind: org, variations: [{ variation: 0, weight: 25000 }, { variation: 1, weight: 75000 }] }
    fallthrough: { variation: 1 }
  payments:
    on: true # since May
    variations: [true, false]
    offVariation: 1
    fallthrough: { variation: 0 }
  old-banner:
    on: false
    variations: [{ text: "<img src=x onerror='window.broken=true'>" }, null]
    offVariation: 1
    fallthrough: { variation: 0 }
flagValues:
  page-size: 25
  a-flag-with-a-name-that-is-longer-than-a-telephone-is-wide-and-has-no-room-to-break: 1
`;

async function start(t: TestContext) {
  const file = join(temporaryFolder(t), 'flags.yml');
  writeFileSync(file, FLAGS);
  const log = createLog({ level: 'error', format: 'logfmt', clock: systemClock, write: () => {} });
  const environments = [environment('local', SDK_KEY, { dataFile: file, envId: 'client-id' })];
  const options = { ...RELAY_DEFAULTS, host: '127.0.0.1', port: 0, environments, isLocal: true, pageToken: TOKEN };
  const relay = await startRelay({ ...options, gracefulShutdownMs: 0 }, systemClock, log);
  t.after(() => relay.close());
  await relay.settled;
  return { url: relay.url, file };
}

/** Reports evaluations as an SDK does. */
async function report(url: string): Promise<void> {
  const counters = [
    { variation: 1, version: 1, value: false, count: 1200 },
    { variation: 0, version: 1, value: true, count: 300 },
  ];
  const features = { 'new-checkout': { counters }, 'gone-flag': { counters: [{ unknown: true, value: 1, count: 3 }] } };
  const headers = { authorization: SDK_KEY, 'user-agent': 'GoClient/7.1.0', 'x-launchdarkly-event-schema': '4' };
  const body = JSON.stringify([{ kind: 'summary', features }]);
  assert.equal((await fetch(`${url}/bulk`, { method: 'POST', headers, body })).status, 202);
}

const flag = (page: Page, key: string): Promise<void> =>
  page.getByRole('heading', { level: 1, name: key, exact: true }).waitFor();

/** Presses the copy button of a part; returns what it puts on a clipboard of the page's own, as that of the browser is shared. */
async function copyFrom(part: Locator): Promise<string> {
  const page = part.page();
  await page.evaluate(`Object.defineProperty(navigator, 'clipboard', {
    configurable: true,
    value: { writeText: async (text) => { window.copied = text; } },
  })`);
  await part.getByRole('button', { name: /^Copy / }).click();
  return (await page.evaluate('window.copied')) as string;
}

test('the page of the relay', async (t) => {
  if (!needsBrowser(t)) return;
  const { url, file } = await start(t);
  await report(url);
  const browser = await launchBrowser(t);

  await t.test('flags are searched, explained, tried and copied', async (t) => {
    const page = await openPage(t, browser, url);
    await page.getByText('5 flags').waitFor();
    const row = page.locator('.row', { hasText: 'new-checkout' });
    assert.match((await row.textContent()) ?? '', /On.*new-checkout.*false.*1,500/);
    await page.getByLabel('Show').selectOption('idle');
    await row.waitFor({ state: 'detached' });
    await page.getByLabel('Show').selectOption('all');
    await page.keyboard.press('/');
    await page.keyboard.type('checkout');
    await page.getByText('1 of 5').waitFor();
    await row.getByRole('link').click();
    await flag(page, 'new-checkout');
    const rules = page.getByRole('region', { name: 'Who gets what' });
    const words = (await rules.textContent()) ?? '';
    for (const part of [
      'Unless flag payments is on and serves truefalse',
      'user ada, kim',
      'If user email ends with "@example.org"and org plan is none of "gold", "platinum"25%true75%falseby org key',
      'Everyone elsefalse',
    ])
      assert.ok(words.includes(part), `${part} in ${words}`);
    assert.match(
      (await page.getByRole('region', { name: 'Evaluations' }).textContent()) ?? '',
      /1,200 · 80%.*300 · 20%/,
    );
    await page.getByLabel('Context, as JSON').fill('{"kind": "user", "key": "eve"}');
    await page.getByRole('button', { name: 'Evaluate' }).click();
    await page.getByText('variation 1, no target and no rule matches').waitFor();
    assert.match(
      (await page.locator('.path').textContent()) ?? '',
      /prerequisite "payments": variation 0, wanted 0: met\n/,
    );
    await page.getByLabel('Context, as JSON').fill('{"key"');
    await page.getByRole('button', { name: 'Evaluate' }).click();
    await page.getByText('This is not JSON').waitFor();
    await page.getByLabel('Context, as JSON').fill('{"kind": "user"}');
    await page.getByRole('button', { name: 'Evaluate' }).click();
    await page.locator('.field-error', { hasText: 'such as {"kind": "user", "key": "ada"}' }).waitFor();
    const definition = page.getByRole('region', { name: 'Definition' });
    const json = await copyFrom(definition);
    assert.deepEqual(JSON.parse(json).targets, [{ variation: 0, values: ['ada', 'kim'] }]);
    assert.equal(await definition.locator('pre').textContent(), json);
    await page.getByRole('button', { name: 'YAML' }).click();
    await page.locator('.definition', { hasText: 'new-checkout:' }).waitFor();
    assert.match(await copyFrom(definition), /^ *new-checkout:\n(?:.*\n)* +targets:\n +- variation: 0\n/m);
    await rules.getByRole('link', { name: 'payments' }).click();
    await flag(page, 'payments');
    await page.getByText('Prerequisite of').waitFor();
  });

  await t.test('a flag is switched off with a comment and back; a conflict is reported', async (t) => {
    const page = await openPage(t, browser, `${url}/#/flags/payments`);
    await page.getByRole('button', { name: 'Turn off …' }).click();
    await page.getByLabel(/^Why/).fill('incident 41');
    await page.keyboard.press('Enter');
    await page.getByText('Turned off in').waitFor();
    assert.equal(readFileSync(file, 'utf8'), FLAGS.replace('on: true # since May', 'on: false # since May'));
    await page.getByText('The flag is off: everyone gets').waitFor();
    await page.getByRole('region', { name: 'Changes' }).getByText('incident 41').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Turned on in').waitFor();
    assert.equal(readFileSync(file, 'utf8'), FLAGS);
    await page.route('**/api/flags/payments/switch', (route) =>
      route.continue({ postData: JSON.stringify({ environment: 'local', on: false, version: 1, comment: '' }) }),
    );
    await page.getByRole('button', { name: 'Turn off …' }).click();
    await page.getByRole('button', { name: 'Turn off', exact: true }).click();
    await page.getByText('has changed meanwhile').waitFor();
    await page.goto(`${url}/#/flags/page-size`);
    await page.getByText('The file has only its value').waitFor();
    await page.getByRole('link', { name: 'Changes' }).click();
    const changes = page.locator('.change', { hasText: 'payments' });
    assert.match((await changes.last().textContent()) ?? '', /changed.*incident 41.*on.*true → false/);
    // As the relay answers for an environment of LaunchDarkly.
    await page.route('**/api/flags/payments?*', async (route) => {
      const details = (await (await route.fetch()).json()) as object;
      await route.fulfill({ json: { ...details, switchObstacle: 'launchdarkly' } });
    });
    await page.goto(`${url}/#/flags/payments`);
    await page.getByText('Read-only: change it in LaunchDarkly.').waitFor();
    assert.equal(await page.getByRole('button', { name: /^Turn o/ }).count(), 0);
  });

  await t.test('the page follows changes of the file, names SDKs and faults, and shows no key', async (t) => {
    const page = await openPage(t, browser, url);
    await page.getByText('5 flags').waitFor();
    writeFileSync(file, FLAGS.replace('page-size: 25', 'page-size: 50'));
    await page.locator('.row', { hasText: 'page-size' }).getByText('50').waitFor();
    writeFileSync(file, 'flags: [');
    await page.getByRole('link', { name: 'Status' }).click();
    await page.getByText(/The flags cannot be read.*flags\.yml:1/).waitFor();
    await page.getByRole('cell', { name: 'GoClient/7.1.0' }).waitFor();
    await page.getByText('gone-flag').waitFor();
    await page.getByText('The source is interrupted; the last data is served.').waitFor();
    writeFileSync(file, FLAGS);
    await page.getByRole('link', { name: 'Connect' }).click();
    await page.getByText(`init('SDK_KEY', { baseUri: url`).waitFor();
    await page.getByText(`const url = '${url}'`).first().waitFor();
    const examples = await page.locator('.examples > section').all();
    assert.ok(examples.length > 3);
    for (const example of examples) assert.equal(await copyFrom(example), await example.locator('pre').textContent());
    assert.ok(!(await page.content()).includes(SDK_KEY));
    await page.getByLabel('Language').selectOption('de');
    await page.getByRole('heading', { level: 1, name: 'Verbinden' }).waitFor();
    await page.getByLabel('Farbschema').selectOption('dark');
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Verbinden' }).waitFor();
    assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark');
    assert.equal(await page.evaluate('window.broken'), undefined);
  });

  await t.test('elsewhere the page asks for its token', async (t) => {
    const page = await openPage(t, browser, 'about:blank', { once: true });
    await page.setExtraHTTPHeaders({ 'x-forwarded-for': '10.0.0.7' });
    await page.goto(url);
    await page.getByLabel('Page token').fill('not the token');
    await page.keyboard.press('Enter');
    await page.getByText('This is not the page token.').waitFor();
    assert.deepEqual(await findBarriers(page), []);
    await page.getByLabel('Page token').fill(TOKEN);
    await page.keyboard.press('Enter');
    await page.getByText('5 flags').waitFor();
    await page.reload();
    await page.getByText('5 flags').waitFor();
  });

  const places: readonly (readonly [name: string, hash: string, sign: string])[] = [
    ['list', '#/flags', '5 flags'],
    ['flag', '#/flags/new-checkout', 'Who gets what'],
    ['off', '#/flags/old-banner', 'Applies when the flag is on'],
    ['none', '#/flags/none', 'No such flag'],
    ['changes', '#/changes', 'incident 41'],
    ['status', '#/status', 'GoClient'],
    ['connect', '#/connect', 'Node.js'],
    ['nowhere', '#/nowhere', 'No such page'],
    ['gone', '#/flags?env=gone', 'no such environment'],
  ];

  await t.test('axe finds no barriers in light and dark, and nothing hangs over the edge', async (t) => {
    const page = await openPage(t, browser, url);
    for (const [name, hash, sign] of places) {
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.goto(`${url}/${hash}`);
      await page.locator('main', { hasText: sign }).waitFor();
      assert.deepEqual(await findBarriers(page), [], name);
      await page.emulateMedia({ colorScheme: 'dark' });
      assert.deepEqual(await findColourBarriers(page), [], `${name} in dark`);
      await picture(page, `relay-${name}-dark`);
      await page.emulateMedia({ colorScheme: 'light' });
      for (const width of [2560, 1440, 390]) {
        await page.setViewportSize({ width, height: 900 });
        await fitsAcross(page, `${name} at ${width} pixels`);
        await picture(page, `relay-${name}-${width}`);
      }
    }
  });
});
