import assert from 'node:assert/strict';
import test from 'node:test';
import { fill, ROWS, type Row } from '../testing/routes.ts';
import { CALLERS, type CallerName, openWorlds, type TestWorlds, type World } from '../testing/world.ts';

/** Tested separately: they end objects of the table, or need a connection. */
const ELSEWHERE = new Set(['POST /api/session', 'DELETE /api/session', 'POST /api/hook/{id}/redeliver']);
const SIGNED_IN: readonly CallerName[] = ['outsider', 'guest', 'member', 'bot', 'moderator', 'owner', 'server'];

function ask(worlds: TestWorlds, row: Row, world: World, by: CallerName, headers: Record<string, string> = {}) {
  const body = row.body === undefined ? undefined : JSON.parse(fill(JSON.stringify(row.body), world));
  const parts = { by, headers: { ...row.headers, ...headers }, ...(body === undefined ? {} : { body }) };
  return passTime(worlds, worlds.send(row.method, fill(row.path, world), parts), row.path.endsWith('/test'));
}

/** Moves the clock until there is an answer, since a request may wait for later messages. */
async function passTime<T>({ clock }: TestWorlds, answer: Promise<T>, waits: boolean): Promise<T> {
  let isThere = !waits;
  const noted = answer.finally(() => {
    isThere = true;
  });
  while (!isThere) {
    await new Promise((done) => setTimeout(done, 2));
    clock.advance(1);
  }
  return noted;
}

/** The expected status of a caller; `undefined`: the table has no entry. */
function expected({ scope, answers, elsewhere }: Row, by: CallerName): number | undefined {
  if (scope === 'open') return answers[0];
  if (by === 'nobody' || by === 'gone' || by === 'late') return 401;
  if (by === 'elsewhere' && elsewhere !== undefined) return elsewhere;
  return answers[by === 'elsewhere' ? SIGNED_IN.indexOf('outsider') : SIGNED_IN.indexOf(by)];
}

/** Paths open to a token for another room: they belong to no room, but to its user. */
const OF_ITS_USER = /^\/api\/(token|me)/;

test('the permissions of every role in a private room', async (t) => {
  const worlds = await openWorlds(t);
  const wrong: string[] = [];
  let shared = await worlds.make();
  for (const row of ROWS) {
    for (const by of CALLERS) {
      const wanted = expected(row, by);
      if (wanted === undefined || (by === 'elsewhere' && OF_ITS_USER.test(row.path))) continue;
      const world = shared;
      const { status, text } = await ask(worlds, row, world, by);
      // 20 unknown tokens in a minute would be too many.
      worlds.clock.advance(4000);
      if (status !== wanted)
        wrong.push(`${row.method} ${row.path} by ${by}: ${status} ${text.slice(0, 120)}, not ${wanted}`);
      if (row.changes && status < 300) shared = await worlds.make();
    }
  }
  assert.deepEqual(wrong, []);
});

test('a token does nothing beyond its scopes, whatever the role of its user', async (t) => {
  const worlds = await openWorlds(t);
  const world = await worlds.make();
  const wrong: string[] = [];
  for (const row of ROWS) {
    // Without it a token may remove its own user from a room.
    if (row.scope === 'open' || row.path.includes('?ban')) continue;
    const user = row.scope === 'admin' ? 'server' : 'owner';
    const authorization = `Bearer ${await worlds.lacking(user, row.scope)}`;
    const { status, headers } = await ask(worlds, row, world, 'nobody', { authorization });
    if (status !== 403 || headers.get('x-error-code') !== 'scope_missing')
      wrong.push(`${row.method} ${row.path} without ${row.scope}: ${status} ${headers.get('x-error-code')}`);
  }
  assert.deepEqual(wrong, []);
});

test('the table covers every path and method of the server', async (t) => {
  const worlds = await openWorlds(t);
  const world = await worlds.make();
  const { json } = await worlds.send('GET', '/openapi.json');
  const templates = Object.keys(json.paths).map((path) => ({
    path,
    pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
  }));
  const known = new Set(ELSEWHERE);
  for (const { method, path } of ROWS) {
    const [plain = ''] = fill(path, world).split('?');
    const found = templates.filter(({ pattern }) => pattern.test(plain));
    for (const { path: template } of found) known.add(`${method} ${template}`);
  }
  const missing = Object.entries(json.paths as Record<string, object>).flatMap(([path, operations]) =>
    // Other paths are pages, open to all.
    !path.startsWith('/api/')
      ? []
      : Object.keys(operations)
          .filter((name) => ['get', 'post', 'put', 'delete'].includes(name))
          .map((name) => `${name.toUpperCase()} ${path}`)
          .filter((operation) => !known.has(operation)),
  );
  assert.deepEqual(missing, []);
});

test('a reader with history since joining sees nothing earlier, by any path', async (t) => {
  const worlds = await openWorlds(t);
  const { send } = worlds;
  const world = await worlds.make();
  const { room, slug, message, file } = world;
  const body = { name: slug, slug, visibility: 'private', historyVisibility: 'joined' };
  assert.equal((await send('PUT', `/api/room/${room}`, { by: 'owner', body })).status, 200);
  const pinned = await send('PUT', `/api/message/${message}/pin`, { by: 'owner' });
  assert.equal(pinned.status, 200);
  await send('PUT', `/api/room/${room}/member/outsider`, { by: 'owner', body: { role: 'admin' } });
  const hidden: readonly (readonly [string, string, unknown?])[] = [
    ['GET', `/api/message/${message}`],
    ['GET', `/api/message/${message}/history`],
    ['DELETE', `/api/message/${message}`],
    ['PUT', `/api/message/${message}/reaction/x`.replace('x', encodeURIComponent('👍'))],
    ['DELETE', `/api/message/${message}/pin`],
    ['GET', `/api/file/${file}`],
    ['GET', `/api/room/${room}/message?around=${message}`],
    ['GET', `/api/room/${room}/message?thread=${message}`],
    ['POST', `/api/message/${world.alert}/action/ack`],
    ['GET', `/api/run/${world.run}`],
    ['DELETE', `/api/run/${world.run}`],
  ];
  for (const [method, path] of hidden) {
    const answer = await send(method, path, { by: 'outsider' });
    assert.equal(answer.status, 404, `${method} ${path}: ${answer.text}`);
  }
  for (const part of ['threadId', 'replyTo']) {
    const answer = await send('POST', '/api/message', {
      by: 'outsider',
      body: { roomId: room, body: 'x', [part]: message },
    });
    assert.equal(answer.status, 400, `${part}: ${answer.text}`);
  }
  const seen = [
    `/api/room/${room}/message`,
    `/api/room/${room}?messages=50`,
    `/api/search?q=marmalade`,
    '/api/inbox',
    '/api/event/log?since=0&wait=0&limit=500',
    `/api/room/${room}/export`,
    `/api/room/${room}/export?format=html`,
  ];
  for (const path of seen) {
    const answer = await send('GET', path, { by: 'outsider' });
    assert.equal(answer.status, 200, answer.text);
    assert.doesNotMatch(answer.text, /marmalade|it burns|DiskFull/, path);
  }
  const after = await send('POST', '/api/message', {
    by: 'member',
    body: { roomId: room, body: 'new', attachments: [file] },
  });
  assert.equal((await send('GET', `/api/message/${after.json.id}`, { by: 'outsider' })).status, 200);
  assert.equal((await send('GET', `/api/file/${file}`, { by: 'outsider' })).status, 200);
});

test('a token for certain rooms has no rights beyond them, whatever the role of its user', async (t) => {
  const worlds = await openWorlds(t);
  const { send } = worlds;
  const world = await worlds.make();
  const { json: me } = await send('GET', '/api/me');
  const scopes = ['read', 'write', 'react', 'manage', 'copilot', 'hook', 'admin', 'export'];
  const bound = { name: 'bound', userId: me.id, scopes, roomIds: [world.room] };
  const { json } = await send('POST', '/api/token', { body: bound });
  const by = (method: string, path: string, body?: unknown) =>
    send(method, path, {
      by: 'nobody',
      headers: {
        authorization: `Bearer ${json.secret}`,
        ...(path === '/api/import' ? { 'content-type': 'application/x-ndjson' } : {}),
      },
      ...(body === undefined ? {} : { body }),
    });
  assert.equal((await by('GET', `/api/room/${world.room}`)).status, 200);
  assert.equal((await by('GET', `/api/message/${world.message}`)).status, 200);
  const refused: readonly (readonly [string, string, unknown?])[] = [
    ['POST', '/api/backup'],
    ['POST', '/api/import', '{}'],
    ['GET', '/api/audit'],
    ['POST', '/api/user', { id: 'made-by-it' }],
    ['PUT', '/api/user/outsider', { name: 'x', role: 'admin' }],
    ['DELETE', '/api/user/outsider'],
    ['POST', '/api/token', { name: 'x', userId: 'outsider' }],
    ['GET', '/api/provider'],
    ['POST', '/api/provider', { name: 'x', kind: 'echo' }],
    ['POST', '/api/hook', { direction: 'outgoing', name: 'x', url: 'https://example.com/' }],
    [
      'POST',
      '/api/hook',
      { direction: 'outgoing', roomId: world.room, name: 'x', url: 'http://10.0.0.1/', allowPrivate: true },
    ],
    ['POST', '/api/room', { name: 'x' }],
  ];
  for (const [method, path, body] of refused) {
    const answer = await by(method, path, body);
    assert.equal(answer.status, 403, `${method} ${path}: ${answer.text.slice(0, 200)}`);
  }
  const seen = await by('GET', '/api/token');
  assert.deepEqual(
    seen.json.tokens.map(({ id }: { id: string }) => id),
    [json.token.id],
    'of the tokens its own',
  );
  assert.equal((await by('DELETE', `/api/token/${world.token}`)).status, 404);
  const child = await by('POST', '/api/token', { name: 'child' });
  assert.deepEqual(child.json.token.roomIds, [world.room]);
  assert.equal((await by('DELETE', `/api/token/${child.json.token.id}`)).status, 200);
});

test('an archived room accepts nothing, a read-only one only posts of moderators, bots and bridges', async (t) => {
  const worlds = await openWorlds(t);
  const { send } = worlds;
  const world = await worlds.make();
  const own = await send('POST', '/api/message', { by: 'owner', body: { roomId: world.room, body: 'mine' } });
  const close = (state: object) =>
    send('PUT', `/api/room/${world.room}`, { by: 'owner', body: { name: 'x', visibility: 'private', ...state } });
  const writes: readonly (readonly [string, string, unknown?])[] = [
    ['POST', '/api/room/:room/message', 'words'],
    ['POST', '/api/room/:room/typing'],
    ['PUT', `/api/message/${own.json.id}`, { body: 'other' }],
    ['DELETE', '/api/message/:message'],
    ['PUT', '/api/message/:message/reaction/%F0%9F%91%8D'],
    ['PUT', '/api/message/:message/pin'],
    ['POST', '/api/message/:alert/action/ack'],
    ['POST', '/api/hook/:hook/:hookSecret', 'words'],
    ['POST', '/api/room/:room/copilot/run', { prompt: 'x' }],
    ['POST', '/api/run/:run/retry'],
    ['PUT', '/api/room/:room/copilot', { provider: 'echo', instructions: 'x' }],
    ['PUT', '/api/room/:room/member/outsider', { role: 'member' }],
    ['POST', '/api/room/:room/invite', {}],
  ];
  assert.equal((await close({ archived: true })).status, 200);
  const { pos } = worlds.rooms.core.writer;
  for (const [method, path, body] of writes) {
    const answer = await send(method, fill(path, world), { by: 'owner', ...(body === undefined ? {} : { body }) });
    assert.deepEqual([answer.status, answer.headers.get('x-error-code')], [409, 'archived'], `${method} ${path}`);
  }
  assert.equal(worlds.rooms.core.writer.pos, pos);
  for (const path of ['/api/room/:room', '/api/room/:room/message', '/api/message/:message', '/api/file/:file'])
    assert.equal((await send('GET', fill(path, world), { by: 'guest' })).status, 200, path);
  assert.equal((await close({ archived: false, readOnly: true })).status, 200);
  const posts: readonly (readonly [CallerName, number])[] = [
    ['guest', 403],
    ['member', 403],
    ['bot', 201],
    ['moderator', 201],
    ['owner', 201],
    ['server', 201],
  ];
  for (const [by, status] of posts)
    assert.equal((await send('POST', `/api/room/${world.room}/message`, { by, body: 'x' })).status, status, by);
  const edit = await send('PUT', `/api/message/${world.message}`, { by: 'member', body: { body: 'x' } });
  assert.equal(edit.headers.get('x-error-code'), 'read_only_room');
  assert.equal(
    (await send('POST', `/api/hook/${world.hook}/${world.hookSecret}`, { by: 'nobody', body: 'x' })).status,
    201,
  );
});
