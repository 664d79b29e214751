// CSV files in a real browser: dropped, chosen, found by the server, of every generation, broken, twice.
import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import type { Request } from 'playwright-core';
import {
  browserTest,
  CSV_HEADER,
  centsOf,
  choose,
  chooseFile,
  csvOf,
  dollars,
  dropFiles,
  kpiIs,
  requestsAre,
  serveDashboard,
  twinRows,
  usageRows,
  visit,
} from '../../../src/dashboard/testing/browser.ts';
import { fitsAcross } from '../../../src/testing/browser.ts';

const TOKENS = 'Input (w/ Cache Write),Input (w/o Cache Write),Cache Read,Output Tokens,Total Tokens';
/** One file of every generation, all of info's: requests, tokens and cents of each. */
const GENERATIONS = [
  {
    name: 'v1-info.csv',
    text: `Date,Model,${TOKENS},Cost,Cost to you\n2025-06-01,gpt-4o,10,5,0,15,30,$0.10,$0.10\n`,
    cents: 10,
  },
  { name: 'v2-info.csv', text: csvOf(usageRows(2, { cents: 20 })), cents: 40 },
  {
    name: 'v2-team-info.csv',
    text: `Date,User,Kind,Model,Max Mode,${TOKENS},Cost\n"2025-06-02T10:00:00.000Z","mira@example.com","Errored, No Charge","composer-2","Yes","0","10","0","10","20","-"\n`,
    cents: 0,
  },
  {
    name: 'v2-requests-info.csv',
    text: `Date,Kind,Model,Max Mode,${TOKENS},Requests\n"2025-06-03T10:00:00.000Z","Included","auto","No","0","10","0","20","30","17.3"\n`,
    cents: 0,
  },
  {
    name: 'v3-info.csv',
    text: `\uFEFFDate;Cloud Agent ID;Automation ID;Kind;Model;Max Mode;${TOKENS.replaceAll(',', ';')};Cost\r\n"2025-06-04T10:00:00.000Z";"";"";"On-Demand";"grok-4";"No";"1";"1";"1";"1";"4";"1,25"\r\n`,
    cents: 125,
  },
] as const;

browserTest('files on the analytics page', async (t, browser, check) => {
  // The sample ends today: these pages need the true time.
  const empty = await serveDashboard(t);

  check('files in a project without any', async (t) => {
    const page = await visit(t, browser, empty.page, { now: 'real' });

    await t.test('the first visit shows a sample and says so', async () => {
      await page.getByText('This is sample data.').waitFor();
      await twinRows(page, 'overview');
      await page.locator('[data-kpi="requests"] .kpi-value', { hasText: /[1-9]/ }).waitFor();
      await page.setViewportSize({ width: 390, height: 900 });
      await fitsAcross(page, 'the page on a phone');
      await page.setViewportSize({ width: 1280, height: 900 });
      assert.equal((await fetch(`${empty.url}/data/usage-events-info.csv`)).status, 404);
    });

    const nameless = [
      { name: 'export.csv', text: csvOf(usageRows(3)) },
      { name: 'export (1).csv', text: csvOf(usageRows(4, { shiftMs: 60_000 })) },
    ];
    const dialog = page.getByRole('dialog', { name: 'Whose requests are in these files?' });

    await t.test('a file whose user is not given is not loaded', async () => {
      await page.goto(`${empty.page}#range=all`);
      await dropFiles(page, nameless);
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByText('This is sample data.').waitFor();
      assert.equal(await page.locator('#drop-zone').isVisible(), true);
    });

    await t.test('rule A.9: files of every generation are dropped, and the drop zone hides', async () => {
      const sent: Request[] = [];
      page.on('request', (request) => request.method() !== 'GET' && sent.push(request));
      // The loaded files are named for six seconds.
      await Promise.all([
        page.getByText('1 request loaded from v3-info.csv').waitFor(),
        dropFiles(page, GENERATIONS, () => page.getByText('Drop to load').waitFor()),
      ]);
      await page.getByText('Drop to load').waitFor({ state: 'hidden' });
      await requestsAre(page, 6);
      await page.locator('#drop-zone').waitFor({ state: 'hidden' });
      const cents = GENERATIONS.reduce((sum, file) => sum + file.cents, 0);
      await kpiIs(page, 'total-cost', dollars(cents));
      // The files are of 2025, the page's clock is not.
      await page.locator('.budget .badge').getByText('No requests yet').waitFor();
      assert.deepEqual(
        sent.map((request) => request.url()),
        [],
        'a dropped file stays in the browser',
      );
    });

    await t.test('rule A.9: the page asks once for the users of all files without a name', async () => {
      await dropFiles(page, nameless);
      await dialog.getByRole('radio', { name: 'slope' }).check();
      await dialog.getByRole('button', { name: 'Load' }).click();
      await requestsAre(page, 13);
      await choose(page, 'User', 'slope');
      await requestsAre(page, 7);
      await choose(page, 'User', 'info');
      await requestsAre(page, 6);
      await choose(page, 'User', 'all');
      await requestsAre(page, 13);
    });

    await t.test('unreadable rows are counted and shown, the others count', async () => {
      const text = csvOf(usageRows(5, { shiftMs: 120_000 }))
        .replace('"100"', '"many"')
        .replace('2025-06-10T08', 'soon');
      await chooseFile(page, 'Load CSV', { name: 'rows-info.csv', text });
      await page.getByText('2 of 5 rows of rows-info.csv skipped.').waitFor();
      const notice = page.locator('[data-notice="csv-rows-info.csv"]');
      await notice.locator('summary').click();
      assert.equal(await notice.getByRole('listitem').count(), 2);
      await notice.getByText('Line 2: no token count').waitFor();
      await requestsAre(page, 16);
      await notice.getByRole('button', { name: 'Close' }).click();
      await notice.waitFor({ state: 'detached' });
    });

    await t.test(
      'a duplicate, truncated or incomplete file changes nothing, and the page gives the reason',
      async () => {
        const good = { name: 'usage-info.csv', text: csvOf(usageRows(5, { shiftMs: 180_000 })) };
        await chooseFile(page, 'Load CSV', good);
        await requestsAre(page, 21);
        await chooseFile(page, 'Load CSV', good);
        await page.getByText('usage-info.csv is loaded already.').waitFor();
        await chooseFile(page, 'Load CSV', { name: 'cut-info.csv', text: `${CSV_HEADER}\n"2025-06-01T10:00` });
        await page.getByText('A quotation mark that opens in line 2 is never closed.').waitFor();
        await chooseFile(page, 'Load CSV', { name: 'other-info.csv', text: 'Date,Cost\n2025-06-01,1\n' });
        await page.getByText(/Columns are missing: .*Total Tokens/).waitFor();
        await chooseFile(page, 'Load CSV', { name: 'none-info.csv', text: '' });
        await page.getByText('The file is empty.').waitFor();
        await chooseFile(page, 'Load CSV', { name: 'bad-info.csv', text: good.text.replaceAll('"100"', '"many"') });
        await page.getByText('None of its rows could be read.').waitFor();
        await requestsAre(page, 21);
      },
    );
  });

  check('a file that loads before the sample still replaces it', async (t) => {
    const page = await visit(t, browser, 'about:blank', { now: 'real' });
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/sample/*', async (route) => {
      await held;
      await route.continue();
    });
    await Promise.all([page.waitForRequest('**/sample/*.csv'), page.goto(`${empty.page}#range=all`)]);
    await Promise.all([
      page.getByText('5 requests loaded from usage-info.csv').waitFor(),
      chooseFile(page, 'Load CSV', { name: 'usage-info.csv', text: csvOf(usageRows(5)) }),
    ]);
    release();
    await requestsAre(page, 5);
    await page.locator('main:not([aria-busy])').waitFor();
    assert.equal(await page.getByText('This is sample data.').isVisible(), false);
    await page.getByText('No markers yet.').waitFor();
  });

  check('rule A.9: the default files of all users are there at the start, without a drop zone', async (t) => {
    const [info, slope] = [usageRows(30), usageRows(12, { shiftMs: 60_000 })];
    const server = await serveDashboard(t, {
      files: { 'data/usage-events-info.csv': csvOf(info), 'data/usage-events-slope.csv': csvOf(slope) },
    });
    const page = await visit(t, browser, `${server.page}#range=all`);
    await requestsAre(page, 42);
    assert.equal(await page.locator('#drop-zone').isVisible(), false);
    await kpiIs(page, 'total-cost', dollars(centsOf([...info, ...slope])));
    assert.equal(await page.locator('.toast').count(), 0, 'files found at the start are not announced');
    const overlap = csvOf([...usageRows(2, { shiftMs: -7_200_000 }), ...info.slice(0, 10)]);
    await chooseFile(page, 'Load CSV', { name: 'again-info.csv', text: overlap });
    await requestsAre(page, 44);
    await page
      .getByText(/10 duplicates removed/)
      .first()
      .waitFor({ state: 'attached' });

    const forget = page.getByRole('button', { name: 'Forget 1 file' });
    await t.test('a chosen file is there after a reload, until it is forgotten', async () => {
      await forget.waitFor();
      await page.reload();
      await requestsAre(page, 44);
      assert.equal(await page.locator('.toast').count(), 0);
      await forget.click();
      const dialog = page.getByRole('dialog', { name: 'Forget 1 file?' });
      await dialog.getByText(/again-info\.csv/).waitFor();
      await dialog.getByRole('button', { name: 'Forget 1 file' }).click();
      await requestsAre(page, 42);
      await forget.waitFor({ state: 'hidden' });
    });

    await t.test('a default file that other users cannot read is named, with the remedy', async () => {
      chmodSync(join(server.folder, 'data/usage-events-info.csv'), 0o600);
      await page.reload();
      await page.getByText(/usage-events-info\.csv could not be read/).waitFor();
      await page.getByText(/chmod o\+r the file/).waitFor();
      // The forgotten file, of the same user, has not come back.
      await requestsAre(page, 12);
      assert.equal(await forget.isVisible(), false);
    });
  });
});
