import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Cleanup } from '../../testing/processes.ts';
import { decidePost } from '../domain/message/post.ts';
import { SCOPES } from '../domain/token/token.ts';
import { openPeople, type TestPeople } from '../testing/people.ts';

const RESERVED = ['alert-0123456789', 'answer-0123456789', 'hook-0123456789'];

async function openRoom(t: Cleanup): Promise<TestPeople & { readonly path: string }> {
  const people = await openPeople(t, ['ana', 'bot:robot', 'bridge:gate']);
  const body = { name: 'Ops', members: ['robot', 'gate'] };
  await people.send('POST', '/api/room', { as: 'ana', body });
  const hook = { direction: 'incoming', roomId: 'ops', name: 'In', kind: 'json' };
  const { path } = (await people.send('POST', '/api/hook', { as: 'ana', body: hook })).json;
  return { ...people, path };
}

for (const id of RESERVED)
  test(`the id ${id} is reserved for the server, on every path and for every caller`, async (t) => {
    const { send, path } = await openRoom(t);
    const ways = [
      ...['ana', 'robot', 'gate', 'admin'].map((as) => ({
        as,
        url: '/api/room/ops/message',
        body: { id, body: 'x' },
      })),
      { as: 'ana', url: '/api/message', body: { id, roomId: 'ops', body: 'x' } },
      { as: 'ana', url: '/api/room/ops/message', body: 'plain words', headers: { 'x-message-id': id } },
      { as: 'ana', url: '/api/room/ops/message', body: { id, body: '/ask who am I?' } },
      { as: 'ana', url: '/api/room/ops/message', body: { id, body: '/help' } },
      { as: 'admin', url: path, body: { id, text: 'x' } },
    ];
    for (const { url, ...parts } of ways) {
      const refused = await send('POST', url, parts);
      assert.equal(refused.status, 400, `${JSON.stringify(parts)}: ${refused.text}`);
      assert.match(refused.json, /^id: .*alert-, answer-, hook-/);
    }
    assert.equal((await send('GET', `/api/message/${id}`)).status, 404);
  });

test('an earlier message with such an id is recognised, and edited by its author', async (t) => {
  const { send, core } = await openRoom(t);
  const ana = core.state.get('user', 'ana');
  assert.ok(ana);
  const caller = {
    kind: 'user' as const,
    user: ana,
    isAdmin: false,
    scopes: new Set(SCOPES),
    roomIds: null,
    tokenId: null,
    expiresAt: null,
  };
  const [id = ''] = RESERVED;
  const words = {
    type: 'text',
    body: 'x',
    format: 'markdown',
    replyTo: null,
    threadId: null,
    alsoInRoom: false,
  } as const;
  const rest = { attachments: [], card: null, silent: false, status: 'complete', run: null, byServer: true } as const;
  const rules = { maxBodyBytes: 1_000, joinOnPost: false };
  const draft = { ...words, ...rest, id, room: 'ops' };
  await core.writer.submit({ decide: (view) => decidePost(view, caller, draft, new Map(), rules) });
  const again = await send('POST', '/api/room/ops/message', { as: 'ana', body: { id, body: 'x' } });
  assert.deepEqual([again.status, again.headers.get('idempotent-replay')], [200, 'true'], again.text);
  const edited = await send('PUT', `/api/message/${id}`, { as: 'ana', body: { body: 'y' } });
  assert.deepEqual([edited.status, edited.json.body], [200, 'y'], edited.text);
  const taken = await send('POST', '/api/room/ops/message', { as: 'robot', body: { id, body: 'x' } });
  assert.equal(taken.headers.get('x-error-code'), 'id_conflict');
});

for (const kind of ['alert', 'command'])
  test(`a card of the kind ${kind} is the server's to make`, async (t) => {
    const { send, path } = await openRoom(t);
    const card = { kind };
    for (const as of ['robot', 'gate', 'admin'])
      for (const type of ['alert', 'command', 'text']) {
        const body = { type, body: 'x', card };
        const refused = await send('POST', '/api/room/ops/message', { as, body });
        assert.equal(refused.status, 400, `${as}: ${refused.text}`);
        assert.match(refused.json, /^card: .*kind/);
      }
    assert.equal((await send('POST', path, { body: { text: 'x', card } })).status, 400);
    const own = await send('POST', '/api/room/ops/message', {
      as: 'robot',
      body: { type: 'alert', body: 'x', card: { kind: 'deploy' } },
    });
    assert.equal(own.status, 201, own.text);
    const edited = await send('PUT', `/api/message/${own.json.id}`, { as: 'robot', body: { body: 'x', card } });
    assert.equal(edited.status, 400, edited.text);
    const kept = await send('PUT', `/api/message/${own.json.id}`, { as: 'robot', body: { body: 'y' } });
    assert.deepEqual([kept.status, kept.json.card], [200, { kind: 'deploy' }]);
  });
