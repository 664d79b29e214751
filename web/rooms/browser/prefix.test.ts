// The page behind a proxy that shows the server under a path.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lineIs, openWindow, posted, said, serveRooms, write } from '../../../src/rooms/testing/browser.ts';
import { launchBrowser, needsBrowser } from '../../../src/testing/browser.ts';
import { openPrefixProxy } from '../../../src/testing/http/proxy.ts';

test('behind a proxy that takes a path away', { timeout: 600_000 }, async (t) => {
  if (!needsBrowser(t)) return;
  const server = await serveRooms(t);
  await server.send('ana', 'POST', '/api/room', { name: 'Payments on-call', slug: 'ops' });
  await server.send('ana', 'POST', '/api/room', { name: 'Quiet', slug: 'quiet' });
  const proxy = await openPrefixProxy(t, server.url, '/team/chat');
  const { origin } = new URL(proxy.url);
  const { page, context } = await openWindow(t, await launchBrowser(t), proxy.url, 'ana', { path: 'r/ops' });

  await t.test('one writes, reads and sees files', async () => {
    await lineIs(page, 'live');
    await write(page, 'from below');
    await said(page, 'from below').waitFor();
    await server.send('ben', 'POST', '/api/message', { roomId: 'ops', body: 'from beside' });
    await said(page, 'from beside').waitFor();
    const file = { name: 'log.txt', mimeType: 'text/plain', buffer: Buffer.from('a line') };
    await page.locator('main input[type=file]').setInputFiles([file]);
    await page.locator('.upload progress').waitFor({ state: 'detached' });
    await write(page, 'a file');
    const href = await posted(page, 'a file')
      .getByRole('link', { name: /log\.txt/ })
      .getAttribute('href');
    assert.match(href ?? '', /^\/team\/chat\/api\/file\//);
    assert.equal((await context.request.get(origin + href)).status(), 200);
  });

  await t.test('rooms and messages have addresses below it, which can be opened', async () => {
    await page.locator('.rail-link', { hasText: 'Quiet' }).click();
    await page.getByRole('heading', { level: 1, name: 'Quiet' }).waitFor();
    await page.waitForURL(`${proxy.url}r/quiet`);
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Payments on-call' }).waitFor();
    const id = await said(page, 'from beside').getAttribute('data-id');
    await page.goto(`${proxy.url}r/ops/m/${id}`);
    await page.locator('article.found', { hasText: 'from beside' }).waitFor();
    await page.locator('.brand').click();
    await page.waitForURL(proxy.url);
    await page.getByRole('heading', { level: 1, name: 'Payments on-call' }).waitFor();
  });

  await t.test('what others are given leads here', async () => {
    await page.getByRole('button', { name: /^Members/ }).click();
    await page.getByRole('button', { name: 'Make an invite link' }).click();
    const link = (await page.locator('.invite-link code').textContent()) ?? '';
    assert.equal(link.startsWith(`${proxy.url}i/`), true, link);
    await page.goto(link);
    await page.getByRole('heading', { name: 'Join Payments on-call?' }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.locator('.rail-link', { hasText: 'Quiet' }).click();
    await page.getByText(`${proxy.url}api/room/quiet/message`).waitFor();
  });

  await t.test('no request left the path', () => {
    assert.deepEqual(proxy.strays, []);
  });
});
