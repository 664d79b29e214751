// Nothing that was written is lost, and nothing is there twice: without a line, over reloads, and when the server dies.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lineIs, openWindow, posted, said, serveRooms, wordsOf, write } from '../../../src/rooms/testing/browser.ts';
import { openAiStream, startFakeModel } from '../../../src/rooms/testing/copilot/fake-model.ts';
import { launchBrowser, needsBrowser, picture } from '../../../src/testing/browser.ts';
import { eventually } from '../../../src/testing/eventually.ts';
import { isLongRound } from '../../../src/testing/long-round.ts';

/** Written around two kills. */
const MESSAGES = isLongRound ? 24 : 12;

interface Page {
  readonly messages: readonly { readonly id: string; readonly seq: number; readonly body: string }[];
}

test('the page keeps written messages', { only: isLongRound, timeout: 600_000 }, async (t) => {
  if (!needsBrowser(t)) return;
  const browser = await launchBrowser(t);
  const server = await serveRooms(t);
  /** Makes a room; returns where it is. */
  const makeRoom = async (slug: string) => {
    await server.send('ana', 'POST', '/api/room', { name: slug, slug });
    return { path: `/r/${slug}` };
  };

  await t.test(
    'two tabs of one person share one connection; when the tab that holds it closes, the other takes over',
    async (t) => {
      const room = await makeRoom('tabs');
      const { page: first, context } = await openWindow(t, browser, server.url, 'ana', room);
      await lineIs(first, 'live');
      const second = await context.newPage();
      await second.goto(`${server.url}/r/tabs`);
      await lineIs(second, 'live');
      const streams = async () =>
        (await server.send<{ readonly sse: { readonly connections: number } }>('ana', 'GET', '/health')).sse
          .connections;
      assert.equal(await streams(), 1);
      await server.send('ben', 'POST', '/api/message', { roomId: 'tabs', body: 'to both' });
      await said(first, 'to both').waitFor();
      await said(second, 'to both').waitFor();
      // The event of a server on a database, as the first tab passes it on.
      const tellOthers = (state: string) =>
        first.evaluate(
          (data) => {
            const channel = new BroadcastChannel('opsdeck-rooms:/ana');
            channel.postMessage({ kind: 'event', event: { id: '', event: 'storage', data } });
            channel.close();
          },
          JSON.stringify({ state, since: new Date().toISOString() }),
        );
      await tellOthers('away');
      await lineIs(second, 'away');
      await tellOthers('up');
      await lineIs(second, 'live');
      await first.close();
      await server.send('ben', 'POST', '/api/message', { roomId: 'tabs', body: 'to the other' });
      await said(second, 'to the other').waitFor();
      await lineIs(second, 'live');
      await eventually('the stream of the closed tab to end', async () => (await streams()) === 1);
    },
  );

  await t.test('offline and back: the queue is shown, is sent in order, and missed messages arrive', async (t) => {
    const room = await makeRoom('offline');
    const { page, context } = await openWindow(t, browser, server.url, 'ana', room);
    await write(page, 'before');
    await posted(page, 'before').waitFor();
    await lineIs(page, 'live');
    await context.setOffline(true);
    await write(page, 'written offline 1');
    await write(page, 'written offline 2');
    await page.locator('.message.pending').nth(1).waitFor();
    await page.locator('.pill', { hasText: 'Offline, 2 queued' }).waitFor();
    await picture(page, 'rooms/offline');
    await server.send('ben', 'POST', '/api/message', { roomId: 'offline', body: 'missed' });
    await context.setOffline(false);
    await page.locator('.message.pending').first().waitFor({ state: 'detached' });
    await said(page, 'missed').waitFor();
    await lineIs(page, 'live');
    assert.deepEqual(await wordsOf(page), ['before', 'missed', 'written offline 1', 'written offline 2']);
  });

  await t.test('a message that was on its way when the page was closed is sent by the next one, once', async (t) => {
    const room = await makeRoom('closed');
    const { page, context } = await openWindow(t, browser, server.url, 'ana', room);
    // The server takes the message; neither its answer nor the stream reaches the page.
    await context.route('**/api/event', (route) => route.abort());
    await page.reload();
    const taken = new Promise<void>((resolve) => {
      void context.route('**/api/message', async (route) => {
        await route.fetch();
        resolve();
      });
    });
    await write(page, 'twice?');
    await taken;
    await page.close();
    await context.unroute('**/api/message');
    await context.unroute('**/api/event');
    const next = await context.newPage();
    const again = next.waitForResponse('**/api/message');
    await next.goto(`${server.url}/r/closed`);
    assert.equal((await again).request().method(), 'POST');
    await posted(next, 'twice?').waitFor();
    await next.locator('.message.pending').waitFor({ state: 'detached' });
    const { messages } = await server.send<Page>('ana', 'GET', '/api/room/closed/message');
    assert.deepEqual(
      messages.map(({ body }) => body),
      ['twice?'],
    );
    assert.equal(await said(next, 'twice?').count(), 1);
  });

  await t.test(
    'the server dies and restarts while people write: every message is there once, in one order',
    async (t) => {
      const room = await makeRoom('killed');
      await server.send('ben', 'POST', '/api/room/killed/join');
      const { page: ana } = await openWindow(t, browser, server.url, 'ana', room);
      const { page: ben } = await openWindow(t, browser, server.url, 'ben', room);
      await lineIs(ana, 'live');
      await lineIs(ben, 'live');
      for (let index = 0; index < MESSAGES; index++) {
        await write(index % 2 === 0 ? ana : ben, `message ${index}`);
        if (index === MESSAGES / 3 || index === (MESSAGES / 3) * 2) await server.crash();
      }
      const all = (page: typeof ana) =>
        page
          .locator('main article:not(.pending)')
          .nth(MESSAGES - 1)
          .waitFor();
      await all(ana);
      await all(ben);
      const { messages } = await server.send<Page>('ana', 'GET', '/api/room/killed/message?limit=200');
      assert.deepEqual(
        messages.map(({ seq }) => seq),
        Array.from({ length: MESSAGES }, (_, index) => index + 1),
      );
      assert.deepEqual(
        [...messages].map(({ body }) => body).sort(),
        Array.from({ length: MESSAGES }, (_, index) => `message ${index}`).sort(),
      );
      assert.deepEqual(
        await wordsOf(ana),
        messages.map(({ body }) => body),
      );
      assert.deepEqual(await wordsOf(ben), await wordsOf(ana));
      await lineIs(ana, 'live');
    },
  );

  await t.test('a reload in the middle of a stream resumes it', async (t) => {
    const room = await makeRoom('stream');
    const model = await startFakeModel(t);
    await server.send('ana', 'POST', '/api/provider', {
      ...{ name: 'local', kind: 'openai', baseUrl: model.url, model: 'test-1', allowPrivate: true },
    });
    await server.send('ana', 'PUT', '/api/room/stream', { copilot: { provider: 'local', replyIn: 'room' } });
    const words = (text: string) => openAiStream([text], { finish: '', usage: null, done: false });
    model.play({ stream: words('one two'), ending: 'hang' });
    const { page } = await openWindow(t, browser, server.url, 'ana', room);
    await write(page, '@copilot count');
    const streaming = page.locator('.body.streaming');
    await streaming.filter({ hasText: 'one two' }).waitFor();
    await page.reload();
    await streaming.filter({ hasText: 'one two' }).waitFor();
    model.write(words(' three').join(''));
    await streaming.filter({ hasText: 'one two three' }).waitFor();
    model.write(openAiStream([' four']).join(''));
    model.write(null);
    await page.locator('article[data-status="complete"]', { hasText: 'one two three four' }).waitFor();
    const shown = (await wordsOf(page)).at(-1);
    const { messages } = await server.send<Page>('ana', 'GET', '/api/room/stream/message');
    assert.equal(shown, messages.at(-1)?.body);
    assert.equal(await streaming.count(), 0);
  });

  await t.test('a draft waits in its room', async (t) => {
    const room = await makeRoom('draft');
    await server.send('ana', 'POST', '/api/room', { name: 'Other', slug: 'other' });
    const { page } = await openWindow(t, browser, server.url, 'ana', room);
    const field = page.getByRole('textbox', { name: 'Message', exact: true });
    await field.fill('half a thought');
    await page.locator('.rail-link', { hasText: 'Other' }).click();
    await page.getByRole('heading', { level: 1, name: 'Other' }).waitFor();
    assert.equal(await field.inputValue(), '');
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'draft' }).waitFor();
    assert.equal(await field.inputValue(), 'half a thought');
    await page.reload();
    assert.equal(await field.inputValue(), 'half a thought');
  });
});
