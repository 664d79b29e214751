import assert from 'node:assert/strict';
import test from 'node:test';
import { openTestRooms } from '../testing/app.ts';
import { openPeople } from '../testing/people.ts';

const METHODS = ['get', 'head', 'post', 'put', 'delete', 'options'];

test('every path answers 405 with its methods to all others, before authentication', async (t) => {
  const rooms = await openTestRooms(t, { options: { auth: 'token' } });
  const { paths } = (await rooms.send('GET', '/openapi.json')).json as {
    paths: Record<string, Record<string, unknown>>;
  };
  assert.ok(Object.keys(paths).length > 40);
  for (const [template, operations] of Object.entries(paths)) {
    const path = template.replace(/\{\w+\}/g, 'nothing1');
    const known = METHODS.filter((method) => method in operations);
    const allow = known.map((method) => method.toUpperCase()).join(', ');
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'PROPFIND', 'QUERY', 'LINK', 'get']) {
      if (known.includes(method.toLowerCase())) continue;
      const plain = await rooms.send(method, path);
      const what = `${method} ${template}`;
      assert.deepEqual([plain.status, plain.headers.get('x-error-code')], [405, 'method_not_allowed'], what);
      assert.deepEqual(new Set(plain.headers.get('allow')?.split(', ')), new Set(allow.split(', ')), what);
      assert.equal(typeof plain.json, 'string', what);
      assert.match(plain.headers.get('x-request-id') ?? '', /./, what);
      const problem = await rooms.send(method, path, { headers: { accept: 'application/problem+json' } });
      assert.equal(problem.headers.get('content-type'), 'application/problem+json');
      const { status, code, detail, instance } = problem.json;
      assert.deepEqual([status, code, detail, instance], [405, 'method_not_allowed', plain.json, path], what);
    }
    const options = await rooms.send('OPTIONS', path);
    assert.deepEqual([options.status, options.headers.get('allow'), options.text], [204, allow, ''], template);
  }
});

test('HEAD answers what GET does, without its body', async (t) => {
  const rooms = await openTestRooms(t);
  await rooms.send('POST', '/api/room', { as: 'ana', body: { name: 'Ops' } });
  const said = await rooms.send('POST', '/api/room/ops/message', { as: 'ana', body: { body: 'x' } });
  const paths = [
    '/api/room',
    '/api/room/ops',
    '/api/room/ops/message',
    `/api/message/${said.json.id}`,
    '/api/me',
    '/health',
    '/version',
    '/api/room/none',
  ];
  for (const path of paths) {
    const get = await rooms.send('GET', path, { as: 'ana' });
    const head = await rooms.send('HEAD', path, { as: 'ana' });
    assert.deepEqual([head.status, head.text], [get.status, ''], path);
    for (const name of ['etag', 'content-type', 'x-error-code', 'cache-control', 'link'])
      assert.equal(head.headers.get(name), get.headers.get(name), `${name} of ${path}`);
  }
});

test('a public room is readable for all signed-in users, and writable for its members', async (t) => {
  const { send } = await openPeople(t, ['ana', 'ben']);
  const { json: room } = await send('POST', '/api/room', { as: 'ana', body: { name: 'Ops' } });
  const { json: said } = await send('POST', '/api/message', { as: 'ana', body: { roomId: 'ops', body: 'marmalade' } });
  const rows: readonly (readonly [string, string, number, unknown?])[] = [
    ['GET', '/api/room/ops', 200],
    ['GET', '/api/room/ops/message', 200],
    ['GET', `/api/message/${said.id}`, 200],
    ['GET', '/api/search?q=marmalade&room=ops', 200],
    ['GET', '/api/event/log?since=0&wait=0&rooms=ops', 200],
    ['GET', '/api/room/ops/member', 200],
    ['POST', '/api/room/ops/message', 403, { body: 'x' }],
    ['POST', '/api/message', 403, { roomId: room.id, body: 'x' }],
    ['POST', '/api/room/ops/typing', 403],
    ['PUT', `/api/message/${said.id}/reaction/%F0%9F%91%8D`, 403],
    ['PUT', `/api/message/${said.id}`, 403, { body: 'x' }],
    ['DELETE', `/api/message/${said.id}`, 403],
    ['PUT', `/api/message/${said.id}/pin`, 403],
    ['GET', `/api/message/${said.id}/history`, 403],
    ['PUT', '/api/room/ops', 403, { name: 'x' }],
    ['PUT', '/api/room/ops', 403, { copilot: true }],
    ['PUT', '/api/room/ops/copilot', 403, { provider: 'echo' }],
    ['POST', '/api/room/ops/copilot/run', 403, { prompt: 'x' }],
    ['DELETE', '/api/room/ops', 403],
    ['GET', '/api/room/ops/export', 403],
    ['GET', '/api/room/ops/invite', 403],
    ['PUT', '/api/room/ops/member/ben', 403, { role: 'owner' }],
    ['POST', '/api/room/ops/join', 200],
    ['POST', '/api/room/ops/message', 201, { body: 'x' }],
  ];
  for (const [method, path, status, body] of rows) {
    const answer = await send(method, path, { as: 'ben', ...(body === undefined ? {} : { body }) });
    assert.equal(answer.status, status, `${method} ${path}: ${answer.text}`);
  }
});

test('an export for browsers runs nothing and loads nothing, with any messages', async (t) => {
  const rooms = await openTestRooms(t);
  const nasty = '<script>alert(1)</script><img src=//evil.example/x onerror=alert(1)>"\'>&lt;';
  await rooms.send('POST', '/api/room', {
    as: 'ana',
    body: { name: `x ${nasty}`.slice(0, 80), slug: 'ops', topic: nasty },
  });
  await rooms.send('PUT', '/api/me', { as: 'ana', body: { name: '<b onclick=alert(1)>Ana</b>' } });
  const headers = { 'x-file-name': encodeURIComponent(`${nasty}.png`) };
  const { json: file } = await rooms.send('POST', '/api/file', { as: 'ana', body: 'x', headers });
  const markdown = `${nasty} [a](javascript:alert(1)) ![i](https://evil.example/i.png) <https://evil.example>`;
  await rooms.send('POST', '/api/message', {
    as: 'ana',
    body: { roomId: 'ops', body: markdown, attachments: [file.id] },
  });
  const card = { title: nasty, url: 'javascript:alert(1)' };
  await rooms.send('POST', '/api/message', { as: 'ana', body: { roomId: 'ops', type: 'alert', body: nasty, card } });
  const { text, headers: sent } = await rooms.send('GET', '/api/room/ops/export?format=html', { as: 'ana' });
  assert.match(text, /&lt;script/);
  assert.doesNotMatch(text, /<(script|img|iframe|link|a|b onclick)\b/i);
  assert.match(sent.get('content-security-policy') ?? '', /sandbox/);
  assert.match(sent.get('content-disposition') ?? '', /^attachment/);
});

test('secrets are shown once, to their requester, and nowhere else', async (t) => {
  const { send, log, rooms } = await openPeople(t, ['ana']);
  const secrets = [rooms.firstToken ?? 'none'];
  const take = (secret: string) => {
    assert.match(secret, /.{16}/);
    secrets.push(secret);
  };
  await send('POST', '/api/room', { as: 'ana', body: { name: 'Ops' } });
  take((await send('POST', '/api/token', { as: 'ana', body: { name: 'x' } })).json.secret);
  const incoming = await send('POST', '/api/hook', {
    as: 'ana',
    body: { direction: 'incoming', roomId: 'ops', name: 'i' },
  });
  take(incoming.json.secret);
  const url = 'https://hooks.example.com/in';
  take(
    (
      await send('POST', '/api/hook', {
        as: 'ana',
        body: { direction: 'outgoing', roomId: 'ops', name: 'o', url, enabled: false },
      })
    ).json.secret,
  );
  const apiKey = 'sk-abcdefghijklmnopqrstuvwxyz';
  take(apiKey);
  await send('POST', '/api/provider', {
    body: { name: 'own', kind: 'openai', baseUrl: 'https://models.example.com/v1', model: 'm', apiKey },
  });
  await send('PUT', '/api/room/ops', { as: 'ana', body: { copilot: { provider: 'own', apiKey: `${apiKey}2` } } });
  await send('POST', incoming.json.path, { body: 'words' });
  await send('POST', `${incoming.json.path}x`, { body: 'words' });
  await send('POST', '/api/session', { body: { token: secrets[1] } });
  await send('GET', '/api/me', { headers: { authorization: `Bearer ${secrets[1]}x` } });
  const paths = [
    '/api/room/ops',
    '/api/room/ops?messages=50',
    '/api/hook',
    '/api/token',
    '/api/provider',
    '/api/audit',
    '/api/event/log?since=0&wait=0&limit=1000',
    '/api/room/ops/export',
    '/api/room/ops/copilot',
    '/metrics',
    '/health',
    '/openapi.json',
    '/api/search?q=words',
    '/api/user',
    '/api/me',
  ];
  for (const as of ['admin', 'ana']) {
    for (const path of paths) {
      const { text } = await send('GET', path, { as });
      for (const secret of secrets) assert.ok(!text.includes(secret), `${path} shows ${secret} to ${as}`);
    }
  }
  for (const secret of secrets) assert.ok(!log().includes(secret), `the log holds ${secret}`);
});
