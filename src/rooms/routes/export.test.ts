import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Cleanup } from '../../testing/processes.ts';
import { openTestRooms, type TestRooms } from '../testing/app.ts';
import { openPeople } from '../testing/people.ts';

const KEY = 'sk-0123456789abcdef';

async function openRoom(t: Cleanup): Promise<TestRooms> {
  const rooms = await openTestRooms(t);
  const { send } = rooms;
  const copilot = { provider: 'openai', apiKey: KEY, name: 'helper' };
  await send('POST', '/api/room', { as: 'ana', body: { name: 'Ops', labels: { a: '1' }, members: ['ben'], copilot } });
  const post = async (as: string, body: object) =>
    assert.equal((await send('POST', '/api/room/ops/message', { as, body })).status, 201);
  await post('ana', { id: 'message-1', body: 'first\u2028line\nsecond' });
  await post('ben', { id: 'message-2', body: 'reply', threadId: 'message-1' });
  await post('ben', { id: 'message-3', body: 'gone' });
  await post('ana', { id: 'message-4', body: '<b>bold</b> & `code`', replyTo: 'message-1', card: { a: { b: 1 } } });
  await send('DELETE', '/api/message/message-3', { as: 'ben' });
  await send('PUT', '/api/message/message-1/reaction/👍', { as: 'ana' });
  await send('PUT', '/api/message/message-1/reaction/👍', { as: 'ben' });
  await send('PUT', '/api/message/message-1/reaction/👀', { as: 'ben' });
  await send('PUT', '/api/message/message-2', { as: 'ben', body: { body: 'reply, edited' } });
  await send('PUT', '/api/message/message-4/pin', { as: 'ana' });
  return rooms;
}

const exported = async ({ send }: TestRooms, query = '') => (await send('GET', `/api/room/ops/export${query}`)).text;

const bringIn = ({ send }: TestRooms, body: string) =>
  send('POST', '/api/import', { body, headers: { 'content-type': 'application/x-ndjson' } });

/** An export with a corrected checksum. */
function signed(lines: readonly string[]): string {
  const text = lines.map((line) => `${line}\n`).join('');
  const sha256 = createHash('sha256').update(text).digest('hex');
  const messages = lines.filter((line) => line.startsWith('{"kind":"message"')).length;
  return `${text}${JSON.stringify({ kind: 'end', pos: 1, messages, sha256 })}\n`;
}

const linesOf = (text: string): string[] => text.trimEnd().split('\n');

test('an export ends with a checksum over all before it, and names the position of the log', async (t) => {
  const rooms = await openRoom(t);
  const text = await exported(rooms);
  const lines = linesOf(text);
  const kinds = lines.map((line) => JSON.parse(line).kind).join(' ');
  assert.equal(kinds, 'header room member member message message message message end');
  const end = JSON.parse(lines.at(-1) ?? '');
  const before = text.slice(0, text.lastIndexOf('{"kind":"end"'));
  assert.equal(end.sha256, createHash('sha256').update(before).digest('hex'));
  assert.deepEqual([end.messages, end.pos], [4, rooms.core.writer.pos]);
  assert.ok(!text.includes(KEY) && !text.includes('cdef') && !text.includes('sealed'), 'it holds no key');
});

test('an export is restored unchanged in another server, and a second import adds nothing', async (t) => {
  const from = await openRoom(t);
  const to = await openTestRooms(t);
  await to.send('POST', '/api/room', { as: 'kim', body: { name: 'Ops' } });
  const text = await exported(from);
  const first = await bringIn(to, text);
  assert.equal(first.status, 200, first.text);
  assert.deepEqual(first.json, { rooms: 1, messages: 4, skipped: 0, files: 0, missingFiles: 0 });
  const { pos } = to.core.writer;
  const names = readdirSync(to.folder);
  assert.deepEqual((await bringIn(to, text)).json, { rooms: 0, messages: 0, skipped: 4, files: 0, missingFiles: 0 });
  assert.equal(to.core.writer.pos, pos);
  assert.deepEqual(readdirSync(to.folder), names, 'nothing is left lying about');
  assert.ok(!names.some((name) => name.startsWith('opsdeck-')));

  const room = (await from.send('GET', '/api/room/ops', { as: 'ana' })).json;
  const there = (await to.send('GET', `/api/room/${room.id}`, { as: 'ana' })).json;
  assert.equal(there.slug, 'ops-2', 'the name was taken');
  for (const name of ['name', 'labels', 'createdAt', 'createdBy', 'pinned', 'memberCount'])
    assert.deepEqual(there[name], room[name], name);
  assert.equal(there.copilot.name, 'helper');
  assert.equal(there.copilot.apiKeyInfo.set, false);
  assert.equal(there.me.role, 'owner');

  const messages = async ({ send }: TestRooms) =>
    (await send('GET', `/api/room/${room.id}/message`, { as: 'ana' })).json;
  const was = (await messages(from)).messages;
  const is = (await messages(to)).messages;
  assert.deepEqual(
    is,
    was.map((message: object) => ({ ...message, silent: true })),
  );
  const react = await to.send('PUT', '/api/message/message-1/reaction/👍', { as: 'ben' });
  assert.equal(react.json.reactions[0].count, 2, 'the authors of reactions are known');
});

test('a reader with history since joining sees no more of it in another server', async (t) => {
  const from = await openTestRooms(t);
  const to = await openTestRooms(t);
  await from.send('POST', '/api/room', { as: 'ana', body: { name: 'Ops', historyVisibility: 'joined' } });
  const post = (id: string) => from.send('POST', '/api/room/ops/message', { as: 'ana', body: { id, body: id } });
  const join = (as: string) => from.send('POST', '/api/room/ops/join', { as });
  for (const step of [() => post('message-1'), () => join('ben'), () => post('message-2'), () => join('cat')])
    await step();
  for (const id of ['message-3', 'message-4']) await post(id);
  await join('dan');
  const joined = async ({ send }: TestRooms) =>
    (await send('GET', '/api/room/ops/member')).json.members.map((member: { userId: string; joinedSeq: number }) => [
      member.userId,
      member.joinedSeq,
    ]);

  const lines = linesOf(await exported(from)).slice(0, -1);
  // Without its second message, as an export of a period may be: the later ones get other numbers.
  const kept = lines.filter((line) => !line.includes('"id":"message-2"'));
  assert.equal((await bringIn(to, signed(kept))).status, 200);
  assert.deepEqual(await joined(from), [
    ['ana', 0],
    ['ben', 1],
    ['cat', 2],
    ['dan', 4],
  ]);
  assert.deepEqual(await joined(to), [
    ['ana', 0],
    ['ben', 1],
    ['cat', 1],
    ['dan', 3],
  ]);
});

test('a banned or silenced member is so in another server', async (t) => {
  const from = await openTestRooms(t);
  const to = await openPeople(t, ['ben', 'cat']);
  await from.send('POST', '/api/room', { as: 'ana', body: { name: 'Ops', members: ['ben', 'cat'] } });
  await from.send('DELETE', '/api/room/ops/member/ben?ban=true', { as: 'ana' });
  const silencedUntil = '2099-01-01T00:00:00.000Z';
  const silenced = await from.send('PUT', '/api/room/ops/member/cat', {
    as: 'ana',
    body: { role: 'member', silencedUntil },
  });
  assert.equal(silenced.status, 200, silenced.text);
  const { status, text } = await bringIn(to, await exported(from));
  assert.equal(status, 200, text);
  const joined = await to.send('POST', '/api/room/ops/join', { as: 'ben' });
  assert.equal(joined.headers.get('x-error-code'), 'room_not_found', joined.text);
  const posted = await to.send('POST', '/api/room/ops/message', { as: 'cat', body: { body: 'may I?' } });
  assert.match(posted.text, /a moderator has muted you/);
});

test('an export from before bans were recorded is imported', async (t) => {
  const from = await openRoom(t);
  const to = await openTestRooms(t);
  const lines = linesOf((await exported(from)).replace(',"bans":[]', '')).slice(0, -1);
  assert.deepEqual((await bringIn(to, signed(lines))).json, {
    rooms: 1,
    messages: 4,
    skipped: 0,
    files: 0,
    missingFiles: 0,
  });
});

test('attachments without their files are counted', async (t) => {
  const from = await openRoom(t);
  const to = await openTestRooms(t);
  const upload = await from.send('POST', '/api/file', { as: 'ana', body: 'a log' });
  assert.equal(upload.status, 201, upload.text);
  const body = { body: 'see', attachments: [upload.json.id] };
  assert.equal((await from.send('POST', '/api/room/ops/message', { as: 'ana', body })).status, 201);
  const text = await exported(from);
  assert.deepEqual((await bringIn(to, text)).json, { rooms: 1, messages: 5, skipped: 0, files: 0, missingFiles: 1 });
  assert.deepEqual((await bringIn(from, text)).json, { rooms: 0, messages: 0, skipped: 5, files: 0, missingFiles: 0 });
});

/** A room whose messages have files: a long one twice, and an empty one; the messages' files by name. */
async function openRoomWithFiles(t: Cleanup) {
  const rooms = await openRoom(t);
  const long = 'line of a long log \u2028\n'.repeat(20_000);
  const upload = async (name: string, body: string) =>
    (await rooms.send('POST', '/api/file', { as: 'ana', body, headers: { 'x-file-name': name } })).json.id;
  const attachments = [await upload('long.txt', long), await upload('same.txt', long), await upload('empty.txt', '')];
  for (const id of ['message-5', 'message-6']) {
    const posted = await rooms.send('POST', '/api/room/ops/message', {
      as: 'ana',
      body: { id, body: id, attachments },
    });
    assert.equal(posted.status, 201, posted.text);
  }
  return { rooms, long, ids: attachments };
}

test('an export with files brings them to another server, and a second import adds nothing', async (t) => {
  const { rooms: from, long, ids } = await openRoomWithFiles(t);
  const to = await openTestRooms(t, { options: { maxUploadBytes: 1_000 } });
  const text = await exported(from, '?files=true');
  assert.ok(linesOf(text).length > 15, 'a long file is several lines');
  const first = await bringIn(to, text);
  assert.deepEqual(first.json, { rooms: 1, messages: 6, skipped: 0, files: 3, missingFiles: 0 }, first.text);
  for (const [index, content] of [long, long, ''].entries()) {
    const path = `/api/file/${ids[index]}`;
    const [there, here] = [await from.send('GET', path, { as: 'ana' }), await to.send('GET', path, { as: 'ben' })];
    assert.equal(here.text, content);
    for (const name of ['content-type', 'content-disposition', 'etag'])
      assert.equal(here.headers.get(name), there.headers.get(name), name);
  }
  const { attachments } = (await to.send('GET', '/api/message/message-5')).json;
  assert.deepEqual(attachments, (await from.send('GET', '/api/message/message-5')).json.attachments);
  const again = await bringIn(to, text);
  assert.deepEqual(again.json, { rooms: 0, messages: 0, skipped: 6, files: 0, missingFiles: 0 });
});

test('an export with a damaged file is refused, and nothing of it is written', async (t) => {
  const { rooms: from, ids } = await openRoomWithFiles(t);
  const to = await openTestRooms(t);
  const lines = linesOf(await exported(from, '?files=true')).slice(0, -1);
  const at = lines.findIndex((line) => line.startsWith('{"kind":"piece"'));
  const changed = (line: string) => lines.map((old, index) => (index === at ? line : old));
  const other = Buffer.from('other bytes').toString('base64');
  for (const [text, reason] of [
    [signed(lines.toSpliced(at, 1)), /has not its checksum|is not whole/],
    [signed(changed(lines[at + 1] ?? '')), new RegExp(`line \\d+: the file ${ids[0]} has not its checksum`)],
    [
      signed(changed(`{"kind":"piece","data":"${other}"}`)),
      new RegExp(`the file ${ids[0]} (is not whole|has not its)`),
    ],
    [signed(lines.slice(0, at + 1)), /the file .* is not whole/],
    [signed(lines.toSpliced(at - 1, 1)), /a piece must follow its file/],
    [signed(lines.toSpliced(1, 0, lines[at - 1] ?? '')), /a file must follow its room/],
    [signed(lines.map((line) => line.replace(ids[0], '../../escape'))), /must be an id/],
  ] as const) {
    const refused = await bringIn(to, text);
    assert.equal(refused.status, 400);
    assert.match(refused.text, reason);
  }
  assert.deepEqual((await to.send('GET', '/api/room')).json.rooms, []);
  assert.equal(existsSync(join(to.folder, 'files')), false);
});

test('a file of an import replaces no other file of its id', async (t) => {
  const { rooms: from, ids } = await openRoomWithFiles(t);
  const lines = linesOf(await exported(from, '?files=true')).slice(0, -1);
  const other = createHash('sha256').update('other').digest('hex');
  const file = { id: ids[0], name: 'x', size: 5, contentType: 'text/plain', sha256: other, uploadedBy: 'ana' };
  const forged = [
    ...lines.slice(0, 2),
    JSON.stringify({ kind: 'file', file: { ...file, createdAt: '2030-01-01T00:00:00Z' } }),
    JSON.stringify({ kind: 'piece', data: Buffer.from('other').toString('base64') }),
  ];
  const refused = await bringIn(from, signed(forged));
  assert.deepEqual([refused.status, refused.headers.get('x-error-code')], [409, 'id_conflict']);
  assert.ok((await from.send('GET', `/api/file/${ids[0]}`, { as: 'ana' })).text.startsWith('line of a long log'));
});

test('only an export of lines holds files', async (t) => {
  const rooms = await openRoom(t);
  const refused = await rooms.send('GET', '/api/room/ops/export?format=html&files=true');
  assert.equal(refused.status, 400);
  assert.match(refused.text, /only an export of the format jsonl holds files/);
});

test('an import that was cut off resumes at its end', async (t) => {
  const from = await openRoom(t);
  const to = await openTestRooms(t);
  const lines = linesOf(await exported(from)).slice(0, -1);
  assert.deepEqual((await bringIn(to, signed(lines.slice(0, 6)))).json, {
    rooms: 1,
    messages: 2,
    skipped: 0,
    files: 0,
    missingFiles: 0,
  });
  assert.deepEqual((await bringIn(to, signed(lines))).json, {
    rooms: 0,
    messages: 2,
    skipped: 2,
    files: 0,
    missingFiles: 0,
  });
  const { messages } = (await to.send('GET', '/api/room/ops/message')).json;
  assert.deepEqual(
    messages.map(({ id, seq, pinned }: { id: string; seq: number; pinned: boolean }) => [id, seq, pinned]),
    [
      ['message-1', 1, false],
      ['message-2', 2, false],
      ['message-3', 3, false],
      ['message-4', 4, true],
    ],
  );
});

test('changes during an export are in it in their final state', async (t) => {
  const rooms = await openRoom(t);
  const posts = Array.from({ length: 446 }, (_, n) =>
    rooms.send('POST', '/api/room/ops/message', { as: 'ana', body: { id: `message-${n + 5}`, body: `${n + 5}` } }),
  );
  await Promise.all(posts);
  for (const format of ['jsonl', 'markdown', 'html']) {
    const answer = await rooms.rooms.app.request(`http://127.0.0.1:8065/api/room/ops/export?format=${format}`, {
      headers: { host: '127.0.0.1:8065' },
    });
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    const pieces: Uint8Array[] = [];
    for (let n = 0; n < 2; n++) pieces.push((await reader.read()).value ?? new Uint8Array());
    const edited = await rooms.send('PUT', '/api/message/message-1', { as: 'ana', body: { body: `late ${format}` } });
    assert.equal(edited.status, 200);
    await rooms.send('POST', '/api/room/ops/message', { as: 'ana', body: { body: 'after the beginning' } });
    for (let read = await reader.read(); !read.done; read = await reader.read()) pieces.push(read.value);
    const text = Buffer.concat(pieces).toString();
    assert.equal(text.split(`late ${format}`).length, 2, 'it is logged once');
    assert.ok(text.indexOf(`late ${format}`) > text.indexOf('message-450'), 'after all others');
    if (format !== 'jsonl') continue;
    assert.ok(!text.includes('after the beginning'));
    const to = await openTestRooms(t);
    assert.deepEqual((await bringIn(to, text)).json, {
      rooms: 1,
      messages: 450,
      skipped: 0,
      files: 0,
      missingFiles: 0,
    });
    const { body } = (await to.send('GET', '/api/message/message-1')).json;
    assert.equal(body, 'late jsonl');
  }
});

test('an export is cut off when its reader loses the right to read the room', async (t) => {
  const { send, rooms } = await openPeople(t, ['ana']);
  await send('POST', '/api/room', { body: { name: 'Ops', visibility: 'private' } });
  await send('PUT', '/api/room/ops/member/ana', { body: { role: 'admin' } });
  const posts = Array.from({ length: 450 }, (_, n) =>
    send('POST', '/api/room/ops/message', { body: { id: `message-${n}`, body: `${n}` } }),
  );
  await Promise.all(posts);
  const { json } = await send('POST', '/api/token', { body: { name: 'x', userId: 'ana', scopes: ['read', 'export'] } });
  const answer = await rooms.app.request('http://127.0.0.1:8065/api/room/ops/export', {
    headers: { host: '127.0.0.1:8065', authorization: `Bearer ${json.secret}` },
  });
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
  for (let n = 0; n < 2; n++) assert.equal((await reader.read()).done, false);
  assert.equal((await send('DELETE', '/api/room/ops/member/ana')).status, 204);
  await assert.rejects(async () => {
    for (let read = await reader.read(); !read.done; read = await reader.read());
  }, /may not read/);
});

test('a client that disconnects in the middle leaves nothing behind', async (t) => {
  const rooms = await openRoom(t);
  const answer = await rooms.rooms.app.request('http://127.0.0.1:8065/api/room/ops/export', {
    headers: { host: '127.0.0.1:8065' },
  });
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  await reader.cancel();
  assert.equal((await exported(rooms)).endsWith('}\n'), true);
});

const DAMAGES: readonly (readonly [string, (lines: string[]) => string, RegExp])[] = [
  ['a changed word', (lines) => `${lines.join('\n').replace('reply, edited', 'reply, forged')}\n`, /checksum/],
  ['no end', (lines) => `${lines.slice(0, -1).join('\n')}\n`, /not whole/],
  ['a cut line', (lines) => lines.join('\n').slice(0, -5), /not whole/],
  ['something after the end', (lines) => `${lines.join('\n')}\n${lines[1]}\n`, /follow/],
  ['no header', (lines) => signed(lines.slice(1, -1)), /line 1: an export begins/],
  ['no JSON', () => 'hello\n', /line 1: not JSON/],
  ['another format', (lines) => signed([lines[0]?.replace('opsdeck', 'other') ?? '']), /not an export/],
  [
    'a later version',
    (lines) => signed([lines[0]?.replace('"formatVersion":1', '"formatVersion":3') ?? '']),
    /version/,
  ],
  ['an unknown line', (lines) => signed([lines[0] ?? '', '{"kind":"secret"}']), /line 2/],
  ['a message without its room', (lines) => signed([lines[0] ?? '', lines[5] ?? '']), /follow its room/],
  [
    'a message of no seq',
    (lines) => signed([...lines.slice(0, 4), lines[4]?.replace('"seq":1', '"seq":0') ?? '']),
    /seq/,
  ],
  ['a room twice', (lines) => signed([lines[0] ?? '', lines[1] ?? '', lines[1] ?? '']), /before/],
];

test('a damaged or invalid export is refused by its line, and nothing of it is written', async (t) => {
  const from = await openRoom(t);
  const to = await openTestRooms(t);
  await to.send('GET', '/api/room');
  const text = await exported(from);
  for (const [damage, change, reason] of DAMAGES) {
    const refused = await bringIn(to, change(linesOf(text)));
    assert.equal(refused.status, 400, `${damage}: ${refused.text}`);
    assert.match(refused.json, reason, damage);
  }
  assert.equal(to.core.writer.pos, 0);
  assert.equal(to.core.state.all('room').size, 0);
});

test('an export for people escapes the text of messages', async (t) => {
  const rooms = await openRoom(t);
  const html = await exported(rooms, '?format=html');
  assert.ok(html.includes('&lt;b&gt;bold&lt;/b&gt; &amp; `code`') && !html.includes('<b>bold'));
  assert.ok(html.includes('<i>deleted</i>') && html.endsWith('</html>\n'));
  const markdown = await rooms.send('GET', '/api/room/ops/export?format=markdown');
  assert.match(markdown.text, /^# Ops\n/);
  assert.match(markdown.text, /\*\*ben\*\* · #2 .*edited/);
  assert.equal(markdown.headers.get('content-disposition'), 'attachment; filename="ops.md"');
});

test('an export may be of a period', async (t) => {
  const rooms = await openRoom(t);
  const none = linesOf(await exported(rooms, '?to=2001-01-01'));
  assert.equal(JSON.parse(none.at(-1) ?? '').messages, 0);
  const all = linesOf(await exported(rooms, '?from=2001-01-01T00:00:00Z'));
  assert.equal(JSON.parse(all.at(-1) ?? '').messages, 4);
  for (const query of ['?from=yesterday', '?from=2026-11-31', '?format=pdf', '?colour=red'])
    assert.equal((await rooms.send('GET', `/api/room/ops/export${query}`)).status, 400, query);
});

test('moderators export, and admins of the server import', async (t) => {
  const { send } = await openPeople(t, ['ana', 'ben']);
  await send('POST', '/api/room', { as: 'ana', body: { name: 'Ops', members: ['ben'] } });
  assert.equal((await send('GET', '/api/room/ops/export', { as: 'ben' })).status, 403);
  assert.equal((await send('GET', '/api/room/ops/export', { as: 'ana' })).status, 200);
  const token = await send('POST', '/api/token', { as: 'ana', body: { name: 'x', scopes: ['read', 'manage'] } });
  const headers = { authorization: `Bearer ${token.json.secret}` };
  const without = await send('GET', '/api/room/ops/export', { as: 'ana', headers });
  assert.equal(without.headers.get('x-error-code'), 'scope_missing');
  const headersOfImport = { 'content-type': 'application/x-ndjson' };
  assert.equal((await send('POST', '/api/import', { as: 'ana', body: 'x\n', headers: headersOfImport })).status, 403);
  assert.equal((await send('POST', '/api/import', { body: 'x\n', headers: headersOfImport })).status, 400);
  assert.equal((await send('POST', '/api/import', { body: 'x\n' })).status, 415);
});

test('an import adds cards of alerts, and no false ones', async (t) => {
  const from = await openRoom(t);
  const hook = { direction: 'incoming', roomId: 'ops', name: 'Alerts' };
  const { path } = (await from.send('POST', '/api/hook', { as: 'ana', body: hook })).json;
  const alerts = [{ status: 'firing', labels: { alertname: 'DiskFull' }, startsAt: '2030-01-02T08:00:00Z' }];
  const notification = { groupKey: 'g', receiver: 'ops', status: 'firing', groupLabels: {}, commonLabels: {}, alerts };
  const { id } = (await from.send('POST', path, { body: notification })).json;
  const { card } = (await from.send('GET', `/api/message/${id}`, { as: 'ana' })).json;
  const lines = linesOf(await exported(from)).slice(0, -1);
  const forged = [
    { card },
    { type: 'alert', card },
    { type: 'alert', card: { kind: 'alert' } },
    { card: { kind: 'command' } },
  ];
  const changed = lines.map((line, index) => {
    const { kind, message } = JSON.parse(line);
    if (kind !== 'message' || message.id === id) return line;
    return JSON.stringify({ kind, message: { ...message, ...forged[index % forged.length] } });
  });
  const to = await openTestRooms(t);
  const answer = await bringIn(to, signed(changed));
  assert.equal(answer.status, 200, answer.text);
  const { messages } = (await to.send('GET', `/api/room/${JSON.parse(lines[1] ?? '').room.id}/message`, { as: 'ana' }))
    .json;
  const cards = messages.filter((message: { card: unknown }) => message.card !== null);
  assert.deepEqual(
    cards.map((message: { id: string; card: unknown }) => [message.id, message.card]),
    [[id, card]],
  );
  assert.equal(messages.length, 5);
});
