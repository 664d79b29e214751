import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startHttpSink } from '../../testing/http/sink.ts';
import { openCopilotRoom } from '../testing/copilot/room.ts';

type Turn = { readonly role: string; readonly content: string };

test('a prompt holds the thread and the room before it, and no text of other rooms or of deleted messages', async (t) => {
  const room = await openCopilotRoom(t);
  const { rooms } = room;
  await rooms.send('POST', '/api/room', { as: 'ana', body: { name: 'Else' } });
  await rooms.send('POST', '/api/room/else/message', { as: 'ana', body: { body: 'of another room' } });
  const gone = await room.post('what was deleted');
  await rooms.send('DELETE', `/api/message/${gone.id}`, { as: 'ana' });
  const root = await room.post('the root');
  await room.post('beside it');
  await room.post('in another thread', { threadId: (await room.post('another root')).id });
  await room.post('in the thread', { threadId: root.id });
  const first = await room.ended(await room.post('@copilot one', { threadId: root.id }));
  // The copilot has answered in this thread: it need not be called again.
  const second = await room.ended(await room.post('and then?', { threadId: root.id }));
  assert.equal(second.threadId, root.id);
  const [one, two] = room.model.requests.map(({ body }) => body.messages as readonly Turn[]);
  assert.equal(one?.[0]?.role, 'system');
  assert.deepEqual(one?.slice(1), [
    {
      role: 'user',
      content: 'ana: the root\n\nana: beside it\n\nana: another root\n\nana: in the thread\n\nana: @copilot one',
    },
  ]);
  assert.deepEqual(
    two?.slice(1).map(({ role }) => role),
    ['user', 'assistant', 'user'],
  );
  assert.deepEqual(
    two?.slice(-2).map(({ content }) => content),
    ['hello', 'ana: and then?'],
  );
  assert.equal(JSON.stringify(room.model.requests).includes('of another room'), false);
  assert.equal(JSON.stringify(room.model.requests).includes('what was deleted'), false);
  assert.equal(first.saw.length, 5);
});

test('a prompt holds only text visible to its author', async (t) => {
  const room = await openCopilotRoom(t);
  const { rooms } = room;
  const put = { name: 'Ops', historyVisibility: 'joined' };
  assert.equal((await rooms.send('PUT', '/api/room/ops', { as: 'ana', body: put })).status, 200);
  await room.post('before ben came');
  const posted = await rooms.send('POST', '/api/room/ops/message', {
    as: 'ben',
    body: { body: '@copilot what was before?' },
  });
  await room.ended(posted.json);
  assert.equal(JSON.stringify(room.model.requests[0]?.body).includes('before ben came'), false);
  await room.ended(await room.post('@copilot and for me?'));
  assert.equal(JSON.stringify(room.model.requests[1]?.body).includes('before ben came'), true);
});

test('redacted text is removed from the prompt', async (t) => {
  const room = await openCopilotRoom(t, { copilot: { redact: { emails: true, patterns: ['cust-[0-9]+'] } } });
  await room.ended(await room.post('@copilot cust-42 of kim@example.com has odr_ABCDEFGH12345678'));
  const turns = room.model.requests[0]?.body.messages as readonly Turn[];
  assert.equal(turns.at(-1)?.content, 'ana: @copilot [redacted] of [e-mail] has [secret]');
});

test('the alerts of the room are in the prompt; without its alert server the model is still called', async (t) => {
  const alert = {
    fingerprint: 'a1',
    labels: { alertname: 'DiskFull', team: 'payments' },
    annotations: { summary: 'disk is full' },
    startsAt: '2030-01-01T00:00:00Z',
    status: { state: 'active', silencedBy: [] },
  };
  const alerts = await startHttpSink(t, (_, index) => (index === 0 ? { body: JSON.stringify([alert]) } : 'reset'));
  const room = await openCopilotRoom(t, { options: { alertsUrl: alerts.url } });
  const put = { name: 'Ops', labels: { team: 'payments' } };
  assert.equal((await room.rooms.send('PUT', '/api/room/ops', { as: 'ana', body: put })).status, 200);
  await room.ended(await room.post('@copilot one'));
  await room.ended(await room.post('@copilot two'));
  const filter = new URL(alerts.requests[0]?.path ?? '', 'http://alerts').searchParams.getAll('filter');
  assert.deepEqual(filter, ['team="payments"']);
  const [one, two] = room.model.requests.map(({ body }) => String(body.messages[0].content));
  assert.match(one ?? '', /alertname=DiskFull team=payments since 2030-01-01T00:00:00Z: disk is full/);
  assert.equal(two?.includes('DiskFull'), false);
});

test('attached texts are in the prompt if the settings include them, up to a bound, and no other files', async (t) => {
  const room = await openCopilotRoom(t, { copilot: { context: { includeFiles: true, maxTokens: 100_000 } } });
  const upload = async (name: string, body: string, type = 'application/octet-stream') => {
    const headers = { 'content-type': type, 'x-file-name': name };
    const sent = await room.rooms.send('POST', '/api/file', { as: 'ana', headers, body });
    assert.equal(sent.status, 201, sent.text);
    return sent.json.id as string;
  };
  const long = Array.from({ length: 9_000 }, (_, line) => `line ${line}\n`).join('');
  const attachments = [
    await upload('app.log', 'it failed with key odr_ABCDEFGH12345678'),
    await upload('long.log', long),
    await upload('core.bin', 'ELF\u0000\u0001\u0002'),
  ];
  await room.ended(await room.post('@copilot why?', { attachments }));
  const shown = ((room.model.requests[0]?.body.messages ?? []) as readonly Turn[]).at(-1)?.content ?? '';
  assert.match(shown, /^ana: @copilot why\?\n\[file app\.log\]\nit failed with key \[secret\]\n\[end of app\.log\]\n/);
  assert.match(shown, /\[file long\.log\]\nline 0\nline 1\n/);
  assert.match(
    shown,
    new RegExp(`\\nline \\d+\\n\\[cut here; long\\.log has ${long.length} bytes\\]\\n\\[file core\\.bin\\]$`),
  );
  assert.ok(shown.length < 34_000, `${shown.length}`);
  const without = { provider: 'fake', context: { includeFiles: false } };
  await room.rooms.send('PUT', '/api/room/ops/copilot', { as: 'ana', body: without });
  await room.ended(await room.post('@copilot and now?', { attachments }));
  assert.equal(JSON.stringify(room.model.requests[1]?.body).includes('it failed'), false);
});
