import assert from 'node:assert/strict';
import test from 'node:test';
import { openWorlds, type TestWorlds, type World } from '../../testing/world.ts';

/** Ids of absent objects, of the same shape as existing ones. */
const NOWHERE = {
  room: '01890000-0000-7000-8000-000000000000',
  slug: 'no-such-room',
  message: '01890000-0000-7000-8000-000000000005',
  card: '01890000-0000-7000-8000-000000000006',
  alert: 'alert-0123456789abcdef0123456789abcdef',
  run: '01890000-0000-7000-8000-000000000004',
  file: '01890000-0000-7000-8000-000000000001',
  hook: '01890000-0000-7000-8000-000000000002',
  token: '01890000-0000-7000-8000-000000000003',
  invite: 'AAAAAAAAAAAAAAAAAAAAAA',
  hookSecret: 'AAAAAAAAAAAAAAAAAAAAAAAA',
} satisfies World;

/** The objects that the id of a path may name, by the prefix of the path. Other prefixes are classified below. */
const NAMED_BY: Readonly<Record<string, readonly (keyof World)[]>> = {
  '/api/room/{id}': ['room', 'slug'],
  '/api/message/{id}': ['message', 'card', 'alert'],
  '/api/file/{id}': ['file'],
  '/api/run/{id}': ['run'],
  '/api/hook/{id}': ['hook'],
  '/api/token/{id}': ['token'],
};

/** Paths that name no room; a new one is added here after a check that it reaches nothing of a private room. */
const OF_NO_ROOM = new Set([
  '/api/audit',
  '/api/backup',
  '/api/command',
  '/api/event',
  '/api/event/log',
  '/api/event/ticket',
  '/api/file',
  '/api/hook',
  '/api/import',
  '/api/inbox',
  '/api/me',
  '/api/message',
  '/api/provider',
  '/api/provider/{name}',
  '/api/room',
  '/api/search',
  '/api/session',
  '/api/token',
  '/api/user',
  '/api/user/{id}',
  // A valid code, or secret, is itself the permission.
  '/api/invite/{code}',
  '/api/hook/{id}/{secret}',
]);

/** Bodies that would be accepted if the room were the caller's. */
const BODIES: Readonly<Record<string, unknown>> = {
  'PUT /api/room/{id}': { name: 'Taken over' },
  'POST /api/room/{id}/join': undefined,
  'PUT /api/room/{id}/me': { involvement: 'everything' },
  'PUT /api/room/{id}/member/{userId}': { role: 'owner' },
  'PUT /api/room/{id}/read': { seq: 1 },
  'POST /api/room/{id}/typing': undefined,
  'POST /api/room/{id}/invite': {},
  'POST /api/room/{id}/message': 'words of an outsider',
  'PUT /api/room/{id}/copilot': { provider: 'echo' },
  'POST /api/room/{id}/copilot/test': undefined,
  'POST /api/room/{id}/copilot/run': { prompt: 'tell me all' },
  'PUT /api/message/{id}': { body: 'all is fine' },
  'PUT /api/message/{id}/reaction/{emoji}': undefined,
  'PUT /api/message/{id}/pin': undefined,
  'POST /api/message/{id}/action/{name}': undefined,
  'POST /api/run/{id}/retry': undefined,
  'PUT /api/hook/{id}': { name: 'mine', rotateSecret: true },
  'POST /api/hook/{id}/redeliver?from=1': undefined,
  'PUT /api/token/{id}': { name: 'mine' },
};

/** Other parameters of paths; they do not decide on access to the object. */
const OTHERS: Readonly<Record<string, string>> = { userId: 'member', emoji: '%F0%9F%91%8D', name: 'ack' };

/** Requests that name an object of a room elsewhere than in their path. */
const REFERENCES: readonly (readonly [method: string, path: string, body?: unknown])[] = [
  ['GET', '/api/event?rooms=:room'],
  ['GET', '/api/event?rooms=:slug&since=0'],
  ['GET', '/api/event?rooms=lobby,:room'],
  ['GET', '/api/event/log?since=0&wait=0&rooms=:room'],
  ['GET', '/api/event/log?since=0&wait=0&rooms=lobby,:slug'],
  ['GET', '/api/search?q=marmalade&room=:room'],
  ['GET', '/api/search?q=marmalade&room=:slug'],
  ['GET', '/api/search?q=marmalade%20in:slug:'],
  ['GET', '/api/room/lobby/message?around=:message'],
  ['GET', '/api/room/lobby/message?thread=:message'],
  ['GET', '/api/hook?room=:room'],
  ['POST', '/api/message', { roomId: ':room', body: 'x' }],
  ['POST', '/api/message', { roomId: ':slug', body: 'x' }],
  ['POST', '/api/message', { roomId: 'lobby', body: 'x', replyTo: ':message' }],
  ['POST', '/api/message', { roomId: 'lobby', body: 'x', threadId: ':message' }],
  ['POST', '/api/message', { roomId: 'lobby', body: 'x', attachments: [':file'] }],
  ['POST', '/api/room/lobby/copilot/run', { prompt: 'x', messageId: ':message' }],
  ['POST', '/api/room/lobby/copilot/run', { prompt: 'x', threadId: ':message' }],
  ['POST', '/api/hook', { direction: 'incoming', roomId: ':room', name: 'x' }],
  ['POST', '/api/hook', { direction: 'outgoing', roomId: ':room', name: 'x', url: 'https://example.com/' }],
  ['POST', '/api/token', { name: 'x', roomIds: [':room'] }],
  ['PUT', '/api/room/lobby/read', { threadReads: { ':message': 1 } }],
];

interface Attack {
  readonly method: string;
  /** `:room` and the like are replaced by ids of the world. */
  readonly path: string;
  readonly body: unknown;
}

type Operations = Readonly<Record<string, object>>;

/** Every request that names an object of a room; throws for a path or body unknown to the test. */
function attacksOn(paths: Readonly<Record<string, Operations>>): readonly Attack[] {
  const attacks: Attack[] = REFERENCES.map(([method, path, body]) => ({ method, path, body }));
  for (const [template, operations] of Object.entries(paths)) {
    if (!template.startsWith('/api/') || OF_NO_ROOM.has(template)) continue;
    const start = Object.keys(NAMED_BY).find((prefix) => template === prefix || template.startsWith(`${prefix}/`));
    assert.ok(start, `${template} is new: say in this test whether it names something of a room`);
    const rest = template.slice(start.length).replace(/\{(\w+)\}/g, (_, name: string) => {
      assert.ok(OTHERS[name], `${template}: say in this test what stands for ${name}`);
      return OTHERS[name];
    });
    for (const operation of Object.keys(operations)) {
      const method = operation.toUpperCase();
      if (!['GET', 'HEAD', 'POST', 'PUT', 'DELETE'].includes(method)) continue;
      const name = Object.keys(BODIES).find((key) => key.split('?')[0] === `${method} ${template}`);
      assert.ok(
        name !== undefined || !['POST', 'PUT'].includes(method),
        `${method} ${template} is new: say in this test with what body an insider would send it`,
      );
      const query = name?.includes('?') ? name.slice(name.indexOf('?')) : '';
      for (const named of NAMED_BY[start] ?? [])
        attacks.push({
          method,
          path: `${start.replace('{id}', `:${named}`)}${rest}${query}`,
          body: BODIES[name ?? ''],
        });
    }
  }
  return attacks;
}

const fill = (text: string, world: World) =>
  text
    .replace(/:(room|slug|message|card|alert|file|hook|run|token)\b/g, (_, name: keyof World) => world[name])
    .replace('in:slug:', `in:${world.slug}`);

/** The attackers, by their headers. */
async function openAttackers({ send, clock }: TestWorlds): Promise<ReadonlyMap<string, Record<string, string>>> {
  const made = async (method: string, path: string, body: unknown, by: 'owner' | 'server' | 'outsider' | 'guest') => {
    const { status, json, text } = await send(method, path, { by, body });
    assert.ok(status < 300, `${method} ${path}: ${text}`);
    return json;
  };
  const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
  const tokenOf = async (userId: string, more: object = {}) =>
    bearer((await made('POST', '/api/token', { name: 'attack', userId, ...more }, 'server')).secret);
  // A private room of others, with a guest and a member without access to the attacked room.
  const other = await made('POST', '/api/room', { name: 'Other', visibility: 'private' }, 'outsider');
  for (const [id, role] of [
    ['neighbour', 'member'],
    ['visitor', 'guest'],
    ['keeper', 'admin'],
  ] as const) {
    await made('POST', '/api/user', { id }, 'server');
    await made('PUT', `/api/room/${other.id}/member/${id}`, { role }, 'outsider');
  }
  for (const id of ['was-here', 'banned']) await made('POST', '/api/user', { id }, 'server');
  // Events of a message there are sent to a room open to the caller.
  await made('PUT', '/api/room/lobby/copilot', { provider: 'echo', limits: UNLIMITED }, 'server');
  for (const id of ['outsider', 'neighbour', 'visitor', 'keeper', 'was-here', 'banned', 'member', 'owner'])
    await made('PUT', `/api/room/lobby/member/${id}`, { role: 'member' }, 'server');
  const expiresAt = new Date(clock.now() + 1000).toISOString();
  const attackers = new Map<string, Record<string, string>>([
    ['no credentials', {}],
    ['a stranger', await tokenOf('outsider')],
    ['a member of another room', await tokenOf('neighbour')],
    ['a guest of another room', await tokenOf('visitor')],
    ['a moderator of another room', await tokenOf('keeper')],
    ['a member with a token for another room', await tokenOf('member', { roomIds: [other.id] })],
    ['the owner with a token for another room', await tokenOf('owner', { roomIds: [other.id] })],
    [
      'a moderator with a read-only token for another room',
      await tokenOf('moderator', { roomIds: [other.id], scopes: ['read'] }),
    ],
    [EVERY_SCOPE, await tokenOf('outsider', { scopes: ALL_SCOPES })],
    ['a stranger with a read-only token', await tokenOf('outsider', { scopes: ['read'] })],
    ['a disabled user', await tokenOf('was-here')],
    ['whose token has expired', await tokenOf('member', { expiresAt })],
    ['a guessed token', bearer('odr_0000000000000000000000000000000000000000000000')],
    ['a stranger with the name of the owner', { ...(await tokenOf('outsider')), 'x-opsdeck-user': 'owner' }],
    ['an invalid cookie', { cookie: 'opsdeck_session=odr_x; __proto__=x; constructor=y' }],
    ['a banned user', await tokenOf('banned')],
  ]);
  await made('DELETE', '/api/user/was-here', undefined, 'server');
  clock.advance(2000);
  return attackers;
}

const UNLIMITED = { perUserPerHour: 0, perRoomPerHour: 0, tokensPerDay: 0 };
const EVERY_SCOPE = 'a stranger with a token of all scopes';
const ALL_SCOPES = ['read', 'write', 'react', 'manage', 'copilot', 'hook', 'export'];

/** The whole content of the server, except the times of last contact. */
function contentOf({ rooms: { core } }: TestWorlds): string {
  const kinds = ['room', 'slug', 'direct', 'member', 'ban', 'user', 'token', 'invite', 'hook', 'secret'] as const;
  const records = kinds.map((kind) => [kind, [...core.state.all(kind)]]);
  return JSON.stringify([core.writer.pos, records], (_, value) => (value instanceof Set ? [...value] : value));
}

test('a private room answers an outsider as an absent room does, and does not change', async (t) => {
  const worlds = await openWorlds(t);
  const { send, clock } = worlds;
  const attackers = await openAttackers(worlds);
  const world = await worlds.make();
  await send('PUT', `/api/room/${world.room}/member/banned`, { by: 'owner', body: { role: 'member' } });
  await send('DELETE', `/api/room/${world.room}/member/banned?ban=1`, { by: 'owner' });
  const { paths } = (await send('GET', '/openapi.json')).json;
  const attacks = attacksOn(paths);
  assert.ok(attacks.length > 120, `${attacks.length} attacks`);
  const before = contentOf(worlds);
  const withoutNames = (text: string, names: World) =>
    (['room', 'slug', 'message', 'card', 'alert', 'file', 'hook', 'run', 'token'] as const).reduce(
      (left, name) => left.replaceAll(names[name], '…'),
      text,
    );
  const wrong: string[] = [];
  for (const [attacker, headers] of attackers) {
    const asked = async ({ method, path, body }: Attack, names: World) => {
      // The guesses of one attacker must not block the next.
      clock.advance(4000);
      const sent = body === undefined ? {} : { body: JSON.parse(fill(JSON.stringify(body), names)) };
      const answer = await send(method, fill(path, names), { by: 'nobody', headers, ...sent });
      const shown = ['x-error-code', 'content-type', 'etag', 'allow', 'location', 'link', 'retry-after'].map((name) =>
        answer.headers.get(name),
      );
      return { ...answer, summary: withoutNames(`${answer.status} ${shown.join(' ')} ${answer.text}`, names) };
    };
    for (const attack of attacks) {
      const there = await asked(attack, world);
      const nowhere = await asked(attack, NOWHERE);
      const name = `${attack.method} ${attack.path} by ${attacker}`;
      if (there.summary !== nowhere.summary) wrong.push(`${name}: ${there.summary} / ${nowhere.summary}`);
      if (/marmalade w|it burns|DiskFull|words of w/.test(there.text)) wrong.push(`${name} reads ${there.text}`);
      // Refused because of the room, and not for an earlier reason.
      const isOfPath = !REFERENCES.some(([method, path]) => method === attack.method && path === attack.path);
      if (attacker === EVERY_SCOPE && isOfPath && there.status !== 404) wrong.push(`${name}: ${there.summary}`);
    }
    if (contentOf(worlds) !== before) wrong.push(`${attacker} has changed something`);
  }
  assert.deepEqual(wrong, []);
});
