// Accessibility of the page: light and dark, phone to desktop, by keyboard and screen reader.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import {
  belowView,
  lineIs,
  openWindow,
  type RoomsServer,
  said,
  searchable,
  serveRooms,
  write,
} from '../../../src/rooms/testing/browser.ts';
import {
  findBarriers,
  findColourBarriers,
  fitsAcross,
  launchBrowser,
  needsBrowser,
  picture,
  settles,
} from '../../../src/testing/browser.ts';
import { isLongRound } from '../../../src/testing/long-round.ts';

async function fill(t: TestContext): Promise<RoomsServer> {
  const server = await serveRooms(t);
  await server.send('ana', 'POST', '/api/room', {
    name: 'Payments on-call',
    slug: 'ops',
    topic: 'Card payments and payouts',
  });
  await server.send('ana', 'POST', '/api/room', { name: 'Quiet', slug: 'quiet' });
  await server.send('ben', 'POST', '/api/room/ops/join');
  await server.send('ana', 'PUT', '/api/room/ops', { copilot: { provider: 'echo' } });
  const say = (as: string, body: string, more = {}) =>
    server.send<{ readonly id: string }>(as, 'POST', '/api/message', { roomId: 'ops', body, ...more });
  const root = await say(
    'ben',
    "The payout job took **40 minutes**:\n\n```sql\nselect count(*) from payouts where id > 7 and note = 'late'; -- all\n```\n\n```diff\n--- a\n@@ -1 @@\n-old\n+new\n```\n\n> not again\n\n| table | rows |\n|---|---|\n| payouts | 48 M |",
  );
  await say('ana', 'Looking at it', { threadId: root.id });
  await server.send('ben', 'PUT', `/api/message/${root.id}/reaction/${encodeURIComponent('\u{1f440}')}`);
  await say('ana', '@ben thank you. See https://runbooks.example.com/payouts', { replyTo: root.id });
  await say('ben', '@ana done, @copilot what is next?');
  await say('ben', '/poll "Where to?" pizza sushi');
  await server.send('ben', 'POST', '/api/room', { name: 'Side', slug: 'side', members: ['ana'] });
  await server.send('ana', 'POST', '/api/room', { visibility: 'direct', members: ['kim'] });
  const asked = await server.send<{ readonly id: string }>('ana', 'POST', '/api/room/side/message', { body: 'Lunch?' });
  await server.send('ben', 'POST', '/api/room/side/message', { body: 'Yes :tada:', threadId: asked.id });
  await server.send('ben', 'POST', '/api/room/side/message', { body: '@ana pizza' });
  const hook = await server.send<{ readonly path: string }>('ana', 'POST', '/api/hook', {
    direction: 'incoming',
    roomId: 'ops',
    name: 'alerts',
    kind: 'alertmanager',
  });
  const alert = (instance: string) => ({
    status: 'firing',
    labels: { alertname: 'HighLatency', severity: 'critical', instance },
    annotations: { summary: `${instance} is slow` },
    startsAt: '2026-01-01T10:00:00Z',
    endsAt: '',
    generatorURL: '',
    fingerprint: instance,
  });
  await server.send('ana', 'POST', hook.path, {
    version: '4',
    groupKey: 'g',
    status: 'firing',
    receiver: 'ops',
    groupLabels: { alertname: 'HighLatency' },
    commonLabels: { alertname: 'HighLatency', severity: 'critical' },
    commonAnnotations: { summary: 'Payments are slow', runbook_url: 'https://runbooks.example.com/latency' },
    externalURL: '',
    alerts: ['api-1', 'api-2'].map(alert),
  });
  return server;
}

/** In the dark only colours differ. */
async function findDarkBarriers(page: Page, name: string): Promise<void> {
  await page.emulateMedia({ colorScheme: 'dark' });
  assert.deepEqual(await findColourBarriers(page), [], `${name} in the dark`);
  await picture(page, `rooms/${name}-dark`);
  await page.emulateMedia({ colorScheme: 'light' });
}

type Act = (page: Page) => Promise<unknown>;

/** How a view is shown from a room, and what it is checked for at every width. */
const STATES: readonly (readonly [name: string, room: string, show: Act, check?: Act])[] = [
  ['busy', '/r/ops', async (page) => said(page, 'thank you').waitFor()],
  [
    'empty',
    '/r/quiet',
    (page) => page.getByText('Nothing said').waitFor(),
    async (page) => {
      // A frame hides wide content, so that nothing overflows.
      for (const button of await page.locator('.recipe-line button').all()) {
        const box = await button.boundingBox();
        assert.ok(box && box.x + box.width <= (page.viewportSize()?.width ?? 0), 'a line can be copied');
      }
    },
  ],
  [
    'thread',
    '/r/ops',
    async (page) => {
      await page
        .getByRole('button', { name: /^1 reply/ })
        .or(page.locator('.thread-link'))
        .first()
        .click();
      await page.locator('.drawer article').nth(1).waitFor();
    },
    (page) =>
      settles('a narrowed or widened window to have one main part', async () =>
        assert.equal(await page.getByRole('main').count(), 1),
      ),
  ],
  [
    'card',
    '/r/ops',
    async (page) => page.locator('main').getByRole('group', { name: 'Poll' }).scrollIntoViewIfNeeded(),
    async (page) => {
      const [first, second] = await page.locator('main').getByRole('group', { name: 'Poll' }).getByRole('button').all();
      assert.ok(await first?.isVisible());
      assert.ok(await second?.isVisible());
    },
  ],
  [
    'finds',
    '/r/ops',
    async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Search rooms and messages' }).fill('payout');
      await page.locator('.palette-hit').first().waitFor();
    },
    async (page) => {
      const box = await page.locator('.palette-hit').first().boundingBox();
      assert.ok(box && box.x + box.width <= (page.viewportSize()?.width ?? 0), 'a find is wholly visible');
    },
  ],
  ['members', '/r/ops', async (page) => page.getByRole('button', { name: /^Members/ }).click()],
  ['copilot', '/r/ops', async (page) => page.getByRole('button', { name: /^Copilot copilot/ }).click()],
  [
    'inbox',
    '/r/ops',
    async (page) => {
      await page.locator('main .flow').focus();
      await page.keyboard.press('i');
      await page.locator('.inbox-row').nth(1).waitFor();
    },
  ],
  [
    'refused',
    '/r/ops',
    async (page) => {
      await write(page, '/silense 1h');
      await page.locator('main .composer-problem', { hasText: 'did you mean /silence?' }).waitFor();
    },
  ],
  [
    'unknown',
    '/r/ops',
    async (page) => {
      await page.goto(new URL('/r/nowhere', page.url()).href);
      await page.getByRole('heading', { level: 1, name: 'No such room' }).waitFor();
    },
  ],
];

/** Leaves the view of before without a new document, which would have to read axe-core again. */
async function openRoom(page: Page, path: string): Promise<void> {
  await page.keyboard.press('Escape');
  await page.locator(`.rail-link[href="${path}"]`).click();
  await page.locator('main').waitFor();
}

/** Each view is searched for barriers at its first width, and in the dark for those of colours; a long round also searches a phone. */
const WIDTHS: readonly [number, ...number[]] = isLongRound ? [1440, 2560, 1024, 820, 360, 390] : [1024, 360];

test('accessibility of the page of the rooms', { only: isLongRound, timeout: 600_000 }, async (t) => {
  if (!needsBrowser(t)) return;
  const browser = await launchBrowser(t);
  const server = await fill(t);
  await searchable(server, 'ana', 'payout');

  await t.test(`no barriers in light and dark, or in a dialog, and nothing too wide at ${WIDTHS} pixels`, async (t) => {
    const [width] = WIDTHS;
    const { page } = await openWindow(t, browser, server.url, 'ana', { width, height: 844 });
    for (const [name, room, show, check] of STATES) {
      await page.setViewportSize({ width, height: 844 });
      await openRoom(page, room);
      await show(page);
      assert.deepEqual(await findBarriers(page), [], name);
      await findDarkBarriers(page, name);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 844 });
        await fitsAcross(page, `${name} at ${width} pixels`);
        await check?.(page);
        await picture(page, `rooms/${name}-light-${width}`);
      }
      if (isLongRound) assert.deepEqual(await findBarriers(page), [], `${name} on a phone`);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('button', { name: 'New room' }).first().click();
    assert.deepEqual(await findBarriers(page, 'dialog[open]'), [], 'a dialog');
  });

  await t.test('whole messages are announced, and only of the open room', async (t) => {
    const { page } = await openWindow(t, browser, server.url, 'ana');
    await lineIs(page, 'live');
    await server.send('ben', 'POST', '/api/message', { roomId: 'ops', body: 'can you **hear** me' });
    await page.locator('[aria-live="polite"]', { hasText: 'ben: can you hear me' }).waitFor({ state: 'attached' });
    assert.equal(await page.locator('main [role="log"]').getAttribute('aria-live'), 'off');
  });

  await t.test('by keyboard alone: from the field to a message, its thread, and back', async (t) => {
    const { page } = await openWindow(t, browser, server.url, 'ana');
    await lineIs(page, 'live');
    await write(page, 'by keyboard');
    await said(page, 'by keyboard').waitFor();
    await page.keyboard.press('Escape');
    assert.equal(await page.evaluate("document.activeElement.matches('article')"), true);
    await page.keyboard.press('Home');
    await page.keyboard.press('t');
    await page.locator('.drawer article').nth(1).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.drawer').waitFor({ state: 'hidden' });
    await page.keyboard.press('Escape');
    assert.equal(await page.evaluate("document.activeElement.matches('main textarea')"), true);
    await page.keyboard.type('/');
    await page.getByRole('listbox', { name: 'Suggestions' }).waitFor();
    assert.deepEqual(await findBarriers(page, 'main'), [], 'the list of commands');
  });

  await t.test('a room that cannot be read says so, and is read on demand', async (t) => {
    const { page } = await openWindow(t, browser, server.url, 'ana');
    await lineIs(page, 'live');
    const read = /\/api\/room\/[^/]+$/;
    await page.route(read, (route) => route.abort());
    await page.locator('.rail-link', { hasText: 'Quiet' }).click();
    await page.getByText('The messages could not be loaded').waitFor();
    await page.unroute(read);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Nothing said').waitFor();
    assert.equal(await page.getByText('could not be loaded').count(), 0);
  });

  await t.test('a phone shows the rooms or the room', async (t) => {
    const { page } = await openWindow(t, browser, server.url, 'ana', { width: 390, height: 844 });
    assert.equal(await belowView(page), 0, 'the room opens at its very end');
    await page.getByRole('button', { name: 'All rooms' }).click();
    await page.locator('.rail-link', { hasText: 'Quiet' }).waitFor();
    assert.equal(await page.locator('main').isVisible(), false);
    assert.deepEqual(await findBarriers(page), [], 'the list of rooms on a phone');
    await picture(page, 'rooms/rooms-phone');
    await page.locator('.rail-link', { hasText: 'Quiet' }).click();
    await page.getByRole('heading', { level: 1, name: 'Quiet' }).waitFor();
    assert.equal(await page.locator('.rail').isVisible(), false);
    await page.getByRole('button', { name: 'All rooms' }).click();
    await page.getByRole('button', { name: /^Inbox/ }).click();
    await page.getByRole('button', { name: 'Close' }).click();
    assert.equal(await page.locator('.rail').isVisible(), true, 'the inbox returns to where it was opened');
  });

  await t.test('a wide window shows what a room is about, until that is closed', async (t) => {
    const { page } = await openWindow(t, browser, server.url, 'ana', { width: 2560 });
    const about = page.getByRole('complementary', { name: 'About this room' });
    await about.waitFor();
    assert.equal(await page.evaluate("document.activeElement.matches('main textarea')"), true);
    await page.locator('.thread-link').first().click();
    await page.locator('.drawer article').nth(1).waitFor();
    await page.keyboard.press('Escape');
    await about.getByRole('button', { name: 'Close' }).click();
    await about.waitFor({ state: 'hidden' });
    await page.locator('.rail-link', { hasText: 'Quiet' }).click();
    await page.getByRole('heading', { level: 1, name: 'Quiet' }).waitFor();
    assert.equal(await about.count(), 0);
  });

  await t.test('a tap covers no text; it offers the actions as a list', async (t) => {
    const { page } = await openWindow(t, browser, server.url, 'ana', { width: 390, height: 844, isTouch: true });
    await server.send('kim', 'POST', '/api/message', { roomId: 'ops', body: 'a line' });
    await server.send('kim', 'POST', '/api/message', { roomId: 'ops', body: 'another line that fills its whole row' });
    for (const text of ['a line', 'another line']) {
      const message = said(page, text).last();
      await message.tap();
      const tools = await message.locator('.tools').boundingBox();
      const words = await message.locator('.body').boundingBox();
      assert.ok(tools && words);
      const isBeside = tools.x + tools.width <= words.x || tools.y + tools.height <= words.y;
      assert.equal(isBeside, true, JSON.stringify({ tools, words }));
    }
    assert.equal(await page.locator('.tools button').count(), 1);
    await page.getByRole('button', { name: 'Actions' }).tap();
    const sheet = page.getByRole('dialog', { name: 'Actions: kim' });
    await sheet.waitFor();
    await picture(page, 'rooms/tool-sheet');
    assert.deepEqual(await findBarriers(page, 'dialog[open]'), []);
    for (const button of await sheet.getByRole('button').all())
      assert.ok(((await button.boundingBox())?.height ?? 0) >= 44, 'large enough for fingers');
    await sheet.getByRole('button', { name: 'Reply', exact: true }).tap();
    await page.getByText('Replying to').waitFor();
    assert.equal(await sheet.count(), 0);
  });
});
