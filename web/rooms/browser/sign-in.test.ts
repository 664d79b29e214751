// A server with sign-in: with a token, or as a new user with an invite.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lineIs, said, serveRooms, write } from '../../../src/rooms/testing/browser.ts';
import { launchBrowser, needsBrowser, openPage } from '../../../src/testing/browser.ts';
import { eventually } from '../../../src/testing/eventually.ts';

test('signing in', { timeout: 600_000 }, async (t) => {
  if (!needsBrowser(t)) return;
  const browser = await launchBrowser(t);
  const server = await serveRooms(t, ['--auth', 'token']);
  // It is printed when the server listens already.
  const [token = ''] = await eventually('the token of the admin', () => /odr_\w{46}/.exec(server.stderr()));
  const asAdmin = async <Answer>(path: string, body: unknown): Promise<Answer> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await response.text();
    assert.equal(response.ok, true, text);
    return JSON.parse(text) as Answer;
  };

  await t.test('an invalid token is refused in words; with the right one the first room is made', async (t) => {
    const page = await openPage(t, browser, server.url);
    await page.getByLabel('Token').fill('odr_wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.locator('.form-error').filter({ hasText: /\w/ }).waitFor();
    await page.getByLabel('Token').fill(token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'No rooms yet' }).waitFor();
    assert.equal(await page.getByText('More rooms').isVisible(), false);
    await page.getByRole('main').getByRole('button', { name: 'New room' }).click();
    await page.getByLabel('Name').fill('Ops');
    await page.getByRole('button', { name: 'Create the room' }).click();
    await page.getByRole('heading', { level: 1, name: 'Ops' }).waitFor();
    assert.equal(await page.getByText('No rooms yet').count(), 0);
    await lineIs(page, 'live');
    await write(page, 'signed in');
    await said(page, 'signed in').waitFor();
    assert.equal(await page.evaluate('document.cookie.includes("odr_")'), false);
  });

  await t.test('an invited person enters a name and is in', async (t) => {
    const { code } = await asAdmin<{ readonly code: string }>('/api/room/ops/invite', { role: 'member' });
    const page = await openPage(t, browser, `${server.url}/i/${code}`);
    await page.getByRole('heading', { name: 'Join Ops' }).waitFor();
    await page.getByText('admin invites you.', { exact: false }).waitFor();
    await page.getByLabel('Your name, as others see it').fill('Kim');
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByRole('heading', { level: 1, name: 'Ops' }).waitFor();
    await write(page, 'hello from Kim');
    await said(page, 'hello from Kim').locator('.author', { hasText: 'Kim' }).waitFor();
  });

  await t.test('a reader without the right to change a room sees its labels', async (t) => {
    await asAdmin('/api/room', { name: 'Cards', slug: 'cards', labels: { team: 'payments' } });
    const { code } = await asAdmin<{ readonly code: string }>('/api/room/cards/invite', { role: 'member' });
    const page = await openPage(t, browser, `${server.url}/i/${code}`);
    await page.getByLabel('Your name, as others see it').fill('Lea');
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByRole('button', { name: /^Members/ }).click();
    const panel = page.getByRole('complementary', { name: 'About this room' });
    await panel.getByRole('list', { name: 'Labels' }).getByText('team=payments').waitFor();
    assert.equal(await panel.getByRole('button', { name: 'Save' }).count(), 0);
  });
});
