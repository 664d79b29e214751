// Two people in two windows, a third over plain HTTP, a copilot and an alert in one room.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Browser } from 'playwright-core';
import {
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
import { launchBrowser, needsBrowser, picture } from '../../../src/testing/browser.ts';
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
    assert.equal(await card.count(), 1);
  });

  await t.test('a message is found, and its place in the room is shown', async () => {
    await searchable(server, 'ben', 'over');
    await ben.keyboard.press('Control+k');
    await ben.getByRole('combobox', { name: 'Search rooms and messages' }).fill('over');
    await ben.getByRole('option', { name: /over HTTP/ }).click();
    await ben.locator('main article.found', { hasText: 'over HTTP' }).waitFor();
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
  });

  await t.test('a poll is voted on by its buttons and by a line in its thread, and its author closes it', async () => {
    await write(ana, '/poll "Where to?" pizza sushi');
    const poll = ben.locator('main').getByRole('group', { name: 'Poll' });
    await poll.getByRole('button', { name: 'pizza: 0' }).click();
    await poll.getByRole('button', { name: 'pizza: 1, ben', pressed: true }).waitFor();
    await said(ana, 'Where to?').focus();
    await ana.keyboard.press('t');
    const thread = ana.getByRole('textbox', { name: 'Reply in the thread', exact: true });
    await thread.fill('/vote 1');
    await thread.press('Enter');
    await poll.getByRole('button', { name: 'pizza: 2, ben, ana' }).waitFor();
    await ana.locator('.pending').waitFor({ state: 'detached' });
    await ana.locator('main').getByRole('group', { name: 'Poll' }).getByRole('button', { name: 'Close' }).click();
    await poll.getByText('2 votes, closed').waitFor();
    await picture(ben, 'rooms/poll');
    await ana.getByRole('button', { name: 'Close', exact: true }).click();
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
