// One message must not keep a reader's page busy, or hide the messages around it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openWindow, said, serveRooms } from '../../../src/rooms/testing/browser.ts';
import { launchBrowser, needsBrowser } from '../../../src/testing/browser.ts';
import { HOSTILE_TEXTS } from '../message/hostile-texts.ts';

/** Many times what each takes on a busy machine: only what does not end, or almost, is meant. */
const MAX_TASK_MS = 30_000;

/** Clients cannot post cards of the kind `alert`; cards stored earlier may have any shape. */
const CARDS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['an alert of nothing', { kind: 'stored-alert' }],
  ['an alert of bad times', { kind: 'stored-alert', startedAt: 'x', counts: {}, labels: {}, alerts: [], links: [] }],
  ['a title that is no text', { title: { toString: 1 } }],
]);

test('harmless messages are shown between hostile ones', { timeout: 600_000 }, async (t) => {
  if (!needsBrowser(t)) return;
  const server = await serveRooms(t);
  await server.send('ana', 'POST', '/api/room', { name: 'Ops', slug: 'ops' });
  const post = (fields: object) => server.send('ben', 'POST', '/api/message', { roomId: 'ops', ...fields });
  const harmless: string[] = [];
  const say = async (text: string) => {
    harmless.push(text);
    await post({ body: text });
  };
  await say('before all');
  // All of them have room in the first page of messages.
  for (const [index, [name, body]] of [...HOSTILE_TEXTS].entries()) {
    await post({ body });
    if (index % 4 === 3) await say(`after ${name}`);
  }
  for (const [name, card] of CARDS) {
    await post({ body: 'words of a card', card });
    await say(`after ${name}`);
  }
  const browser = await launchBrowser(t);
  const { page } = await openWindow(t, browser, server.url, 'ana');
  let alerts = 0;
  await page.route(/\/(api\/room|r)\//, async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replaceAll('"kind":"stored-alert"', () => {
      alerts++;
      return '"kind":"alert"';
    });
    await route.fulfill({ response, body });
  });
  await page.reload();
  await page.evaluate(`
    window.tasks = [];
    new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration)))
      .observe({ type: 'longtask', buffered: true })`);
  const longestTask = () => page.evaluate<number>('Math.max(0, ...tasks.splice(0))');

  await t.test('messages in the page data', async () => {
    for (const text of harmless) await said(page, text).first().waitFor({ state: 'attached' });
    assert.ok(alerts >= 2, 'the page was handed the spoiled alerts');
    const longest = await longestTask();
    assert.equal(longest < MAX_TASK_MS, true, `${longest} ms`);
  });

  await t.test('messages from the stream', async () => {
    for (const [name, body] of HOSTILE_TEXTS) {
      await post({ body });
      await post({ body: `live after ${name}.` });
      await said(page, `live after ${name}.`).waitFor({ state: 'attached' });
      const longest = await longestTask();
      assert.equal(longest < MAX_TASK_MS, true, `${name}: ${longest} ms`);
    }
    for (const [name, card] of CARDS) {
      await post({ body: 'words of a card', card });
      await post({ body: `live after ${name}.` });
      await said(page, `live after ${name}.`).waitFor({ state: 'attached' });
    }
  });

  await t.test('the end of a long text is shown on demand, as it was typed', async () => {
    await post({ body: `${'**bold** line\n'.repeat(3_000)}the **end**` });
    const message = page.locator('main article').last();
    const button = message.getByRole('button', { name: /^Show all: [\d,]+ more characters$/ });
    await button.waitFor();
    assert.equal(await message.getByText('the **end**').count(), 0);
    await button.click();
    await message.getByText('the **end**').waitFor();
    assert.equal(await button.count(), 0);
  });

  // The server ends before the browser does.
  await page.unrouteAll({ behavior: 'wait' });
});
