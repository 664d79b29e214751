import assert from 'node:assert/strict';
import test from 'node:test';
import { openTestRooms, type TestRooms } from '../testing/app.ts';

interface Resource {
  readonly name: string;
  /** Makes it; answers its path. */
  make(rooms: TestRooms): Promise<string>;
  /** The change made before it is sent back. */
  readonly change?: Readonly<Record<string, unknown>>;
}

const as = 'ana';

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
async function must(rooms: TestRooms, method: string, path: string, body?: unknown): Promise<any> {
  const answer = await rooms.send(method, path, { as, ...(body === undefined ? {} : { body }) });
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.json;
}

const makeRoom = (rooms: TestRooms, more: object = {}) =>
  must(rooms, 'POST', '/api/room', { name: 'Ops', labels: { team: 'payments' }, ...more });

const RESOURCES: readonly Resource[] = [
  {
    name: 'a room',
    change: { topic: 'what burns' },
    async make(rooms) {
      const copilot = { provider: 'echo', instructions: 'be brief', triggerKeywords: ['help'] };
      const { id } = await makeRoom(rooms, { copilot, retention: { days: 30, maxMessages: null }, slowModeSeconds: 5 });
      return `/api/room/${id}`;
    },
  },
  {
    name: 'a message with a file, a reply and a mention',
    change: { body: 'other words, @ben' },
    async make(rooms) {
      await makeRoom(rooms);
      await must(rooms, 'POST', '/api/user', { id: 'ben' });
      const { id: file } = await must(rooms, 'POST', '/api/file', 'bytes');
      const { id: root } = await must(rooms, 'POST', '/api/message', { roomId: 'ops', body: 'root' });
      const words = {
        roomId: 'ops',
        body: 'hello @ben',
        attachments: [file],
        threadId: root,
        replyTo: root,
        silent: true,
      };
      const { id } = await must(rooms, 'POST', '/api/message', words);
      await must(rooms, 'PUT', `/api/message/${id}/reaction/%F0%9F%91%8D`);
      await must(rooms, 'PUT', `/api/message/${id}/pin`);
      return `/api/message/${id}`;
    },
  },
  {
    name: 'a message with a card',
    change: { body: 'it is over' },
    async make(rooms) {
      await makeRoom(rooms);
      const card = { state: 'firing', deep: { list: [1, null, 'x'] } };
      const { id } = await must(rooms, 'POST', '/api/message', { roomId: 'ops', type: 'alert', body: 'x', card });
      return `/api/message/${id}`;
    },
  },
  {
    name: 'a message of a file alone',
    change: { silent: true },
    async make(rooms) {
      await makeRoom(rooms);
      const { id: file } = await must(rooms, 'POST', '/api/file', 'bytes');
      const { id } = await must(rooms, 'POST', '/api/message', { roomId: 'ops', type: 'file', attachments: [file] });
      return `/api/message/${id}`;
    },
  },
  {
    name: 'a member',
    change: { role: 'guest' },
    async make(rooms) {
      await makeRoom(rooms);
      await must(rooms, 'PUT', '/api/room/ops/member/ben', {
        role: 'admin',
        silencedUntil: '2099-01-01T00:00:00.000Z',
      });
      return '/api/room/ops/member/ben';
    },
  },
  {
    name: 'membership of the caller',
    change: { involvement: 'everything' },
    async make(rooms) {
      await makeRoom(rooms);
      await must(rooms, 'PUT', '/api/room/ops/me', { copilot: true, mutedUntil: '2099-01-01T00:00:00.000Z' });
      return '/api/room/ops/me';
    },
  },
  {
    name: 'the copilot of a room',
    change: { instructions: 'be long' },
    async make(rooms) {
      await makeRoom(rooms, { copilot: { provider: 'echo', redact: { patterns: ['\\d{16}'] } } });
      return '/api/room/ops/copilot';
    },
  },
  {
    name: 'an incoming hook',
    change: { name: 'other' },
    async make(rooms) {
      await makeRoom(rooms);
      const hook = { direction: 'incoming', roomId: 'ops', name: 'ci', kind: 'slack' };
      return `/api/hook/${(await must(rooms, 'POST', '/api/hook', hook)).id}`;
    },
  },
  {
    name: 'an outgoing hook',
    change: { name: 'other' },
    async make(rooms) {
      await makeRoom(rooms);
      const url = 'http://127.0.0.1:1/?key=of-somebody';
      const hook = {
        direction: 'outgoing',
        roomId: 'ops',
        name: 'x',
        url,
        events: ['message.*'],
        allowPrivate: true,
        enabled: false,
      };
      return `/api/hook/${(await must(rooms, 'POST', '/api/hook', hook)).id}`;
    },
  },
  {
    name: 'a user',
    change: { name: 'Ben the second' },
    async make(rooms) {
      await must(rooms, 'POST', '/api/user', {
        id: 'ben',
        name: 'Ben',
        kind: 'bot',
        role: 'user',
        avatarColor: '#336699',
      });
      return '/api/user/ben';
    },
  },
  { name: 'the caller', change: { name: 'Ana the first' }, make: async () => '/api/me' },
  {
    name: 'a token',
    change: { name: 'of the night' },
    async make(rooms) {
      const { id } = await makeRoom(rooms);
      const token = { name: 'ci', scopes: ['read', 'write'], roomIds: [id], expiresAt: '2099-01-01T00:00:00.000Z' };
      return `/api/token/${(await must(rooms, 'POST', '/api/token', token)).token.id}`;
    },
  },
  {
    name: 'a provider',
    change: { model: 'other' },
    async make(rooms) {
      const provider = {
        name: 'own',
        kind: 'openai',
        baseUrl: 'https://models.example.com/v1',
        model: 'm',
        apiKey: 'sk-0123456789abcdef',
      };
      await must(rooms, 'POST', '/api/provider', provider);
      return '/api/provider/own';
    },
  },
];

/** Fields that move by themselves, or count changes. */
const MOVING = new Set(['version', 'updatedAt', 'updatedBy', 'lastSeenAt', 'edited', 'mentions', 'lastUsedAt']);
const settled = (json: Record<string, unknown>): object =>
  Object.fromEntries(Object.entries(json).filter(([name]) => !MOVING.has(name)));

/** A member is read in the list of them. */
async function read(rooms: TestRooms, path: string) {
  const [, list, userId] = /^(.*\/member)\/(.+)$/.exec(path) ?? [];
  if (list === undefined) return rooms.send('GET', path, { as });
  const answer = await rooms.send('GET', list, { as });
  return { ...answer, json: answer.json.members.find((member: { userId: string }) => member.userId === userId) };
}

for (const { name, make, change = {} } of RESOURCES) {
  test(`${name} that is read can be sent back, as it is and changed`, async (t) => {
    const rooms = await openTestRooms(t, { options: { durability: 'off' } });
    const path = await make(rooms);
    const before = await read(rooms, path);
    assert.equal(before.status, 200, before.text);
    const same = await rooms.send('PUT', path, { as, body: before.json });
    assert.equal(same.status, 200, same.text);
    const unchanged = await read(rooms, path);
    assert.deepEqual(settled(unchanged.json), settled(before.json));
    assert.equal(unchanged.json.version, before.json.version, 'what changes nothing is no new version');
    assert.deepEqual(settled(same.json), settled(before.json), 'and the answer is what GET shows');
    const changed = await rooms.send('PUT', path, { as, body: { ...before.json, ...change } });
    assert.equal(changed.status, 200, changed.text);
    const after = await read(rooms, path);
    assert.deepEqual(settled(after.json), settled({ ...before.json, ...change }));
    const unknown = await rooms.send('PUT', path, { as, body: { ...before.json, surprise: 1 } });
    assert.deepEqual([unknown.status, unknown.headers.get('x-error-code')], [400, 'unknown_field'], unknown.text);
    assert.match(unknown.text, /surprise/);
  });
}
