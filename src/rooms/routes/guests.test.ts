import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FakeClock } from '../../testing/fake/clock.ts';
import type { Cleanup } from '../../testing/processes.ts';
import { openPeople } from '../testing/people.ts';

/**
 * Ana owns the private room deal, in which ben is a member and gus a guest; kim is in the public room lounge alone, and
 * zoe nowhere.
 */
async function open(t: Cleanup) {
  const rooms = await openPeople(t, ['ana', 'ben', 'gus', 'kim', 'zoe'], { clock: new FakeClock() });
  const { send } = rooms;
  await send('POST', '/api/room', { as: 'ana', body: { name: 'Deal', visibility: 'private', members: ['ben'] } });
  await send('PUT', '/api/room/deal/member/gus', { as: 'ana', body: { role: 'guest' } });
  await send('POST', '/api/room', { as: 'kim', body: { name: 'Lounge' } });
  await send('POST', '/api/room/lounge/message', { as: 'kim', body: { body: 'only among ourselves' } });
  const seenBy = async (as: string, query = ''): Promise<string[]> =>
    (await send('GET', `/api/user${query}`, { as })).json.users.map(({ id }: { id: string }) => id);
  const statusOf = async (as: string, id: string) => (await send('GET', `/api/user/${id}`, { as })).status;
  return { ...rooms, seenBy, statusOf };
}
const EVERYBODY = ['admin', 'ana', 'ben', 'gus', 'kim', 'zoe'];

describe('a guest', () => {
  test('sees only people of rooms in common', async (t) => {
    const { seenBy, statusOf, send } = await open(t);
    assert.deepEqual(await seenBy('gus'), ['ana', 'ben', 'gus']);
    assert.deepEqual(await seenBy('gus', '?q=k'), []);
    assert.deepEqual(await seenBy('gus', '?limit=2'), ['ana', 'ben']);
    const { next } = (await send('GET', '/api/user?limit=2', { as: 'gus' })).json;
    assert.deepEqual(await seenBy('gus', `?limit=2&next=${next}`), ['gus']);
    for (const id of ['ana', 'ben', 'gus']) assert.equal(await statusOf('gus', id), 200, id);
    for (const id of ['kim', 'zoe', 'admin']) {
      const hidden = await send('GET', `/api/user/${id}`, { as: 'gus' });
      const absent = await send('GET', '/api/user/nobody', { as: 'gus' });
      assert.deepEqual([hidden.status, hidden.text], [404, absent.text.replace('nobody', id)]);
    }
  });

  test('stays a guest after a direct message', async (t) => {
    const { send, seenBy } = await open(t);
    const direct = { visibility: 'direct', members: ['gus'] };
    for (const as of ['ana', 'zoe']) assert.equal((await send('POST', '/api/room', { as, body: direct })).status, 201);
    assert.deepEqual(await seenBy('gus'), ['ana', 'ben', 'gus', 'zoe']);
    await send('DELETE', '/api/room/deal/me', { as: 'gus' });
    assert.deepEqual(await seenBy('gus'), ['ana', 'gus', 'zoe']);
    await send('POST', '/api/room', { as: 'ben', body: direct });
    assert.deepEqual(await seenBy('gus'), ['ana', 'ben', 'gus', 'zoe']);
    assert.deepEqual(await seenBy('zoe'), EVERYBODY);
  });

  test('is the only role with hidden people', async (t) => {
    const { seenBy } = await open(t);
    for (const as of ['admin', 'ana', 'ben', 'kim', 'zoe']) assert.deepEqual(await seenBy(as), EVERYBODY, as);
  });

  test('does not meet others in public rooms', async (t) => {
    const { send, seenBy } = await open(t);
    for (const [method, path] of [
      ['GET', '/api/room/lounge'],
      ['GET', '/api/room/lounge/member'],
      ['GET', '/api/room/lounge/member/kim'],
      ['GET', '/api/room/lounge/presence'],
      ['GET', '/api/room/lounge/message'],
      ['GET', '/api/event/log?rooms=lounge'],
      ['POST', '/api/room/lounge/join'],
    ] as const)
      assert.equal((await send(method, path, { as: 'gus' })).status, 404, path);
    const list = await send('GET', '/api/room', { as: 'gus' });
    assert.deepEqual(
      list.json.rooms.map(({ slug }: { slug: string }) => slug),
      ['deal'],
    );
    const log = await send('GET', '/api/event/log?since=0&wait=0', { as: 'gus' });
    assert.ok(log.text.includes('"deal"') && !log.text.includes('kim'), log.text);
    const found = await send('GET', '/api/search?q=ourselves', { as: 'gus' });
    assert.ok(!found.text.includes('ourselves'), found.text);
    assert.deepEqual(await seenBy('gus'), ['ana', 'ben', 'gus']);
    const { json } = await send('GET', '/api/room/lounge/member', { as: 'zoe' });
    assert.equal(json.members.length, 1);
  });

  test('makes no rooms, and so neither rises nor finds out other users', async (t) => {
    const { send, statusOf } = await open(t);
    for (const body of [
      { name: 'Own' },
      { name: 'Own', members: ['kim'] },
      { name: 'Own', members: ['nobody'] },
      { visibility: 'direct', members: ['kim'] },
    ]) {
      const made = await send('POST', '/api/room', { as: 'gus', body });
      assert.deepEqual([made.status, made.json], [403, 'guests cannot create rooms; ask a member']);
    }
    assert.equal(await statusOf('gus', 'kim'), 404);
  });

  test('stays one after leaving, a removal, or the end of the room', async (t) => {
    for (const away of ['leave', 'kick', 'ban', 'purge']) {
      const { send, seenBy, statusOf, rooms } = await open(t);
      if (away === 'leave') await send('DELETE', '/api/room/deal/me', { as: 'gus' });
      else if (away === 'purge') await send('DELETE', '/api/room/deal?purge=now');
      else await send('DELETE', `/api/room/deal/member/gus${away === 'ban' ? '?ban=true' : ''}`, { as: 'ana' });
      assert.ok(rooms);
      assert.deepEqual(await seenBy('gus'), ['gus'], away);
      assert.equal(await statusOf('gus', 'ana'), 404, away);
      assert.equal((await send('POST', '/api/room/lounge/join', { as: 'gus' })).status, 404, away);
      assert.equal((await send('POST', '/api/room', { as: 'gus', body: { name: 'Own' } })).status, 403, away);
    }
  });

  test('is no guest any more after a higher role, until made one again', async (t) => {
    const { send, seenBy } = await open(t);
    await send('DELETE', '/api/room/deal/me', { as: 'gus' });
    assert.equal((await send('PUT', '/api/room/lounge/member/gus', { as: 'kim', body: {} })).status, 201);
    assert.deepEqual(await seenBy('gus'), EVERYBODY);
    await send('DELETE', '/api/room/lounge/me', { as: 'gus' });
    assert.deepEqual(await seenBy('gus'), EVERYBODY);
    await send('PUT', '/api/room/deal/member/gus', { as: 'ana', body: { role: 'guest' } });
    assert.deepEqual(await seenBy('gus'), ['ana', 'ben', 'gus']);
    await send('PUT', '/api/room/deal/member/gus', { as: 'ana', body: { role: 'member' } });
    assert.deepEqual(await seenBy('gus'), EVERYBODY);
  });

  test('is the role of an invite for guests, until another invite gives more', async (t) => {
    const { send, rooms } = await open(t);
    const codeOf = async (role: string) =>
      (await send('POST', '/api/room/deal/invite', { as: 'ana', body: { role } })).json.code;
    const came = await send('POST', '/api/session', { body: { invite: await codeOf('guest'), name: 'Eve' } });
    const [cookie = ''] = (came.headers.get('set-cookie') ?? '').split(';');
    const people = async () => {
      const answer = await rooms.app.request('http://127.0.0.1:8065/api/user', {
        headers: { host: '127.0.0.1', cookie },
      });
      return ((await answer.json()) as { users: { id: string }[] }).users.map(({ id }) => id);
    };
    assert.deepEqual(await people(), ['ana', 'ben', 'eve', 'gus']);
  });

  test('of a public room returns to it after leaving', async (t) => {
    const { send, seenBy } = await open(t);
    await send('PUT', '/api/room/lounge/member/zoe', { as: 'kim', body: { role: 'guest' } });
    await send('DELETE', '/api/room/lounge/me', { as: 'zoe' });
    assert.deepEqual(await seenBy('zoe'), ['zoe']);
    assert.equal((await send('POST', '/api/room/lounge/join', { as: 'zoe' })).json.me.role, 'guest');
    assert.deepEqual(await seenBy('zoe'), ['kim', 'zoe']);
  });

  test('with an admin token or as an admin of the server sees everyone', async (t) => {
    const { send, seenBy } = await open(t);
    await send('PUT', '/api/user/gus', { body: { name: 'Gus', role: 'admin' } });
    assert.deepEqual(await seenBy('gus'), EVERYBODY);
  });
});
