import assert from 'node:assert/strict';
import test from 'node:test';
import { openPeople } from '../testing/people.ts';

const URL_WITH_KEY = 'https://hooks.example.com/in?key=of-somebody';

test('a reader of a room sees its hooks, but not their addresses', async (t) => {
  const { send } = await openPeople(t, ['ana', 'ben']);
  await send('POST', '/api/room', { as: 'ana', body: { name: 'Ops', members: ['ben'] } });
  const outgoing = { direction: 'outgoing', roomId: 'ops', name: 'Robot', url: URL_WITH_KEY };
  const { json: hook } = await send('POST', '/api/hook', { as: 'ana', body: outgoing });
  await send('PUT', `/api/hook/${hook.id}`, { as: 'ana', body: { name: 'Robot', enabled: false } });
  await send('DELETE', `/api/hook/${hook.id}`, { as: 'ana' });
  const log = await send('GET', '/api/event/log?since=0&wait=0&limit=500', { as: 'ben' });
  const announced = log.json.events.filter(({ event }: { event: string }) => event.startsWith('hook.'));
  assert.deepEqual(
    announced.map(({ event }: { event: string }) => event),
    ['hook.created', 'hook.updated', 'hook.deleted'],
  );
  for (const { data } of announced) assert.deepEqual([data.hook.id, data.hook.name], [hook.id, 'Robot']);
  assert.doesNotMatch(log.text, /example\.com|of-somebody|whsec_/);
});

test('a hook that is sent back unchanged is the same hook, and is not announced', async (t) => {
  const { send, core } = await openPeople(t, ['ana']);
  await send('POST', '/api/room', { as: 'ana', body: { name: 'Ops' } });
  for (const more of [{ direction: 'incoming' }, { direction: 'outgoing', url: URL_WITH_KEY, enabled: false }]) {
    const made = await send('POST', '/api/hook', { as: 'ana', body: { roomId: 'ops', name: 'x', ...more } });
    const path = `/api/hook/${made.json.id}`;
    const read = await send('GET', path, { as: 'ana' });
    const { pos } = core.writer;
    const same = await send('PUT', path, { as: 'ana', body: read.json, headers: { 'if-match': '"h1"' } });
    assert.deepEqual([same.status, same.headers.get('etag'), same.json], [200, '"h1"', read.json]);
    assert.equal(core.writer.pos, pos);
    const rotated = await send('PUT', path, { as: 'ana', body: { ...read.json, rotateSecret: true } });
    assert.equal(rotated.headers.get('etag'), '"h2"', 'a new secret is a change');
    assert.match(rotated.json.secret, /.{20}/);
  }
});

test('a private address allowed by an admin is sent back by others, and changed by none of them', async (t) => {
  const { send } = await openPeople(t, ['ana']);
  await send('POST', '/api/room', { as: 'ana', body: { name: 'Ops' } });
  const body = {
    direction: 'outgoing',
    roomId: 'ops',
    name: 'x',
    url: 'http://10.0.0.1/a',
    allowPrivate: true,
    enabled: false,
  };
  assert.equal((await send('POST', '/api/hook', { as: 'ana', body })).status, 403);
  const { json: hook } = await send('POST', '/api/hook', { body });
  const path = `/api/hook/${hook.id}`;
  const { json } = await send('GET', path, { as: 'ana' });
  assert.equal((await send('PUT', path, { as: 'ana', body: { ...json, name: 'y' } })).status, 200);
  for (const url of ['http://10.0.0.2/a', 'http://10.0.0.1/b'])
    assert.equal((await send('PUT', path, { as: 'ana', body: { ...json, url } })).status, 403);
});

test('a room has at most 100 hooks, under any of its names', async (t) => {
  const { send } = await openPeople(t, ['ana'], { options: { durability: 'off' } });
  const room = await send('POST', '/api/room', { as: 'ana', body: { name: 'Ops' } });
  for (let i = 0; i < 100; i++) {
    const body = { direction: 'incoming', roomId: i % 2 ? 'ops' : room.json.id, name: `hook ${i}` };
    assert.equal((await send('POST', '/api/hook', { as: 'ana', body })).status, 201);
  }
  for (const roomId of ['ops', room.json.id]) {
    const more = await send('POST', '/api/hook', { as: 'ana', body: { direction: 'incoming', roomId, name: 'x' } });
    assert.equal(more.headers.get('x-error-code'), 'limit_reached', more.text);
  }
});

test('a name is one line, and cannot turn the direction of the text beside it', async (t) => {
  const { send, log } = await openPeople(t, ['ana']);
  await send('POST', '/api/room', { as: 'ana', body: { name: 'Ops' } });
  const names = [
    'a\nb',
    'a\u001b[31mb',
    'a\u0000b',
    'a\u2028b',
    'a\u202eb',
    'a\u2066b',
    'a\u0085b',
    '\ud800a',
    ' ',
    '',
  ];
  for (const name of names) {
    const bodies: readonly (readonly [string, string, object])[] = [
      ['POST', '/api/room', { name }],
      ['POST', '/api/user', { id: 'kim', name }],
      ['POST', '/api/token', { name }],
      ['PUT', '/api/me', { name }],
      ['POST', '/api/hook', { direction: 'incoming', roomId: 'ops', name }],
    ];
    for (const [method, path, body] of bodies) {
      const answer = await send(method, path, { body });
      assert.equal(answer.status, 400, `${method} ${path} ${JSON.stringify(name)}: ${answer.text}`);
    }
  }
  assert.equal((await send('PUT', '/api/me', { body: { name: '👩‍🚒 Ana Ωmega' } })).status, 200);
  for (const line of log().split('\n')) assert.doesNotMatch(line, /[^\n -~]/, line);
});
