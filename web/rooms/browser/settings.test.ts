// What a room is about, and what of it is kept: changed on the page.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { lineIs, openWindow, posted, said, serveRooms, write } from '../../../src/rooms/testing/browser.ts';
import { findBarriers, fitsAcross, launchBrowser, needsBrowser, picture } from '../../../src/testing/browser.ts';

interface Room {
  readonly name: string;
  readonly topic: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly retention: { readonly days: number | null; readonly maxMessages: number | null };
}

const panelOf = (page: Page) => page.getByRole('complementary', { name: 'About this room' });

test('the settings of a room', { timeout: 600_000 }, async (t) => {
  if (!needsBrowser(t)) return;
  // A change requires that its author has seen the current state.
  const server = await serveRooms(t, ['--require-if-match']);
  await server.send('ana', 'POST', '/api/room', { name: 'Payments on-call', slug: 'ops', topic: 'Cards' });
  await server.send('ben', 'POST', '/api/room/ops/join');
  const body = (index: number) => ({ roomId: 'ops', body: `message ${index}` });
  for (let index = 1; index <= 5; index++) await server.send('ben', 'POST', '/api/message', body(index));
  const read = () => server.send<Room>('ana', 'GET', '/api/room/ops');
  const browser = await launchBrowser(t);
  const { page } = await openWindow(t, browser, server.url, 'ana');
  await lineIs(page, 'live');
  const panel = panelOf(page);
  const says = (words: string) => panel.getByRole('status').filter({ hasText: words }).waitFor();
  const save = () => panel.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: /^Members/ }).click();

  await t.test('labels are written one a line, by keyboard alone', async () => {
    await panel.getByText('Labels and retention').focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.type('team=payments\nregion=eu west');
    for (let presses = 0; presses < 3; presses++) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await says('Saved.');
    assert.deepEqual((await read()).labels, { region: 'eu west', team: 'payments' });
    assert.deepEqual((await read()).retention, { days: null, maxMessages: null });
  });

  await t.test('an invalid line of labels is reported, and nothing is saved', async () => {
    const labels = panel.getByLabel(/^Labels/);
    await labels.fill('team=payments\nnonsense');
    await save();
    await says('Labels: write \u201cnonsense\u201d as name=value');
    assert.deepEqual((await read()).labels, { region: 'eu west', team: 'payments' });
    await labels.fill('team=payments');
    await save();
    await says('Saved.');
    assert.deepEqual((await read()).labels, { team: 'payments' });
  });

  await t.test('a limit shows the number of messages to remove, and can be lifted again', async () => {
    const most = panel.getByLabel('Keep at most this many messages');
    await most.fill('three');
    await save();
    await says('Messages: write a whole number');
    await most.fill('3');
    await panel.getByLabel('Keep messages for this many days').fill('30');
    await save();
    await says('Saved. 2 messages are removed within the hour.');
    assert.deepEqual((await read()).retention, { days: 30, maxMessages: 3 });
    await most.fill('');
    await save();
    await says('Saved. No message is removed now.');
    assert.deepEqual((await read()).retention, { days: 30, maxMessages: null });
  });

  await t.test('what others have changed meanwhile stays', async () => {
    await panel.getByLabel('Topic').fill('Cards and payouts');
    const etag = (await fetch(`${server.url}/api/room/ops`)).headers.get('etag') ?? '';
    const answer = await fetch(`${server.url}/api/room/ops`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', 'if-match': etag },
      body: JSON.stringify({ name: 'Payments', topic: 'Cards' }),
    });
    assert.equal(answer.status, 200);
    await page.getByRole('heading', { level: 1, name: 'Payments', exact: true }).waitFor();
    await save();
    await says('Saved.');
    const { name, topic, labels } = await read();
    assert.deepEqual([name, topic, labels], ['Payments', 'Cards and payouts', { team: 'payments' }]);
  });

  await t.test('typed input stays while members change', async () => {
    await panel.getByLabel('Topic').fill('not saved yet');
    await page.getByRole('textbox', { name: 'Message', exact: true }).focus();
    await server.send('kim', 'POST', '/api/room/ops/join');
    await panel.locator('.person', { hasText: 'kim' }).waitFor();
    assert.equal(await panel.getByLabel('Topic').inputValue(), 'not saved yet');
  });

  await t.test('members are changed, and messages edited and deleted, where a server wants If-Match', async () => {
    const role = panel.getByLabel('Role of kim');
    await role.focus();
    await role.selectOption('admin');
    // It returns over the stream, and its row is drawn anew.
    await panel
      .locator('.person', { hasText: 'kim' })
      .locator('option[selected]', { hasText: 'admin' })
      .waitFor({ state: 'attached' });
    assert.equal(await role.evaluate('document.activeElement.getAttribute("aria-label")'), 'Role of kim');
    await role.selectOption('remove');
    await panel.locator('.person', { hasText: 'kim' }).waitFor({ state: 'detached' });
    await panel.getByLabel('Id of the user to add').fill('kim');
    await page.keyboard.press('Enter');
    await panel.locator('.person', { hasText: 'kim' }).waitFor();
    await write(page, 'first words');
    await posted(page, 'first words').waitFor();
    const field = page.getByRole('textbox', { name: 'Message', exact: true });
    await field.press('ArrowUp');
    await field.fill('other words');
    await field.press('Enter');
    await said(page, 'other words').locator('.edited').waitFor();
    await said(page, 'other words').hover();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('This message was deleted.').waitFor();
    await page.getByRole('button', { name: 'Write it again' }).click();
    assert.equal(await field.inputValue(), 'other words');
  });

  await t.test('another language keeps room and draft', async () => {
    await page.getByRole('button', { name: 'ana: settings' }).click();
    await page.getByLabel('Language').selectOption('de');
    const field = page.getByRole('textbox', { name: 'Nachricht', exact: true });
    await field.waitFor();
    assert.equal(await page.locator('html').getAttribute('lang'), 'de');
    assert.equal(await field.inputValue(), 'other words');
    await page.getByText('Diese Nachricht wurde gelöscht.').waitFor();
    await write(page, '/help', 'Nachricht');
    await page.getByText('/help — diese Liste').waitFor();
    await write(page, '/remind 30m disks', 'Nachricht');
    await page.getByText(/^Erinnerung für .+: disks$/).waitFor();
    await picture(page, 'rooms/german');
    await page.setViewportSize({ width: 390, height: 844 });
    await fitsAcross(page);
  });

  await t.test('no barriers, light and dark, and on a phone', async (t) => {
    for (const [colorScheme, width] of [
      ['light', 1280],
      ['dark', 390],
    ] as const) {
      const { page } = await openWindow(t, browser, server.url, 'ana', { colorScheme, width, height: 844 });
      await page.getByRole('button', { name: /^Members/ }).click();
      await page.getByText('Labels and retention').waitFor();
      await fitsAcross(page);
      assert.deepEqual(await findBarriers(page), []);
      await picture(page, `rooms/settings-${colorScheme}-${width}`);
    }
  });
});
