// A copilot is set up on the page and tried out, against a scripted provider.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lineIs, openWindow, said, serveRooms, write } from '../../../src/rooms/testing/browser.ts';
import { type FakeModel, openAiStream, startFakeModel } from '../../../src/rooms/testing/copilot/fake-model.ts';
import { findBarriers, launchBrowser, needsBrowser, picture } from '../../../src/testing/browser.ts';
import { eventually } from '../../../src/testing/eventually.ts';

const KEY = 'sk-test-0123456789abcdef-wxyz';

const refusal = {
  status: 401,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ error: { message: `Incorrect API key provided: ${KEY}.`, type: 'invalid_request_error' } }),
} as const;

const keysSeen = ({ requests }: FakeModel) => requests.map(({ headers }) => headers.authorization);

test('a copilot is set up on the page', { timeout: 600_000 }, async (t) => {
  if (!needsBrowser(t)) return;
  const model = await startFakeModel(t);
  const server = await serveRooms(t);
  await server.send('ana', 'POST', '/api/room', { name: 'Payments on-call', slug: 'ops' });
  await server.send('ana', 'POST', '/api/provider', {
    ...{ name: 'local', kind: 'openai', baseUrl: model.url, model: 'test-1', allowPrivate: true },
  });
  const { page, context } = await openWindow(t, await launchBrowser(t), server.url, 'ana');
  const answers: Promise<string>[] = [];
  context.on('response', (response) => {
    if (!/\/event/.test(response.url())) answers.push(response.text().catch(() => ''));
  });
  await lineIs(page, 'live');
  await page.getByRole('button', { name: 'Set up a copilot' }).click();
  const panel = page.getByRole('complementary', { name: 'Copilot' });
  const result = panel.getByRole('status');
  const says = (words: RegExp) => result.filter({ hasText: words }).waitFor();
  const key = panel.getByLabel('Key', { exact: true });

  await t.test('with a key it is switched on, and the words that say so stay', async () => {
    await panel.getByLabel('Model provider').selectOption('local');
    await key.fill(KEY);
    await panel.getByRole('button', { name: 'Switch on' }).click();
    await says(/Saved\. Write @copilot to ask\./);
    // The stream sends it too, a moment later.
    await page.getByRole('button', { name: 'Copilot copilot, answers by local' }).waitFor();
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    await says(/Saved/);
    await panel.getByRole('button', { name: 'Save', exact: true }).waitFor();
    await panel.getByText('A key is set, ends with wxyz').waitFor();
    assert.equal(await key.inputValue(), '');
  });

  await t.test('a test calls the provider with the key, and shows the result', async () => {
    await panel.getByRole('button', { name: 'Test' }).click();
    await says(/It works: test-1 answered in \d+ ms\./);
    assert.deepEqual(keysSeen(model), [`Bearer ${KEY}`]);
    assert.equal(model.requests[0]?.body.max_tokens, 16);
    assert.equal(await page.locator('main article').count(), 0);
    await picture(page, 'rooms/copilot-works');
  });

  await t.test('a refusal of the provider is shown in words, without the key', async () => {
    model.play(refusal);
    await panel.getByRole('button', { name: 'Test' }).click();
    await says(/It does not work: the provider answered 401: Incorrect API key provided/);
    assert.equal((await result.textContent())?.includes(KEY), false);
    assert.deepEqual(await findBarriers(page), []);
    await picture(page, 'rooms/copilot-fails');
  });

  await t.test('a test that is under way is not begun again', async () => {
    model.play('hang');
    const before = model.requests.length;
    await panel.getByRole('button', { name: 'Test' }).click();
    await model.received(before + 1);
    await says(/Asking/);
    await panel.getByRole('button', { name: 'Test' }).dispatchEvent('click');
    model.write(openAiStream(['OK']).join(''));
    model.write(null);
    await says(/It works/);
    assert.equal(model.requests.length, before + 1);
  });

  await t.test('it answers in the room with that key', async () => {
    model.play({ stream: openAiStream(['all is well']) });
    await panel.getByText('More settings').click();
    await panel.getByLabel('Where').selectOption('room');
    await panel.getByRole('button', { name: 'Save', exact: true }).click();
    await says(/Saved/);
    await write(page, '@copilot how is it?');
    await said(page, 'all is well').waitFor();
    assert.equal(keysSeen(model).at(-1), `Bearer ${KEY}`);
  });

  await t.test('a change by another moderator is shown, but does not replace input in progress', async () => {
    await server.send('ben', 'PUT', '/api/room/ops', { copilot: { provider: 'local', name: 'helper' } });
    const name = panel.getByLabel('Name');
    await eventually('the new name', async () => (await name.inputValue()) === 'helper');
    await name.fill('mine');
    await server.send('ben', 'PUT', '/api/room/ops', { copilot: { provider: 'local', name: 'theirs' } });
    await page.getByRole('button', { name: 'Copilot theirs, answers by local' }).waitFor();
    assert.equal(await name.inputValue(), 'mine');
    await panel.getByRole('button', { name: 'Save', exact: true }).click();
    await says(/Another user has changed the copilot meanwhile/);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Copilot theirs' }).click();
    await panel.getByText('More settings').click();
    assert.equal(await name.inputValue(), 'theirs');
  });

  await t.test('another provider does not get the key', async () => {
    await panel.getByLabel('Model provider').selectOption('echo');
    assert.equal(await key.isVisible(), false);
    await panel.getByRole('button', { name: 'Test' }).click();
    await says(/It works: echo/);
    await panel.getByLabel('Model provider').selectOption('local');
    await panel.getByRole('button', { name: 'Save', exact: true }).click();
    await says(/Saved/);
    assert.equal(await panel.getByText('A key is set').count(), 0);
  });

  await t.test('it is removed, and may be set up again', async () => {
    await panel.getByRole('button', { name: 'Remove' }).click();
    await says(/The copilot is off\./);
    await page.getByRole('button', { name: 'Set up a copilot' }).waitFor();
    await panel.getByRole('button', { name: 'Switch on' }).waitFor();
    await panel.getByRole('button', { name: 'Remove' }).waitFor({ state: 'hidden' });
  });

  await t.test('the key was never shown again', async () => {
    await page.reload();
    await page.locator('.room-head h1').waitFor();
    answers.push(page.content());
    for (const text of await Promise.all(answers)) assert.equal(text.includes(KEY), false);
    assert.ok(answers.length > 10);
  });
});

test('a change of the open list of members keeps the focus in the composer', { timeout: 600_000 }, async (t) => {
  if (!needsBrowser(t)) return;
  const server = await serveRooms(t);
  await server.send('ana', 'POST', '/api/room', { name: 'Payments on-call', slug: 'ops' });
  const { page } = await openWindow(t, await launchBrowser(t), server.url, 'ana');
  await lineIs(page, 'live');
  await page.getByRole('button', { name: /^Members/ }).click();
  const field = page.getByRole('textbox', { name: 'Message', exact: true });
  await field.pressSequentially('one ');
  await server.send('ben', 'POST', '/api/room/ops/join');
  await page.locator('.drawer .person', { hasText: 'ben' }).waitFor();
  await page.keyboard.type('two');
  assert.equal(await field.inputValue(), 'one two');
});
