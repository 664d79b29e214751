import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  findBarriers,
  fitsAcross,
  launchBrowser,
  needsBrowser,
  openPage,
  picture,
  settles,
} from '../../src/testing/browser.ts';
import { needsPostgres, startPostgres } from '../../src/testing/postgres.ts';
import { configFile, Janitor, startOpsdeck } from '../../src/testing/processes.ts';

const configOf = (receiver: string) => `{route: {receiver: ${receiver}}, receivers: [{name: ${receiver}}]}`;

test('every page says what the server cannot do, until it can again', async (t) => {
  if (!needsBrowser(t) || !needsPostgres(t)) return;
  const janitor = new Janitor();
  t.after(() => janitor.clean());
  const postgres = await startPostgres(janitor);
  const start = (name: string) => {
    const config = configFile(janitor, configOf(name));
    return startOpsdeck(janitor, [
      ...['--storage.url', postgres.url, '--config.file', config, '--cluster.peer-name', name],
    ]);
  };
  const [server, other] = [await start('am-1'), await start('am-2')];
  const page = await openPage(t, await launchBrowser(janitor), `${server.url}/#/alerts`);
  const state = page.getByRole('status', { name: 'State of the server' });
  const shows = (...texts: RegExp[]) =>
    settles('the banner', async () => {
      const shown = await state.locator('p').allTextContents();
      assert.equal(shown.length, texts.length, shown.join('\n'));
      for (const [index, text] of texts.entries()) assert.match(shown[index] ?? '', text);
    });
  const differs = /^The configuration differs from that of am-2\.$/;
  await shows(differs);
  await postgres.kill();
  await shows(differs, /^PostgreSQL is away since \d\d:\d\d:\d\d: .* silences cannot be changed\.$/);
  assert.deepEqual(await findBarriers(page), []);
  await picture(page, 'alerts-conditions');
  await page.setViewportSize({ width: 360, height: 640 });
  await fitsAcross(page);
  await page.goto(`${server.url}/#/settings`);
  await shows(differs, /^PostgreSQL is away/);
  await postgres.start();
  await other.stop();
  await shows();
  assert.equal(await state.locator('.banner').count(), 0);
});
