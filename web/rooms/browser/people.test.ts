// Two people in two windows, a third over plain HTTP, a copilot and an alert in one room.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Browser, Route } from 'playwright-core';
import {
  belowView,
  lineIs,
  openWindow,
  posted,
  type RoomsServer,
  said,
  searchable,
  serveRooms,
  wordsOf,
  write,
} from '../../../src/rooms/testing/browser.ts';
import { type FakeModel, openAiStream, startFakeModel } from '../../../src/rooms/testing/copilot/fake-model.ts';
import { launchBrowser, needsBrowser, picture, settles } from '../../../src/testing/browser.ts';
import { eventually } from '../../../src/testing/eventually.ts';
import {
  type FakeAnswer,
  type RecordedRequest,
  startFakeAlertmanager,
} from '../../../src/testing/fake/alertmanager.ts';

interface Made {
  readonly id: string;
}

interface Parts {
  readonly server: RoomsServer;
  readonly browser: Browser;
  readonly model: FakeModel;
}

async function setUp(t: TestContext): Promise<Parts | undefined> {
  if (!needsBrowser(t)) return undefined;
  const alerts = await startFakeAlertmanager(t, fakeSilences());
  const server = await serveRooms(t, ['--alerts', alerts.url]);
  await server.send('ana', 'POST', '/api/room', { name: 'Payments on-call', slug: 'ops', topic: 'Card payments' });
  await server.send('ben', 'POST', '/api/room/ops/join');
  const model = await startFakeModel(t);
  await server.send('ana', 'POST', '/api/provider', {
    ...{ name: 'local', kind: 'openai', baseUrl: model.url, model: 'test-1', allowPrivate: true },
  });
  await server.send('ana', 'PUT', '/api/room/ops', { copilot: { provider: 'local', replyIn: 'room' } });
  return { server, browser: await launchBrowser(t), model };
}

/** An alert server with the silences that it is sent, and no alerts. */
function fakeSilences(): (request: RecordedRequest) => FakeAnswer {
  const silences = new Map<string, object>();
  return ({ method, path, body }) => {
    if (path.endsWith('/alerts')) return { json: [] };
    const id = path.endsWith('/silences') ? 'silence-of-payments' : path.slice(path.lastIndexOf('/') + 1);
    if (method === 'POST') silences.set(id, { ...(body as object), id, status: { state: 'active' } });
    if (method === 'DELETE') silences.delete(id);
    if (method === 'POST') return { json: { silenceID: id } };
    return { json: path.endsWith('/silences') ? [...silences.values()] : silences.get(id) };
  };
}

const notice = (status: 'firing' | 'resolved') => ({
  version: '4',
  groupKey: '{}:{alertname="HighLatency"}',
  status,
  receiver: 'ops',
  groupLabels: { alertname: 'HighLatency' },
  commonLabels: { alertname: 'HighLatency', severity: 'critical', cluster: 'eu' },
  commonAnnotations: { summary: 'Payments are slow', runbook_url: 'https://runbooks.example.com/latency' },
  externalURL: 'javascript:alert(1)',
  alerts: [
    {
      status,
      labels: { alertname: 'HighLatency', severity: 'critical', cluster: 'eu', instance: 'api-1' },
      annotations: { summary: 'Payments are slow', dashboard_url: 'https://dashboards.example.com/api-1' },
      startsAt: '2026-01-01T10:00:00Z',
      endsAt: status === 'resolved' ? '2026-01-01T11:00:00Z' : '0001-01-01T00:00:00Z',
      generatorURL: '',
      fingerprint: 'f1',
    },
  ],
});

test('two people, a third over HTTP, a copilot and an alert', { timeout: 600_000 }, async (t) => {
  const parts = await setUp(t);
  if (!parts) return;
  const { server, browser, model } = parts;
  const { page: ana } = await openWindow(t, browser, server.url, 'ana');
  const { page: ben } = await openWindow(t, browser, server.url, 'ben');
  await lineIs(ana, 'live');
  await lineIs(ben, 'live');

  await t.test('the page teaches an empty room', async () => {
    await ana.getByText('Nothing said in Payments on-call yet').waitFor();
    await ana.getByText('opsdeck rooms say ops "hello"').waitFor();
  });

  await t.test('what one writes the other reads, in the same order', async () => {
    await write(ana, 'good **morning**');
    await said(ben, 'good morning').waitFor();
    await write(ben, 'hello @ana');
    await said(ana, 'hello @ana').waitFor();
    await server.send('kim', 'POST', '/api/message', { roomId: 'ops', body: 'over HTTP' });
    await said(ana, 'over HTTP').waitFor();
    await said(ben, 'over HTTP').waitFor();
    assert.deepEqual(await wordsOf(ana), ['good morning', 'hello @ana', 'over HTTP']);
    assert.deepEqual(await wordsOf(ben), await wordsOf(ana));
    assert.equal(await ana.locator('.message.mentions-me').count(), 1);
  });

  await t.test('a typing person is shown until the message arrives', async () => {
    await ben.getByRole('textbox', { name: 'Message', exact: true }).pressSequentially('wait');
    await ana.getByText('ben is typing').waitFor();
    await ben.getByRole('textbox', { name: 'Message', exact: true }).press('Enter');
    await said(ana, 'wait').waitFor();
    await ana.getByText('ben is typing').waitFor({ state: 'detached' });
  });

  await t.test('names and emoji complete', async () => {
    const field = ana.getByRole('textbox', { name: 'Message', exact: true });
    await field.pressSequentially('look @be');
    await ana.getByRole('option', { name: '@ben' }).waitFor();
    await field.press('Tab');
    await field.pressSequentially(':tad');
    await field.press('Enter');
    assert.equal(await field.inputValue(), 'look @ben \u{1f389} ');
    await field.press('Enter');
    await said(ben, 'look @ben').waitFor();
    await posted(ana, 'look @ben').waitFor();
  });

  await t.test('a command completes with the hint of the server', async () => {
    const field = ana.getByRole('textbox', { name: 'Message', exact: true });
    await field.pressSequentially('/unsi');
    await ana.getByRole('option', { name: /^\/unsilence ends the silence of the thread/ }).waitFor();
    await field.press('Tab');
    assert.equal(await field.inputValue(), '/unsilence ');
    await field.fill('');
  });

  await t.test('the arrow edits the last message of one’s own', async () => {
    const field = ana.getByRole('textbox', { name: 'Message', exact: true });
    await field.press('ArrowUp');
    await ana.getByText('Editing your message').waitFor();
    await field.fill('look at **this**');
    await field.press('Enter');
    await said(ben, 'look at this').locator('.edited').waitFor();
  });

  await t.test('a refused text returns to its field with the reason; sending it corrected removes both', async () => {
    const field = ana.getByRole('textbox', { name: 'Message', exact: true });
    const problem = ana.locator('main .composer-problem');
    await write(ana, '/silense 1h');
    await problem.filter({ hasText: 'Not sent: there is no command /silense; did you mean /silence?' }).waitFor();
    assert.equal(await field.inputValue(), '/silense 1h');
    await ana.locator('main .message.failed').waitFor({ state: 'detached' });
    const long = 'x'.repeat(70_000);
    await write(ana, long);
    await problem.filter({ hasText: 'Not sent: body' }).waitFor();
    assert.equal(await field.inputValue(), long);
    await ana.reload();
    assert.equal(await field.inputValue(), long);
    await write(ana, 'shorter :tada:');
    await said(ben, 'shorter \u{1f389}').waitFor();
    assert.equal(await problem.isHidden(), true);
    await lineIs(ana, 'live');
  });

  await t.test('a refused edit stays in the field, and an edit leaves the draft', async () => {
    const field = ana.getByRole('textbox', { name: 'Message', exact: true });
    await write(ana, 'to be changed');
    await posted(ana, 'to be changed').waitFor();
    await field.fill('a draft');
    await said(ana, 'to be changed').hover();
    await ana.getByRole('button', { name: 'Edit', exact: true }).click();
    await field.fill('y'.repeat(70_000));
    await field.press('Enter');
    await ana.locator('main .composer-problem', { hasText: 'Not saved: body' }).waitFor();
    assert.equal((await field.inputValue()).length, 70_000);
    await field.fill('was changed');
    await field.press('Enter');
    await said(ben, 'was changed').waitFor();
    await ana.getByText('Editing your message').waitFor({ state: 'hidden' });
    assert.equal(await field.inputValue(), 'a draft');
    await field.fill('');
  });

  await t.test('a reaction and a reply by keys', async () => {
    const message = said(ana, 'over HTTP');
    await message.focus();
    await ana.keyboard.press('e');
    await ana.getByRole('textbox', { name: 'Find an emoji' }).fill('rocket');
    await ana.keyboard.press('Enter');
    await said(ben, 'over HTTP')
      .getByRole('button', { name: /1, ana/ })
      .click();
    await message.getByRole('button', { name: /2, ana, ben/ }).waitFor();
    await message.focus();
    await ana.keyboard.press('r');
    await ana.getByText('Replying to').waitFor();
    await ana.keyboard.type('I saw it');
    await ana.keyboard.press('Enter');
    await said(ben, 'I saw it').locator('.quote', { hasText: 'over HTTP' }).waitFor();
  });

  await t.test('a thread is answered in a panel of the room', async () => {
    await said(ben, 'good morning').focus();
    await ben.keyboard.press('t');
    const field = ben.getByRole('textbox', { name: 'Reply in the thread' });
    await field.fill('in the thread');
    await field.press('Enter');
    await said(ana, 'good morning')
      .getByRole('button', { name: /1 reply/ })
      .click();
    await ana.locator('.drawer article', { hasText: 'in the thread' }).waitFor();
    assert.equal(await said(ana, 'in the thread').count(), 0);
    await picture(ana, 'rooms/thread-open');
    await ana.keyboard.press('Escape');
    await ana.keyboard.press('Escape');
  });

  await t.test('a copilot streams its answer to all, and can be stopped and asked again', async () => {
    const unfinished = openAiStream(['one two three'], { finish: '', usage: null, done: false });
    model.play({ stream: unfinished, ending: 'hang' }, { stream: openAiStream(['one two three four']) });
    await write(ana, '@copilot count');
    const answer = ben.locator('main article', { hasText: 'one two three' });
    await answer.locator('.body.streaming').waitFor();
    await picture(ben, 'rooms/streaming');
    await ana.getByRole('button', { name: 'Stop' }).click();
    await answer.getByText('stopped').waitFor();
    await answer.getByRole('button', { name: 'What it saw' }).click();
    await ben.getByText(/It was shown \d+ messages/).waitFor();
    await ben.getByRole('button', { name: 'Close' }).click();
    await ana.getByRole('button', { name: 'Retry' }).first().click();
    await ben.locator('main article[data-status="complete"]', { hasText: 'one two three four' }).waitFor();
  });

  await t.test('an alert is one card that changes in place; a button of it is pressed', async () => {
    const hook = await server.send<{ readonly path: string }>('ana', 'POST', '/api/hook', {
      direction: 'incoming',
      roomId: 'ops',
      name: 'alerts',
      kind: 'alertmanager',
    });
    const post = (status: 'firing' | 'resolved') => server.send('ana', 'POST', hook.path, notice(status));
    await post('firing');
    const card = ben.getByRole('group', { name: 'Alert: HighLatency' });
    await card.getByText('1 firing / 0 resolved').waitFor();
    const badge = ben.locator('.rail-link', { hasText: 'Payments on-call' }).locator('.alert-badge');
    await badge.filter({ hasText: '1 alert fires' }).waitFor();
    assert.deepEqual(await card.locator('a').evaluateAll((links) => links.map((link) => link.getAttribute('href'))), [
      'https://dashboards.example.com/api-1',
      'https://runbooks.example.com/latency',
    ]);
    assert.deepEqual(await card.locator('.alert-head > *').allInnerTexts(), ['CRITICAL', 'Firing', 'HighLatency']);
    await card.getByRole('button', { name: 'Silence for 1 h' }).click();
    await card.getByText(/^silenced by ben, 59m \d+s left$/).waitFor();
    await card.getByRole('button', { name: 'Extend the silence by 1 h' }).click();
    await card.getByText(/^silenced by ben, 1h 59m left$/).waitFor();
    await picture(ben, 'rooms/alert-card-silenced');
    await card.getByRole('button', { name: 'End the silence', exact: true }).click();
    await card.getByRole('button', { name: 'Silence for 1 h' }).waitFor();
    assert.equal(await card.getByText('silenced by').count(), 0);
    await card.getByRole('button', { name: 'Ack', exact: true }).click();
    await ana.getByRole('group', { name: 'Alert: HighLatency' }).getByText('ben has it').waitFor();
    await picture(ana, 'rooms/alert-card');
    await post('resolved');
    await card.getByText('Resolved', { exact: true }).waitFor();
    await badge.waitFor({ state: 'detached' });
    assert.equal(await card.count(), 1);
  });

  await t.test('a message is found, and its place in the room is shown', async () => {
    await searchable(server, 'ben', 'over');
    await ben.keyboard.press('Control+k');
    await ben.getByRole('combobox', { name: 'Search rooms and messages' }).fill('over');
    await ben.getByRole('option', { name: /over HTTP/ }).click();
    await ben.locator('main article.found', { hasText: 'over HTTP' }).waitFor();
  });

  await t.test('finds are shown as they are read, are filtered by buttons, and more follow', async () => {
    const post = (as: string, body: string) => server.send(as, 'POST', '/api/message', { roomId: 'ops', body });
    for (let index = 1; index <= 21; index++) await post('kim', `invoice ${index}`);
    await post('ana', 'the **invoice** of [acme](https://acme.example/invoices) :tada:');
    await searchable(server, 'ben', 'acme');
    const field = ben.getByRole('combobox', { name: 'Search rooms and messages' });
    const finds = ben.locator('.palette-hit');
    await ben.keyboard.press('Control+k');
    await field.fill('invoice');
    await finds.first().waitFor();
    assert.equal(await finds.first().locator('> span').last().innerText(), 'the invoice of acme \u{1f389}');
    assert.deepEqual(await finds.first().locator('mark').allInnerTexts(), ['invoice']);
    assert.equal(await finds.count(), 20);
    await field.press('ArrowUp');
    await field.press('Enter');
    await finds.nth(21).waitFor();
    assert.equal(await ben.getByRole('option', { name: 'More messages' }).count(), 0);
    await ben.getByRole('button', { name: 'From ana' }).click();
    await ben.getByText('1 message', { exact: true }).waitFor();
    assert.equal(await field.inputValue(), 'invoice from:ana ');
    await ben.getByRole('button', { name: 'Links' }).click();
    await ben.getByText('1 message', { exact: true }).waitFor();
    await ben.getByLabel('After').fill('2099-01-31');
    await ben.getByText('No messages found.').waitFor();
    assert.equal(await field.inputValue(), 'invoice from:ana has:link after:2099-01-31 ');
    await ben.keyboard.press('Escape');
  });

  await t.test('mentions and replies wait in the inbox, which a key opens, until they are read', async () => {
    await ana.locator('.rail-link', { hasText: 'Payments on-call' }).click();
    await write(ana, 'who has time?');
    await posted(ana, 'who has time?').waitFor();
    const root = await said(ana, 'who has time?').getAttribute('data-id');
    const other = await server.send<Made>('ben', 'POST', '/api/room', { name: 'Elsewhere', members: ['ana'] });
    const reply = (body: string) => server.send('ben', 'POST', '/api/message', { roomId: 'ops', body, threadId: root });
    await reply('me');
    await reply('or kim');
    await server.send('ben', 'POST', '/api/message', { roomId: other.id, body: '@ana **look** here' });
    await ana.getByRole('button', { name: /^Inbox ?, 2 unread/ }).waitFor();
    await ana.keyboard.press('Escape');
    await ana.keyboard.press('i');
    const inbox = ana.getByRole('complementary', { name: 'Inbox' });
    await inbox.getByRole('button', { name: /2 new replies to: who has time\?\s*or kim/ }).waitFor();
    await picture(ana, 'rooms/inbox');
    await ana.reload();
    await ana.getByRole('button', { name: /^Inbox ?, 2 unread/ }).click();
    await inbox.getByRole('button', { name: /2 new replies to: who has time/ }).click();
    await ana.locator('.drawer article', { hasText: 'or kim' }).waitFor();
    await ana.getByRole('button', { name: /^Inbox ?, 1 unread/ }).click();
    await inbox.getByRole('button', { name: /Elsewhere.*look here/ }).click();
    await said(ana, 'look here').waitFor();
    await ana.getByRole('button', { name: 'Inbox', exact: true }).waitFor();
    await ana.locator('.rail-link', { hasText: 'Payments on-call' }).click();
  });

  await t.test('a direct message begins in the list of people, or in the search', async () => {
    await ana.getByRole('button', { name: /^Members/ }).click();
    await ana.getByRole('button', { name: 'Message ben' }).click();
    await ana.getByRole('heading', { level: 1, name: 'ben', exact: true }).waitFor();
    await write(ana, 'between us');
    await ben.locator('.rail-link', { hasText: 'ana' }).click();
    await said(ben, 'between us').waitFor();
    const payments = ben.locator('.rail-link', { hasText: 'Payments on-call' });
    await payments.click();
    await ben.getByRole('button', { name: 'New direct message' }).click();
    await ben.getByRole('option', { name: /ana/ }).click();
    await ben.getByRole('heading', { level: 1, name: 'ana', exact: true }).waitFor();
    await ana.locator('.rail-link', { hasText: 'Payments on-call' }).click();
  });

  await t.test('a late direct room does not replace a room that was opened meanwhile', async () => {
    const held: Route[] = [];
    await ben.route('**/api/room', (route) => void held.push(route), { times: 1 });
    await ben.getByRole('button', { name: 'New direct message' }).click();
    await ben.getByRole('option', { name: /ana/ }).click();
    const route = await eventually('the request', () => held[0]);
    await ben.locator('.rail-link', { hasText: 'Payments on-call' }).click();
    await ben.getByRole('heading', { level: 1, name: 'Payments on-call' }).waitFor();
    const answered = ben.waitForResponse('**/api/room');
    await route.continue();
    await (await answered).finished();
    await ben.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
    await ben.getByRole('heading', { level: 1, name: 'Payments on-call' }).waitFor();
  });

  await t.test('a file is sent with a message, and is shown', async () => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    await ana.locator('main input[type=file]').setInputFiles([
      { name: 'dot.png', mimeType: 'image/png', buffer: png },
      { name: 'log.txt', mimeType: 'text/plain', buffer: Buffer.from('a line') },
    ]);
    await ana.locator('.upload:not(:has(progress))').nth(1).waitFor();
    await write(ana, 'two files');
    await said(ben, 'two files').locator('img[alt="dot.png"]').waitFor();
    await said(ben, 'two files')
      .getByRole('link', { name: /log\.txt/ })
      .waitFor();
    await settles('the room to be at its end', async () => assert.equal(await belowView(ben), 0));
  });

  await t.test('a poll is voted on by its buttons and by a line in its thread, and its author closes it', async () => {
    await write(ana, '/poll "Where to?" pizza sushi');
    const poll = ben.locator('main').getByRole('group', { name: 'Poll' });
    await poll.getByRole('button', { name: 'pizza 0' }).click();
    await poll.getByRole('button', { name: 'pizza 1, ben', pressed: true }).waitFor();
    await said(ana, 'Where to?').focus();
    await ana.keyboard.press('t');
    const thread = ana.getByRole('textbox', { name: 'Reply in the thread', exact: true });
    await thread.fill('/vote 1');
    await thread.press('Enter');
    await poll.getByRole('button', { name: 'pizza 2, ben, ana' }).waitFor();
    await ana.locator('.pending').waitFor({ state: 'detached' });
    await ana.locator('main').getByRole('group', { name: 'Poll' }).getByRole('button', { name: 'Close' }).click();
    await poll.getByText('2 votes, closed').waitFor();
    await picture(ben, 'rooms/poll');
    await ana.getByTitle('Close (Esc)').click();
  });

  await t.test('a room is made, and its members see it without asking', async () => {
    await ana.getByRole('button', { name: 'New room' }).click();
    await ana.getByLabel('Name').fill('War room');
    await ana.getByRole('button', { name: 'Create the room' }).click();
    await ana.getByRole('heading', { level: 1, name: 'War room' }).waitFor();
    const room = await server.send<Made>('ana', 'GET', '/api/room/war-room');
    await server.send('ana', 'PUT', `/api/room/${room.id}/member/ben`, { role: 'member' });
    await server.send('ana', 'POST', '/api/message', { roomId: room.id, body: '@ben come here' });
    await ben.locator('.rail-link', { hasText: 'War room' }).locator('.count-badge').waitFor();
    assert.match(await ben.title(), /^\(\d+\) /);
    await ben.locator('.rail-link', { hasText: 'War room' }).click();
    await said(ben, 'come here').waitFor();
    await ben.locator('.rail-link', { hasText: 'War room' }).locator('.count-badge').waitFor({ state: 'detached' });
  });
});
