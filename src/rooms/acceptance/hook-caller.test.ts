import assert from 'node:assert/strict';
import test from 'node:test';
import type { Caller } from '../domain/caller.ts';
import { copilotCaller } from '../domain/copilot/user.ts';
import { hookCaller } from '../domain/hook/caller.ts';
import { accepted } from '../domain/refusal.ts';
import { SCOPES } from '../domain/token/token.ts';
import { fill, ROWS, type Row } from '../testing/routes.ts';
import { openWorlds, type TestWorlds, type World } from '../testing/world.ts';

/** Not in the table of all routes. */
const OTHER_ROWS: readonly (Pick<Row, 'method' | 'path' | 'body'> & Partial<Row>)[] = [
  { method: 'POST', path: '/api/hook/:hook/redeliver?from=1' },
];

/** The rights of a part of a room on paths for neither members nor moderators nor admins. */
const POSTS = [
  // It is not a member, and does not become one.
  'DELETE /api/room/:room/me',
  'POST /api/room/:room/message',
  'POST /api/message',
  'POST /api/file',
  'POST /api/event/ticket',
];
const REACTS = [
  'PUT /api/message/:message/reaction/%F0%9F%91%8D',
  'DELETE /api/message/:message/reaction/%F0%9F%91%8D',
];

/** The answers to requests of a caller with all scopes, as if no route checked them. */
async function answersTo(worlds: TestWorlds, world: World, caller: Caller): Promise<Map<string, number>> {
  const { guard } = worlds.rooms.core;
  Object.assign(guard, {
    authenticator: { authenticate: () => accepted({ ...caller, scopes: new Set(SCOPES) }) },
  });
  const answers = new Map<string, number>();
  for (const row of [...ROWS, ...OTHER_ROWS]) {
    if (row.scope === 'open' && row.path !== '/api/invite/:invite') continue;
    const body = row.body === undefined ? {} : { body: JSON.parse(fill(JSON.stringify(row.body), world)) };
    const { status } = await worlds.send(row.method, fill(row.path, world), {
      ...body,
      ...(row.headers && { headers: row.headers }),
    });
    const name = `${row.method} ${row.path}`;
    answers.set(name, Math.min(status, answers.get(name) ?? status));
  }
  return answers;
}

const CALLERS: readonly (readonly [string, (world: World) => Caller, readonly string[]])[] = [
  ['hook', ({ hook, room }) => hookCaller({ id: hook, name: 'ci' }, room), POSTS],
  ['copilot', ({ room }) => copilotCaller({ id: room }, { name: 'Copilot' }), [...POSTS, ...REACTS]],
];
for (const [what, callerIn, allowed] of CALLERS) {
  test(`a ${what} with every scope reads and posts in its room, and every route refuses it the rest`, async (t) => {
    const worlds = await openWorlds(t);
    const world = await worlds.make();
    const answers = await answersTo(worlds, world, callerIn(world));
    const changed = [...answers].filter(([name, status]) => !name.startsWith('GET ') && status < 400);
    assert.deepEqual(
      changed.map(([name]) => name),
      [...answers.keys()].filter((name) => allowed.includes(name)),
    );
    // Lists of objects managed by the caller are empty for it.
    const lists = /^GET \/api\/(hook|token|session|provider)$/;
    for (const { method, path, answers: expected } of ROWS) {
      const name = `${method} ${path}`;
      const [, guest = 200] = expected;
      if (method !== 'GET' || guest < 400 || lists.test(name)) continue;
      assert.ok((answers.get(name) ?? 0) >= 400, `${name}: ${answers.get(name)}`);
    }
  });

  test(`a ${what} reaches no other room, public or not`, async (t) => {
    const worlds = await openWorlds(t);
    const [own, other] = [await worlds.make(), await worlds.make()];
    const opened = { name: 'x', visibility: 'public' };
    assert.equal((await worlds.send('PUT', `/api/room/${other.room}`, { body: opened })).status, 200);
    Object.assign(worlds.rooms.core.guard, {
      authenticator: { authenticate: () => accepted({ ...callerIn(own), scopes: new Set(SCOPES) }) },
    });
    const requests: readonly (readonly [string, string, unknown?])[] = [
      ['GET', '/api/room/:room'],
      ['POST', '/api/room/:room/message', 'words'],
      ['POST', '/api/room/:room/join'],
      ['GET', '/api/message/:message'],
    ];
    for (const [method, path, body] of requests) {
      const answer = await worlds.send(method, fill(path, other), body === undefined ? {} : { body });
      assert.equal(answer.status, 404, `${method} ${path}: ${answer.text}`);
    }
  });
}
