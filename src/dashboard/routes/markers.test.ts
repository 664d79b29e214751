import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { PlainResponse } from '../../testing/http/client.ts';
import { RawConnection } from '../../testing/http/raw-connection.ts';
import { startTestDashboard } from '../testing/app.ts';

const MARKER = { id: 'm-1', user: 'info', start: '2026-05-04T09:00:00Z' };
const bodyOf = ({ body }: PlainResponse) => JSON.parse(body) as Record<string, unknown>;

test('section 4.A: PUT /api/markers stores, completes missing fields, keeps unknown ones, and answers the store', async (t) => {
  const { client, folder } = await startTestDashboard(t);
  const document = { version: 1, theme: 'x', markers: [{ ...MARKER, color: 'red' }] };
  const put = await client.send({ method: 'PUT', path: '/api/markers', body: JSON.stringify(document) });
  assert.equal(put.status, 200);
  const stored = bodyOf(put);
  const [marker] = stored.markers as Record<string, unknown>[];
  const { createdAt, updatedAt, ...rest } = marker ?? {};
  assert.deepEqual(rest, { ...MARKER, end: null, project: '', task: '', note: '', color: 'red' });
  assert.ok(Math.abs(Date.parse(String(createdAt)) - Date.now()) < 60_000 && createdAt === updatedAt);
  assert.equal(stored.theme, 'x');
  assert.deepEqual(JSON.parse(readFileSync(join(folder, 'data/project-markers.json'), 'utf8')), stored);
  const got = await client.get('/api/markers');
  assert.deepEqual([bodyOf(got), got.headers.etag], [stored, put.headers.etag]);
});

test('section 4.A: GET /api/markers?user= answers the markers of the user and of all, with a tag that cannot replace the whole', async (t) => {
  const { client } = await startTestDashboard(t);
  const markers = ['info', 'slope', 'all'].map((user) => ({ ...MARKER, id: user, user }));
  await client.send({ method: 'PUT', path: '/api/markers', body: JSON.stringify({ markers }) });
  const part = await client.get('/api/markers?user=info');
  assert.deepEqual(
    (bodyOf(part).markers as { id: string }[]).map(({ id }) => id),
    ['info', 'all'],
  );
  const headers = { 'If-Match': String(part.headers.etag) };
  const replaced = await client.send({ method: 'PUT', path: '/api/markers', headers, body: part.body });
  assert.equal(replaced.status, 412);
  assert.equal((bodyOf(await client.get('/api/markers?user=all')).markers as unknown[]).length, 3);
});

test('two browsers edit: the later one gets the current document', async (t) => {
  const { client } = await startTestDashboard(t);
  const { etag } = (await client.get('/api/markers')).headers;
  const put = (id: string) => {
    const body = JSON.stringify({ version: 1, markers: [{ ...MARKER, id }] });
    return client.send({ method: 'PUT', path: '/api/markers', headers: { 'If-Match': String(etag) }, body });
  };
  const first = await put('first');
  const second = await put('second');
  assert.deepEqual([first.status, second.status], [200, 412]);
  assert.deepEqual([second.body, second.headers.etag], [first.body, first.headers.etag]);
  const known = { method: 'GET', path: '/api/markers', headers: { 'If-None-Match': String(first.headers.etag) } };
  assert.equal((await client.send(known)).status, 304);
});

const BAD_MARKERS: Readonly<Record<string, readonly [unknown, RegExp]>> = {
  'no list': [{ version: 1 }, /markers is missing/],
  'a list alone': [[], /the document|markers/],
  'another version': [{ version: 2, markers: [] }, /version must be 1/],
  'no id': [{ markers: [{ ...MARKER, id: '' }] }, /markers\[0\]\.id/],
  'the same id twice': [{ markers: [MARKER, MARKER] }, /markers\[1\]\.id/],
  'no start': [{ markers: [{ ...MARKER, start: undefined }] }, /markers\[0\]\.start is missing/],
  'an invalid start': [{ markers: [{ ...MARKER, start: 'soon' }] }, /markers\[0\]\.start/],
  'an end before the start': [
    { markers: [{ ...MARKER, end: '2026-05-04T09:00:00Z' }] },
    /markers\[0\]\.end must be later/,
  ],
  'a user that is a number': [{ markers: [{ ...MARKER, user: 1 }] }, /markers\[0\]\.user/],
  'a note that is a list': [{ markers: [{ ...MARKER, note: [] }] }, /markers\[0\]\.note/],
};
for (const [name, [document, reason]] of Object.entries(BAD_MARKERS)) {
  test(`PUT /api/markers with ${name} is a 400 that names the place, and changes nothing`, async (t) => {
    const { client, folder } = await startTestDashboard(t);
    const answer = await client.send({ method: 'PUT', path: '/api/markers', body: JSON.stringify(document) });
    assert.equal(answer.status, 400);
    assert.match(String(bodyOf(answer).error), reason);
    assert.ok(!existsSync(join(folder, 'data')));
  });
}

test('markers that cannot be written are a 500 with a hint', async (t) => {
  const { client, log } = await startTestDashboard(t, {
    files: { 'data/project-markers.json': '{"markers":[]}', 'data/project-markers.json.bak/in-the-way': '' },
  });
  const answer = await client.send({
    method: 'PUT',
    path: '/api/markers',
    body: JSON.stringify({ markers: [MARKER] }),
  });
  assert.deepEqual([answer.status, bodyOf(answer).code], [500, 'write_failed']);
  assert.match(log(), /the markers could not be written/);
});

test('a body of more than 5 MB is a 413, announced or not', async (t) => {
  const { client, url } = await startTestDashboard(t);
  const body = `{"markers":[],"x":"${'x'.repeat(5 * 1024 * 1024)}"}`;
  const announced = await client.send({ method: 'PUT', path: '/api/markers', body });
  assert.deepEqual([announced.status, bodyOf(announced).code], [413, 'body_too_large']);
  const connection = await RawConnection.open(url, { keepBodies: true });
  t.after(() => connection.close());
  const chunk = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  const head = `PUT /api/markers HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n`;
  assert.equal((await connection.exchange('PUT', head + chunk)).status, 413);
});
