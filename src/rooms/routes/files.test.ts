import assert from 'node:assert/strict';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '../../kernel/clock.ts';
import { listen } from '../../kernel/http/server.ts';
import { eventually } from '../../testing/eventually.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import type { Cleanup } from '../../testing/processes.ts';
import { openTestRooms, type TestRooms, type TestRoomsOptions } from '../testing/app.ts';
import { openPeople } from '../testing/people.ts';

const PNG = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x80\0\0\x01\xe0\x08\x06\0\0\0', 'latin1');

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly json: any;
}

async function ask(rooms: TestRooms, method: string, path: string, init: RequestInit = {}): Promise<Answer> {
  const headers = { host: '127.0.0.1:8065', 'x-opsdeck-user': 'ana', ...(init.headers as Record<string, string>) };
  const answer = await rooms.rooms.app.request(`http://127.0.0.1:8065${path}`, { ...init, method, headers });
  const bytes = Buffer.from(await answer.arrayBuffer());
  const isJson = answer.headers.get('content-type')?.startsWith('application/json');
  return {
    status: answer.status,
    headers: answer.headers,
    bytes,
    json: isJson ? JSON.parse(bytes.toString()) : undefined,
  };
}

const upload = (rooms: TestRooms, body: Buffer | string, name = 'a.txt', type = 'application/octet-stream') =>
  ask(rooms, 'POST', '/api/file', { body, headers: { 'content-type': type, 'x-file-name': encodeURIComponent(name) } });

/** The files on disk: their names, the hashes of their contents, and incomplete ones. */
function filesIn({ folder }: TestRooms): readonly string[] {
  const root = join(folder, 'files');
  try {
    return readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
      statSync(join(root, name)).isFile(),
    );
  } catch {
    return [];
  }
}

/** The same rooms on a port, for tests that need a real connection. */
async function onPort(t: Cleanup, given: TestRoomsOptions = {}): Promise<{ rooms: TestRooms; port: number }> {
  const rooms = await openTestRooms(t, given);
  const listener = await listen({
    fetch: rooms.rooms.app.fetch,
    addresses: [{ host: '127.0.0.1', port: 0 }],
    clock: systemClock,
    endStreams: async () => {},
  });
  t.after(() => listener.close(1_000));
  return { rooms, port: Number(new URL(listener.url).port) };
}

test('a file is accepted raw, stored by its content and returned unchanged', async (t) => {
  const rooms = await openTestRooms(t);
  const { status, headers, json } = await upload(rooms, PNG, 'Bild é.png');
  assert.equal(status, 201);
  assert.equal(headers.get('location'), `/api/file/${json.id}`);
  const { name, size, contentType, width, height, uploadedBy, sha256 } = json;
  assert.deepEqual(
    { name, size, contentType, width, height, uploadedBy },
    { name: 'Bild é.png', size: PNG.length, contentType: 'image/png', width: 640, height: 480, uploadedBy: 'ana' },
  );
  await upload(rooms, PNG, 'again.png');
  assert.deepEqual(filesIn(rooms), [join(sha256.slice(0, 2), sha256)]);
  const read = await ask(rooms, 'GET', `/api/file/${json.id}`);
  assert.deepEqual([read.status, read.bytes.equals(PNG)], [200, true]);
  assert.equal(read.headers.get('content-type'), 'image/png');
  assert.equal(
    read.headers.get('content-disposition'),
    `inline; filename="Bild _.png"; filename*=UTF-8''Bild%20%C3%A9.png`,
  );
  assert.equal(read.headers.get('x-content-type-options'), 'nosniff');
  assert.match(read.headers.get('content-security-policy') ?? '', /^sandbox/);
  const head = await ask(rooms, 'HEAD', `/api/file/${json.id}`);
  assert.deepEqual([head.status, head.headers.get('content-length'), head.bytes.length], [200, String(PNG.length), 0]);
});

test('a file is read from a form', async (t) => {
  const rooms = await openTestRooms(t);
  const form = new FormData();
  form.set('note', 'x');
  form.set('file', new File([PNG], '../../etc/Grüße.png', { type: 'text/html' }));
  const { status, json } = await ask(rooms, 'POST', '/api/file', { body: form });
  assert.deepEqual([status, json.name, json.contentType, json.size], [201, 'Grüße.png', 'image/png', PNG.length]);
  const none = new FormData();
  none.set('other', new File([PNG], 'x.png'));
  const refused = await ask(rooms, 'POST', '/api/file', { body: none });
  assert.deepEqual([refused.status, refused.headers.get('x-error-code')], [400, 'invalid_body']);
});

test('no file that a browser would run is shown in place, under any name', async (t) => {
  const rooms = await openTestRooms(t);
  for (const [body, name, type] of [
    ['<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', 'x.png', 'image/png'],
    ['<?xml version="1.0"?><svg onload="alert(1)"/>', 'x.svg', 'image/svg+xml'],
    ['<!doctype html><script>alert(1)</script>', 'x.html', 'text/html'],
    ['%PDF-1.7', 'x.pdf', 'application/pdf'],
    [Buffer.from([0, 1, 2]), 'x.png', 'image/png'],
  ] as const) {
    const { json } = await upload(rooms, body, name, type);
    const { headers } = await ask(rooms, 'GET', `/api/file/${json.id}`);
    assert.match(headers.get('content-disposition') ?? '', /^attachment; /, name);
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.match(headers.get('content-security-policy') ?? '', /^sandbox/);
  }
  const script = await upload(rooms, 'alert(1)', 'x.js', 'text/javascript');
  const { headers } = await ask(rooms, 'GET', `/api/file/${script.json.id}`);
  assert.equal(headers.get('content-type'), 'text/plain; charset=utf-8');
});

test('a name cannot break out of a header', async (t) => {
  const rooms = await openTestRooms(t);
  const { json } = await upload(rooms, 'x', 'a"; filename=b\r\nset-cookie: x=1;\\.txt');
  const { headers } = await ask(rooms, 'GET', `/api/file/${json.id}`);
  assert.equal(headers.get('set-cookie'), null);
  assert.match(headers.get('content-disposition') ?? '', /^inline; filename="[^"]*"; filename\*=UTF-8''[\w.%-]+$/);
});

test('a range of a file is sent on request, and a known file is not sent again', async (t) => {
  const rooms = await openTestRooms(t);
  const { json } = await upload(rooms, '0123456789');
  const path = `/api/file/${json.id}`;
  const part = await ask(rooms, 'GET', path, { headers: { range: 'bytes=2-4' } });
  assert.deepEqual(
    [part.status, part.bytes.toString(), part.headers.get('content-range')],
    [206, '234', 'bytes 2-4/10'],
  );
  const over = await ask(rooms, 'GET', path, { headers: { range: 'bytes=10-' } });
  assert.deepEqual([over.status, over.headers.get('content-range')], [416, 'bytes */10']);
  const etag = part.headers.get('etag') ?? '';
  assert.equal((await ask(rooms, 'GET', path, { headers: { range: 'bytes=2-4', 'if-range': '"x"' } })).status, 200);
  assert.equal((await ask(rooms, 'GET', path, { headers: { 'if-none-match': etag } })).status, 304);
  const empty = await upload(rooms, '');
  assert.equal((await ask(rooms, 'GET', `/api/file/${empty.json.id}`)).bytes.length, 0);
});

test('a file is readable for its sender, and for readers of a message with it', async (t) => {
  const people = await openPeople(t, ['ana', 'ben', 'kim']);
  await people.send('POST', '/api/room', { as: 'ana', body: { name: 'ops', visibility: 'private', members: ['ben'] } });
  const file = (await people.send('POST', '/api/file', { as: 'ana', body: 'secret' })).json;
  const see = async (as: string) => (await people.send('GET', `/api/file/${file.id}`, { as })).status;
  const seen = async () => [await see('ana'), await see('ben'), await see('kim'), await see('admin')];
  assert.deepEqual(await seen(), [200, 404, 404, 200]);
  const attach = (as: string) => people.send('POST', '/api/room/ops/message', { as, body: { attachments: [file.id] } });
  assert.deepEqual(
    [(await attach('ben')).status, (await attach('ben')).headers.get('x-error-code')],
    [400, 'invalid_body'],
  );
  const posted = await attach('ana');
  assert.deepEqual([posted.status, posted.json.attachments], [201, [file]]);
  assert.deepEqual(await seen(), [200, 200, 404, 200]);
  assert.equal((await attach('ben')).status, 201);
  const none = await people.send('GET', '/api/file/no-such-file', { as: 'kim' });
  const hidden = await people.send('GET', `/api/file/${file.id}`, { as: 'kim' });
  assert.equal(hidden.text.replace(file.id, ''), none.text.replace('no-such-file', ''));
});

test('a file without a message is removed after 24 h, a file of a message with the message', async (t) => {
  const clock = new FakeClock();
  const rooms = await openTestRooms(t, { clock });
  await rooms.send('POST', '/api/room', { as: 'ana', body: { name: 'ops' } });
  const loose = (await upload(rooms, 'loose')).json;
  const held = (await upload(rooms, 'held')).json;
  const twin = (await upload(rooms, 'held')).json;
  const message = await rooms.send('POST', '/api/room/ops/message', { as: 'ana', body: { attachments: [held.id] } });
  const statuses = async () => {
    const answers = [loose, held, twin].map(({ id }) => ask(rooms, 'GET', `/api/file/${id}`));
    return (await Promise.all(answers)).map(({ status }) => status);
  };
  clock.advance(23 * 3_600_000);
  assert.deepEqual(await statuses(), [200, 200, 200]);
  clock.advance(2 * 3_600_000);
  await eventually('orphans go', async () => String(await statuses()) === '404,200,404');
  assert.deepEqual(filesIn(rooms), [join(held.sha256.slice(0, 2), held.sha256)]);
  await rooms.send('DELETE', `/api/message/${message.json.id}`, { as: 'ana' });
  clock.advance(3_600_000);
  await eventually('the file of the deleted message goes', async () => String(await statuses()) === '404,404,404');
  await eventually('its bytes go', () => filesIn(rooms).length === 0);
});

test('a file over the limit is refused, announced or not, and nothing of it stays', async (t) => {
  const { rooms, port } = await onPort(t, { options: { maxUploadBytes: 100_000 } });
  assert.equal((await upload(rooms, Buffer.alloc(100_000, 1))).status, 201);
  assert.equal((await upload(rooms, Buffer.alloc(100_001, 2))).status, 413);
  const before = filesIn(rooms).length;
  for (const headers of [{ 'content-length': '10000000' }, { 'transfer-encoding': 'chunked' }]) {
    const status = await new Promise((done, fail) => {
      const sent = request({ port, host: '127.0.0.1', method: 'POST', path: '/api/file', headers }, (answer) => {
        done(answer.statusCode);
        // The rest of the body is still on its way.
        sent.destroy();
      });
      sent.on('error', fail);
      sent.on('socket', (socket) => socket.on('error', () => {}));
      sent.end(Buffer.alloc(10_000_000, 3));
    });
    assert.equal(status, 413);
  }
  assert.equal(filesIn(rooms).length, before);
});

test('an upload that is cut off leaves nothing', async (t) => {
  const { rooms, port } = await onPort(t);
  for (const type of ['application/octet-stream', 'multipart/form-data; boundary=b']) {
    const headers = { 'content-type': type, 'content-length': '1000000' };
    const sent = request({ port, host: '127.0.0.1', method: 'POST', path: '/api/file', headers });
    sent.on('error', () => {});
    sent.write(`--b\r\ncontent-disposition: form-data; name="file"; filename="x"\r\n\r\n${'x'.repeat(100_000)}`);
    await eventually('the upload begins', () => filesIn(rooms).length === 1);
    sent.destroy();
    await eventually('it leaves nothing', () => filesIn(rooms).length === 0);
  }
});

test('an incomplete file of a dead process is gone at the next start', async (t) => {
  const rooms = await openTestRooms(t);
  await upload(rooms, 'x');
  writeFileSync(join(rooms.folder, 'files', 'incoming', 'half'), 'x');
  const again = await rooms.restart();
  await eventually('it goes', () => filesIn(again).length === 1);
});

test('a read-only server accepts no files', async (t) => {
  const readOnly = await openTestRooms(t, { options: { readOnly: true } });
  const answer = await readOnly.send('POST', '/api/file', { as: 'ana', body: 'x' });
  assert.equal(answer.status, 503);
  assert.deepEqual(filesIn(readOnly), []);
});
