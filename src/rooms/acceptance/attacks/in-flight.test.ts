import assert from 'node:assert/strict';
import { type IncomingMessage, request } from 'node:http';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../../../kernel/clock.ts';
import { listen } from '../../../kernel/http/server.ts';
import { eventually } from '../../../testing/eventually.ts';
import { openPeople } from '../../testing/people.ts';

const TIMEOUT = { timeout: 600_000 };
const SCOPES = ['read', 'write', 'manage', 'export', 'admin', 'hook'];
/** More than all buffers between a server and a client that does not read. */
const LARGE_BYTES = 16 * 2 ** 20;

/** `mallory` is an admin of the server, and about to lose the role. */
async function open(t: TestContext) {
  const people = await openPeople(t, ['owner'], { options: { durability: 'off' } });
  const { app, endStreams } = people.rooms;
  const addresses = [{ host: '127.0.0.1', port: 0 }];
  const listener = await listen({ fetch: app.fetch, addresses, clock: systemClock, endStreams });
  t.after(() => listener.close(0));
  const must = async (method: string, path: string, body?: unknown, as = 'admin') => {
    const answer = await people.send(method, path, { as, ...(body === undefined ? {} : { body }) });
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.json;
  };
  await must('POST', '/api/user', { id: 'mallory', role: 'admin' });
  const { secret, token } = await must('POST', '/api/token', { name: 'm', userId: 'mallory', scopes: SCOPES });
  const room = await must('POST', '/api/room', { name: 'Secret', visibility: 'private' }, 'owner');
  const headers = { authorization: `Bearer ${secret}` };
  return { ...people, url: listener.url, must, room: room.id as string, token: token.id as string, headers };
}
type World = Awaited<ReturnType<typeof open>>;

const demote = ({ must }: World) => must('PUT', '/api/user/mallory', { name: 'Mallory' });
const revoke = ({ must, token }: World) => must('DELETE', `/api/token/${token}`);

/** Sends the head and the first byte of a body, removes the admin's role, and sends the rest. */
async function sendSlowly(world: World, method: string, path: string, body: string, type: string): Promise<number> {
  const sent = request(`${world.url}${path}`, { method, headers: { ...world.headers, 'content-type': type } });
  const status = new Promise<number>((resolve, reject) => {
    sent.on('error', reject).on('response', (answer) => resolve(answer.resume().statusCode ?? 0));
  });
  const seen = async () => (await world.must('GET', '/api/token?user=mallory')).tokens[0].lastUsedAt;
  const before = await seen();
  sent.write(body.slice(0, 1));
  await eventually('the request is authenticated', async () => (await seen()) !== before, { everyMs: 5 });
  await demote(world);
  sent.end(body.slice(1));
  return status;
}

test('a request of an admin does nothing after the role is lost', TIMEOUT, async (t) => {
  const json = 'application/json';
  const header = `{"kind":"header","format":"opsdeck-rooms-export","formatVersion":1}\n`;
  for (const [method, path, body, type = json] of [
    ['POST', '/api/user', { id: 'accomplice', role: 'admin' }],
    ['PUT', '/api/user/mallory', { name: 'Mallory', role: 'admin' }],
    ['POST', '/api/token', { name: 'mine', userId: 'admin', scopes: SCOPES }],
    ['POST', '/api/hook', { direction: 'outgoing', name: 'all', url: 'https://example.com/' }],
    ['PUT', '/api/room/:room', { name: 'Secret', visibility: 'public' }],
    ['PUT', '/api/room/:room/member/mallory', { role: 'owner' }],
    ['POST', '/api/room/:room/message', { body: 'x' }],
    ['POST', '/api/import', header, 'application/x-ndjson'],
  ] as const) {
    const world = await open(t);
    const { users } = await world.must('GET', '/api/user');
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const status = await sendSlowly(world, method, path.replace(':room', world.room), text, type);
    assert.equal(status, 403, `${method} ${path}`);
    assert.equal((await world.must('GET', '/api/user')).users.length, users.length);
    assert.equal((await world.must('GET', '/api/user/mallory')).role, 'user');
    assert.equal((await world.must('GET', `/api/room/${world.room}`, undefined, 'owner')).memberCount, 1);
  }
});

/** Sends a request, removes access while the answer waits to be read, and reads on; returns whether all of it arrived. */
async function readSlowly(world: World, method: string, path: string, lose: (world: World) => Promise<unknown>) {
  const sent = request(`${world.url}${path}`, { method, headers: world.headers }).end();
  const answer = await new Promise<IncomingMessage>((resolve, reject) =>
    sent.on('error', reject).on('response', resolve),
  );
  assert.equal(answer.statusCode, 200, path);
  await lose(world);
  let bytes = 0;
  answer.on('data', (chunk) => {
    bytes += chunk.length;
  });
  answer.on('error', () => {});
  await new Promise((closed) => answer.once('close', closed));
  return { isWhole: answer.complete, bytes };
}

test('a download ends with the right to read the file', TIMEOUT, async (t) => {
  const world = await open(t);
  const { must, room, send } = world;
  const upload = await send('POST', '/api/file', { as: 'owner', body: 'x'.repeat(LARGE_BYTES) });
  assert.equal(upload.status, 201, upload.text);
  const file = upload.json.id;
  await must('POST', '/api/message', { roomId: room, body: 'see', attachments: [file] }, 'owner');
  // Each of these takes six times as much in an export.
  const body = '\u0001'.repeat(60_000);
  await Promise.all(Array.from({ length: 40 }, () => must('POST', '/api/message', { roomId: room, body }, 'owner')));
  const losses: readonly (readonly [string, string, typeof demote])[] = [
    ['GET', `/api/file/${file}`, demote],
    ['GET', `/api/room/${room}/export`, demote],
    ['POST', '/api/backup', demote],
    ['GET', `/api/file/${file}`, revoke],
  ];
  for (const [method, path, lose] of losses) {
    const { isWhole, bytes } = await readSlowly(world, method, path, lose);
    assert.equal(isWhole, false, `${method} ${path}: ${bytes} bytes`);
    await must('PUT', '/api/user/mallory', { name: 'Mallory', role: 'admin' });
  }
});
