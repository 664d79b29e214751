// A room of many messages: read back, forth, and from a link, without a jump and without a heavy page.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openWindow, said, serveRooms, wordsOf } from '../../../src/rooms/testing/browser.ts';
import { launchBrowser, needsBrowser } from '../../../src/testing/browser.ts';
import { isLongRound } from '../../../src/testing/long-round.ts';

const MESSAGES = isLongRound ? 2500 : 800;
const AT_ONCE = 50;

interface Posted {
  readonly id: string;
  readonly body: string;
}

test('a long room', { only: isLongRound, timeout: 600_000 }, async (t) => {
  if (!needsBrowser(t)) return;
  const server = await serveRooms(t);
  await server.send('ana', 'POST', '/api/room', { name: 'Ops', slug: 'ops' });
  const posted: Posted[] = [];
  for (let first = 0; first < MESSAGES; first += AT_ONCE) {
    const bodies = Array.from(
      { length: AT_ONCE },
      (_, index) => `line ${first + index}.${'\n\nmore'.repeat((first + index) % 4)}`,
    );
    posted.push(
      ...(await Promise.all(
        bodies.map((body) => server.send<Posted>('ben', 'POST', '/api/message', { roomId: 'ops', body })),
      )),
    );
  }
  const browser = await launchBrowser(t);
  const { messages } = await server.send<{ readonly messages: readonly Posted[] }>(
    'ana',
    'GET',
    '/api/room/ops/message?limit=1',
  );
  const last = messages[0]?.body.split('\n')[0] ?? '';
  const first =
    (
      await server.send<{ readonly messages: readonly Posted[] }>('ana', 'GET', '/api/room/ops/message?after=0&limit=1')
    ).messages[0]?.body.split('\n')[0] ?? '';

  await t.test('it opens at its end without asking for messages', async (t) => {
    const { page } = await openWindow(t, browser, server.url, 'ana', { path: '/' });
    await said(page, last).waitFor();
    const asked = (await page.evaluate(
      "performance.getEntriesByType('resource').map(({ name }) => name)",
    )) as readonly string[];
    assert.deepEqual(
      asked.filter((url) => /\/message\?|messages=/.test(url)).filter((url) => !url.includes('before=')),
      [],
    );
  });

  await t.test('scrolling reaches the first message; the text in view stays, and the page stays small', async (t) => {
    const { page } = await openWindow(t, browser, server.url, 'ana', { path: '/' });
    await said(page, last).waitFor();
    // Reads the element at the top of the flow, before and after more was inserted above it.
    const jumps = (await page.evaluate(`(async () => {
      const flow = document.querySelector('main .flow');
      const frame = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      const topRow = () => [...flow.querySelectorAll('[data-key]')].find((row) => row.getBoundingClientRect().bottom > flow.getBoundingClientRect().top);
      let jumps = 0, most = 0;
      for (;;) {
        if (flow.querySelector('article')?.innerText.includes(${JSON.stringify(first)}) && flow.scrollTop === 0) break;
        flow.scrollTop -= 1200;
        const row = topRow(), before = row.getBoundingClientRect().top;
        await frame();
        if (row.isConnected && Math.abs(row.getBoundingClientRect().top - before) > 2) jumps++;
        most = Math.max(most, flow.querySelectorAll('article').length);
      }
      return { jumps, most };
    })()`)) as { readonly jumps: number; readonly most: number };
    await said(page, first).first().waitFor();
    assert.equal(jumps.jumps, 0);
    assert.equal(jumps.most <= 300, true, `${jumps.most} messages in the document`);
    await page.getByRole('button', { name: /Latest|new message/ }).click();
    await said(page, last).waitFor();
  });

  await t.test(
    'a link to a message opens the room around it, and scrolling continues in both directions',
    async (t) => {
      const wanted = posted[MESSAGES / 2];
      assert.ok(wanted);
      const { page } = await openWindow(t, browser, server.url, 'ana', { path: `/r/ops/m/${wanted.id}` });
      await page.locator(`main article.found[data-id="${wanted.id}"]`).waitFor();
      const before = await wordsOf(page);
      await page.locator('main .flow').evaluate((flow) => flow.scrollTo({ top: flow.scrollHeight }));
      await page.locator('main article').nth(before.length).waitFor({ state: 'attached' });
      await page.getByRole('button', { name: /Latest|new message/ }).click();
      await said(page, last).waitFor();
    },
  );
});
