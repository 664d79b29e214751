import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { needsPostgres, openTestDatabase } from '../../testing/postgres.ts';
import { temporaryFolder } from '../../testing/processes.ts';
import type { RoomsOptions } from '../config/rooms-options.ts';
import { openTestRooms, type TestRooms } from '../testing/app.ts';

// Several nodes of one database, in this process.

interface Nodes {
  readonly url: string;
  readonly a: TestRooms;
  readonly b: TestRooms;
}

async function openNodes(t: TestContext, options: Partial<RoomsOptions> = {}): Promise<Nodes> {
  const { url } = await openTestDatabase();
  const open = (nodeId: string) => openTestRooms(t, { options: { ...options, nodeId, storageUrl: url } });
  const [a, b] = await Promise.all([open('a'), open('b')]);
  return { url, a, b };
}

async function postTo(node: TestRooms, body: string): Promise<number> {
  const { status, json, text } = await node.send('POST', '/api/room/ops/message', { body: { body } });
  assert.equal(status, 201, text);
  return json.seq;
}

const textsOf = async (node: TestRooms) =>
  (await node.send('GET', '/api/room/ops/message')).json.messages.map(({ body }: { body: string }) => body);

test('a write that one node has acknowledged is in every later answer of another', async (t) => {
  if (!needsPostgres(t)) return;
  const { a, b } = await openNodes(t);
  assert.equal((await a.send('POST', '/api/room', { body: { name: 'Ops' } })).status, 201);
  const sent: string[] = [];
  for (let n = 1; n <= 20; n++) {
    const [writer, reader] = n % 2 === 0 ? [a, b] : [b, a];
    assert.equal(await postTo(writer, `message ${n}`), n);
    sent.push(`message ${n}`);
    assert.deepEqual(await textsOf(reader), sent);
    assert.equal((await reader.send('GET', '/api/room/ops')).json.lastSeq, n);
  }
  const renamed = await b.send('PUT', '/api/room/ops', { body: { name: 'Operations' } });
  assert.equal(renamed.status, 200);
  assert.equal((await a.send('GET', '/api/room/ops')).json.name, 'Operations');
});

test('of nodes that start at once, exactly one shows a token for the admin, which is valid on all', async (t) => {
  if (!needsPostgres(t)) return;
  const { a, b } = await openNodes(t, { auth: 'token' });
  const shown = [a, b].flatMap(({ rooms }) => rooms.firstToken ?? []);
  assert.equal(shown.length, 1);
  const bearer = { headers: { authorization: `Bearer ${shown[0]}` } };
  for (const node of [a, b]) assert.equal((await node.send('GET', '/api/me', bearer)).json.admin, true);
  assert.equal(a.core.state.all('token').size, 1);
});

test('a session or token that ends on one node is refused on the others at once', async (t) => {
  if (!needsPostgres(t)) return;
  const { a, b } = await openNodes(t, { auth: 'token', adminToken: 'the-secret-of-the-admin' });
  const admin = { authorization: 'Bearer the-secret-of-the-admin' };
  for (let n = 0; n < 5; n++) {
    const made = await a.send('POST', '/api/token', { headers: admin, body: { name: `ci ${n}` } });
    const { secret, token } = made.json;
    const signedIn = await b.send('POST', '/api/session', { body: { token: secret } });
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
    const bearer = { headers: { authorization: `Bearer ${secret}` } };
    assert.equal((await b.send('GET', '/api/me', bearer)).status, 200);
    assert.equal((await a.send('GET', '/api/me', { headers: { cookie } })).status, 200);
    assert.equal((await a.send('DELETE', `/api/token/${token.id}`, { headers: admin })).status, 200);
    assert.equal((await b.send('GET', '/api/me', bearer)).status, 401);
    assert.equal((await b.send('GET', '/api/me', { headers: { cookie } })).status, 401);
  }
});

test('a request with an Idempotency-Key that reaches two nodes is served once', async (t) => {
  if (!needsPostgres(t)) return;
  const { a, b } = await openNodes(t);
  await a.send('POST', '/api/room', { body: { name: 'Ops' } });
  const ask = (node: TestRooms, key: string) =>
    node.send('POST', '/api/room/ops/invite', { headers: { 'idempotency-key': key }, body: {} });
  for (const key of ['k1', 'k2', 'k3']) {
    const answers = await Promise.all([ask(a, key), ask(b, key)]);
    const [made] = answers.filter(({ status, headers }) => status === 201 && !headers.has('idempotent-replay'));
    const again = await ask(b, key);
    assert.deepEqual([again.status, again.headers.get('idempotent-replay')], [201, 'true']);
    assert.equal(again.text, made?.text);
  }
  assert.equal((await a.send('GET', '/api/room/ops/invite')).json.invites.length, 3);
});

test('a backup of such rooms is that of their database', async (t) => {
  if (!needsPostgres(t)) return;
  const { a } = await openNodes(t);
  const refused = await a.send('POST', '/api/backup');
  assert.deepEqual([refused.status, refused.headers.get('x-error-code')], [501, 'not_supported']);
  assert.match(refused.json, /pg_dump/);
});

test('a file that one node has taken is there on all, also after it was attached to a message', async (t) => {
  if (!needsPostgres(t)) return;
  for (const filesDir of [undefined, join(temporaryFolder(t), 'files')]) {
    const { a, b } = await openNodes(t, { filesDir });
    await a.send('POST', '/api/room', { body: { name: 'Ops' } });
    const taken = await a.send('POST', '/api/file', { headers: { 'x-file-name': 'a.txt' }, body: 'all is well' });
    assert.equal(taken.status, 201, taken.text);
    const { id } = taken.json;
    const posted = await b.send('POST', '/api/room/ops/message', { body: { body: 'see', attachments: [id] } });
    assert.equal(posted.status, 201, posted.text);
    for (const node of [a, b]) assert.equal((await node.send('GET', `/api/file/${id}`)).text, 'all is well');
    assert.equal(filesDir === undefined || existsSync(filesDir), true);
  }
});
