// Late answers interrupt no input: they take no focus, panel, button or text away.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page, Response } from 'playwright-core';
import { lineIs, openWindow, said, serveRooms, write } from '../../../src/rooms/testing/browser.ts';
import { openAiStream, startFakeModel } from '../../../src/rooms/testing/copilot/fake-model.ts';
import { launchBrowser, needsBrowser } from '../../../src/testing/browser.ts';

interface Held {
  /** Resolves when the page has sent the request. */
  readonly asked: Promise<void>;
  /** Releases this request and all later ones. */
  release(): void;
}

/** Holds back the page's requests for an address. */
async function hold(page: Page, method: string, address: RegExp): Promise<Held> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const asked = new Promise<void>((resolve) => {
    void page.route(address, async (route) => {
      if (route.request().method() === method) {
        resolve();
        await released;
      }
      await route.continue();
    });
  });
  return { asked, release };
}

/** Waits until the page has drawn an answer. */
async function shown(page: Page, answer: Response): Promise<void> {
  await answer.finished();
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
}

const fieldOf = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true });
const panelOf = (page: Page, name: string) => page.getByRole('complementary', { name });

test('late answers', { timeout: 600_000 }, async (t) => {
  if (!needsBrowser(t)) return;
  const browser = await launchBrowser(t);
  const server = await serveRooms(t);
  const ops = await server.send<{ readonly id: string }>('ana', 'POST', '/api/room', {
    name: 'Ops',
    slug: 'ops',
    topic: 'Cards',
  });
  const other = await server.send<{ readonly id: string }>('ana', 'POST', '/api/room', {
    name: 'Other',
    slug: 'other',
  });
  await server.send('ana', 'POST', '/api/message', { roomId: 'other', body: 'of the other' });
  const root = await server.send<{ readonly id: string }>('ana', 'POST', '/api/message', {
    roomId: 'ops',
    body: 'root',
  });
  await server.send('ana', 'POST', '/api/message', { roomId: 'ops', body: 'a reply', threadId: root.id });
  const model = await startFakeModel(t);
  await server.send('ana', 'POST', '/api/provider', {
    ...{ name: 'local', kind: 'openai', baseUrl: model.url, model: 'test-1', allowPrivate: true },
  });
  await server.send('ana', 'PUT', '/api/room/other', { copilot: { provider: 'local', replyIn: 'room' } });

  await t.test('more words of an answer do not take the button away that is being pressed', async (t) => {
    const words = (text: string) => openAiStream([text], { finish: '', usage: null, done: false });
    model.play({ stream: words('one'), ending: 'hang' });
    const { page } = await openWindow(t, browser, server.url, 'ana', { path: '/r/other' });
    await lineIs(page, 'live');
    await write(page, '@copilot count');
    await page.locator('.body.streaming', { hasText: 'one' }).waitFor();
    await page.getByRole('button', { name: 'Stop' }).hover();
    await page.mouse.down();
    model.write(words(' two').join(''));
    await page.locator('.body.streaming', { hasText: 'one two' }).waitFor();
    await page.mouse.up();
    await page.locator('main article', { hasText: 'one two' }).getByText('stopped').waitFor();
  });

  await t.test('a refused text and what was typed since are both kept', async (t) => {
    const { page } = await openWindow(t, browser, server.url, 'ana');
    const field = fieldOf(page);
    const post = await hold(page, 'POST', /\/api\/message$/);
    await write(page, '/silense 1h');
    await post.asked;
    await field.fill('a thought');
    post.release();
    const refused = page.locator('main .message.failed', { hasText: 'did you mean /silence?' });
    await refused.waitFor();
    assert.equal(await field.inputValue(), 'a thought');
    await refused.getByRole('button', { name: 'Edit' }).click();
    await refused.waitFor({ state: 'detached' });
    assert.equal(await field.inputValue(), '/silense 1h\na thought');
    await field.fill('');
  });

  await t.test('a thread that arrives late takes no focus', async (t) => {
    const { page } = await openWindow(t, browser, server.url, 'ana');
    const thread = await hold(page, 'GET', /\/message\?.*thread=/);
    await page.getByRole('button', { name: /1 reply/ }).click();
    await thread.asked;
    await fieldOf(page).fill('half');
    const read = page.waitForResponse(
      (response) => response.request().method() === 'PUT' && /\/read$/.test(response.url()),
    );
    thread.release();
    await page.locator('.drawer article', { hasText: 'a reply' }).waitFor();
    await shown(page, await read);
    await page.keyboard.type(' a thought');
    assert.equal(await fieldOf(page).inputValue(), 'half a thought');
  });

  await t.test('a late thread does not replace a panel opened after it', async (t) => {
    const { page } = await openWindow(t, browser, server.url, 'ana');
    const thread = await hold(page, 'GET', /\/message\?.*thread=/);
    await page.getByRole('button', { name: /1 reply/ }).click();
    await thread.asked;
    await page.getByRole('button', { name: /^Members/ }).click();
    const answer = page.waitForResponse(/\/message\?.*thread=/);
    thread.release();
    await shown(page, await answer);
    assert.equal(await panelOf(page, 'About this room').isVisible(), true);
  });

  await t.test('a room that is read at last closes no panel and moves no caret', async (t) => {
    const { page } = await openWindow(t, browser, server.url, 'ana');
    const room = await hold(page, 'GET', new RegExp(`/api/room/${other.id}\\?`));
    await page.locator('.rail-link', { hasText: 'Other' }).click();
    await room.asked;
    await page.getByRole('button', { name: /^Members/ }).click();
    await fieldOf(page).fill('half thought');
    for (let presses = 0; presses < ' thought'.length; presses++) await page.keyboard.press('ArrowLeft');
    room.release();
    await said(page, 'of the other').waitFor();
    await page.keyboard.type(' a');
    assert.equal(await fieldOf(page).inputValue(), 'half a thought');
    assert.equal(await panelOf(page, 'About this room').isVisible(), true);
  });

  await t.test('the end of a room that was left does not change the open room', async (t) => {
    for (let index = 1; index <= 120; index++)
      await server.send('ana', 'POST', '/api/message', { roomId: 'ops', body: `line ${index}.` });
    const { page } = await openWindow(t, browser, server.url, 'ana', { path: `/r/ops/m/${root.id}` });
    await page.locator('article.found').waitFor();
    await page.getByRole('button', { name: 'Latest' }).waitFor();
    const room = await hold(page, 'GET', new RegExp(`/api/room/${ops.id}\\?`));
    await page.getByRole('button', { name: 'Latest' }).click();
    await room.asked;
    await page.locator('.rail-link', { hasText: 'Other' }).click();
    await page.getByRole('heading', { level: 1, name: 'Other' }).waitFor();
    await said(page, 'of the other').waitFor();
    await fieldOf(page).fill('for the other');
    const answer = page.waitForResponse(new RegExp(`/api/room/${ops.id}\\?`));
    room.release();
    await shown(page, await answer);
    assert.equal(await fieldOf(page).inputValue(), 'for the other');
  });

  await t.test('input during the saving of a form stays, and is saved by the next press', async (t) => {
    const { page } = await openWindow(t, browser, server.url, 'ana');
    await page.getByRole('button', { name: /^Members/ }).click();
    const panel = panelOf(page, 'About this room');
    const save = await hold(page, 'PUT', /\/api\/room\/[^/]+$/);
    const topic = panel.getByLabel('Topic');
    await topic.fill('first');
    await panel.getByRole('button', { name: 'Save' }).click();
    await save.asked;
    await topic.fill('second');
    save.release();
    await panel.getByRole('status').filter({ hasText: 'Saved.' }).waitFor();
    assert.equal(await topic.inputValue(), 'second');
    const saved = page.waitForResponse((response) => response.request().method() === 'PUT');
    await panel.getByRole('button', { name: 'Save' }).click();
    await saved;
    await page.locator('.topic', { hasText: 'second' }).waitFor();
  });
});
