import assert from 'node:assert/strict';
import test from 'node:test';
import { systemClock } from '../kernel/clock.ts';
import { listen } from '../kernel/http/server.ts';
import { RawConnection } from '../testing/http/raw-connection.ts';
import { isLongRound } from '../testing/long-round.ts';
import { Random } from '../testing/random.ts';
import { openTestRooms, type TestRooms } from './testing/app.ts';
import { type KnownIds, RoomsFuzzer } from './testing/fuzzer.ts';

/** Of each method and path. */
const REQUESTS = isLongRound ? 200 : 7;
const SEED = 20_260;
/** A seed for each operation, so that a new path leaves the requests of the others as they are. */
const seedOf = (operation: string): number =>
  [...operation].reduce((seed, letter) => (seed * 31 + letter.charCodeAt(0)) >>> 0, SEED);
/** Answers that go on until the client disconnects. */
const STREAMS = new Set(['/api/event', '/api/room/{id}/event', '/api/run/{id}/stream']);

const copilot = {
  enabled: true,
  name: 'helper',
  provider: 'echo',
  trigger: 'mention',
  redact: { patterns: ['\\d{16}', '(a+)+$'] },
};
const room = {
  name: 'Fuzz',
  topic: 'x',
  visibility: 'private',
  labels: { team: 'a' },
  retention: { days: 3, maxMessages: null },
  copilot,
};
const message = {
  body: 'words @ana `x` https://example.com',
  format: 'markdown',
  attachments: ['<file>'],
  silent: false,
};
const post = {
  ...message,
  id: 'an-id-of-mine',
  roomId: '<room/id>',
  replyTo: '<message/id>',
  threadId: '<message/id>',
  card: { a: [1, null] },
};
const alert = {
  version: '4',
  groupKey: '{}:{a="b"}',
  status: 'firing',
  receiver: 'ops',
  groupLabels: { a: 'b' },
  commonLabels: { a: 'b', severity: 'critical' },
  commonAnnotations: { summary: 's' },
  externalURL: 'http://alerts.example.com',
  alerts: [
    {
      status: 'firing',
      labels: { a: 'b' },
      annotations: {},
      startsAt: '2030-01-01T00:00:00Z',
      endsAt: '0001-01-01T00:00:00Z',
      generatorURL: '',
      fingerprint: '01',
    },
  ],
};
const slack = {
  text: 'hi',
  blocks: [{ type: 'section', text: { type: 'mrkdwn', text: '*x*' }, fields: [{ text: 'f' }] }],
  attachments: [{ title: 't', fields: [{ title: 'a', value: 'b' }] }],
};
const provider = { name: 'fuzz', kind: 'echo', model: 'm', allowPrivate: false };
const hook = {
  direction: 'outgoing',
  roomId: '<room/id>',
  name: 'h',
  url: 'https://hooks.invalid/',
  events: ['message.*'],
  enabled: false,
};

const BODIES: Readonly<Record<string, readonly unknown[]>> = {
  'POST /api/message': [post, { roomId: '<room/id>', body: '/silence 2h a=b' }, { roomId: '<room/id>', body: '/help' }],
  'POST /api/room/{id}/message': [post, 'plain words', '/ack'],
  'PUT /api/message/{id}': [message, { body: 'x', card: null }],
  'POST /api/room': [room, { name: 'D', visibility: 'direct', members: ['ben'] }],
  'PUT /api/room/{id}': [room, { copilot: true }, { copilot }, { copilot: null }],
  'PUT /api/room/{id}/copilot': [copilot],
  'POST /api/room/{id}/copilot/run': [{ prompt: 'x', threadId: '<message/id>', private: false }],
  'PUT /api/room/{id}/member/{userId}': [{ role: 'admin', silencedUntil: '2030-01-01T00:00:00Z' }, {}],
  'PUT /api/room/{id}/me': [{ involvement: 'nothing', mutedUntil: null, archived: true, copilot: false }],
  'PUT /api/room/{id}/read': [{ seq: 1, threadReads: { '<message/id>': 1 } }],
  'POST /api/room/{id}/invite': [{ role: 'guest', maxUses: 3, expiresAt: '2030-01-01T00:00:00Z' }],
  'POST /api/import': ['{"type":"header","format":1}\n{"type":"room"}\n', '{}\n'],
  'POST /api/file': [
    'bytes',
    '--b\r\ncontent-disposition: form-data; name="file"; filename="a.svg"\r\n\r\n<svg/>\r\n--b--\r\n',
  ],
  'POST /api/hook': [
    hook,
    { direction: 'incoming', roomId: '<room/id>', name: 'i', kind: 'auto', threadId: '<message/id>' },
  ],
  'PUT /api/hook/{id}': [{ name: 'x', enabled: false, rotateSecret: true }],
  'POST /api/hook/{id}/{secret}': [alert, slack, { text: 'x', id: 'one-of-theirs', card: { a: 1 } }, 'plain words'],
  'POST /api/user': [{ id: 'new-one', name: 'New', kind: 'bot', role: 'user', avatarColor: '#336699' }],
  'PUT /api/user/{id}': [{ name: 'Ben', kind: 'human', role: 'admin' }],
  'PUT /api/me': [{ name: 'Ana' }],
  'POST /api/token': [{ name: 't', scopes: ['read'], roomIds: ['<room/id>'], expiresAt: '2099-01-01T00:00:00Z' }],
  'PUT /api/token/{id}': [{ name: 'u' }],
  'POST /api/session': [{ token: 'odr_x' }, { invite: 'x', name: 'Kim' }],
  'POST /api/provider': [provider],
  'PUT /api/provider/{name}': [provider],
};

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
async function make(rooms: TestRooms, path: string, body: unknown): Promise<any> {
  const { status, json, text } = await rooms.send('POST', path, { as: 'kim', body });
  assert.ok(status < 300, text);
  return json;
}

/** New ones of everything, for requests after one that may have deleted something. */
async function populate(rooms: TestRooms): Promise<KnownIds> {
  for (const user of ['ana', 'ben']) {
    await rooms.send('POST', '/api/user', { as: 'kim', body: { id: user } });
    const whole = { name: user, kind: 'human', role: 'admin', disabled: false };
    await rooms.send('PUT', `/api/user/${user}`, { as: 'kim', body: whole });
  }
  const { id, slug } = await make(rooms, '/api/room', { name: 'Ops', members: ['ben', 'ana'] });
  const file = await make(rooms, '/api/file', 'bytes');
  const said = await make(rooms, '/api/message', { roomId: id, body: 'words', attachments: [file.id] });
  const machine = await make(rooms, '/api/hook', { direction: 'incoming', roomId: id, name: 'x' });
  const fired = await make(rooms, machine.path, alert);
  const invite = await make(rooms, `/api/room/${id}/invite`, {});
  const { token } = await make(rooms, '/api/token', { name: 'x' });
  // The limit of one user.
  const { tokens } = (await rooms.send('GET', '/api/token?user=kim&limit=200', { as: 'kim' })).json;
  for (const old of tokens.slice(0, -10)) await rooms.send('DELETE', `/api/token/${old.id}`, { as: 'kim' });
  await rooms.send('POST', '/api/provider', { as: 'kim', body: provider });
  return {
    'room/id': [id, slug],
    'message/id': [said.id, fired.id],
    'file/id': [file.id],
    file: [file.id],
    'hook/id': [machine.id],
    secret: [machine.secret],
    'user/id': ['ana', 'ben'],
    'token/id': [token.id],
    'run/id': [id],
    userId: ['ana', 'ben'],
    code: [invite.code],
    emoji: ['👍', ':ok:', '👩‍🚒', 'no'],
    name: ['ack', 'silence-1h', 'fuzz', '__proto__'],
  };
}

test('no spoiled request is answered by a fault of the server', { only: isLongRound }, async (t) => {
  const rooms = await openTestRooms(t, { options: { durability: 'off' } });
  const listener = await listen({
    fetch: rooms.rooms.app.fetch,
    addresses: [{ host: '127.0.0.1', port: 0 }],
    clock: systemClock,
    endStreams: rooms.rooms.endStreams,
  });
  t.after(() => listener.close(0));
  const { paths } = (await rooms.send('GET', '/openapi.json')).json as { paths: Record<string, object> };
  const open = () => RawConnection.open(listener.url, { keepBodies: true });
  let connection = await open();
  t.after(() => connection.close());
  const exchange = async (method: string, bytes: Buffer) => {
    try {
      return await connection.exchange(method, bytes);
    } catch {
      // The server may end a connection after an answer; on a new one there is no excuse.
      connection.close();
      connection = await open();
      return connection.exchange(method, bytes);
    }
  };
  const faults: string[] = [];
  const statuses = new Set<number>();
  let [ids, isChanged]: [KnownIds, boolean] = [{}, true];
  for (const [template, operations] of Object.entries(paths)) {
    if (STREAMS.has(template)) continue;
    for (const operation of Object.keys(operations)) {
      const method = operation.toUpperCase();
      if (method === 'PARAMETERS' || method === 'OPTIONS') continue;
      const fuzzer = new RoomsFuzzer(new Random(seedOf(`${method} ${template}`)), BODIES);
      for (let count = 0; count < REQUESTS; count++) {
        if (count % 20 === 0 && isChanged) {
          ids = await populate(rooms);
          isChanged = false;
        }
        const { bytes, target } = fuzzer.next(method, template, ids);
        const { status, body } = await exchange(method, bytes);
        statuses.add(status);
        isChanged ||= method !== 'GET' && status < 300;
        if (status >= 500) faults.push(`${method} ${target}: ${status} ${body}`);
      }
    }
  }
  const log = rooms.log();
  assert.deepEqual(
    [
      faults.slice(0, 20),
      log
        .split('\n')
        .filter((line) => /level=(error|warn)/.test(line))
        .slice(0, 20),
    ],
    [[], []],
  );
  for (const status of [200, 201, 204, 400, 404, 409, 412, 413, 415])
    assert.ok(statuses.has(status), `${status} among them`);
  for (const line of log.split('\n')) assert.doesNotMatch(line, /[^ -~]|odr_\w{20}|whsec_/, 'a line of the log');
  assert.equal(({} as Record<string, unknown>).polluted, undefined);
  const still = await rooms.send('POST', '/api/room', { as: 'kim', body: { name: 'Still there' } });
  assert.equal(still.status, 201, still.text);
});
