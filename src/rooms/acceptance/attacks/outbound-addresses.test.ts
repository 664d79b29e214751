import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../../testing/eventually.ts';
import { openPeople } from '../../testing/people.ts';

/** Spellings of an address of this machine, of its network, or of a cloud's metadata; `:port` is added to each. */
const HOSTS: readonly string[] = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  '017700000001',
  '127.0.0.1.',
  '%31%32%37.0.0.1',
  '①②⑦.⓪.⓪.①',
  '１２７.0.0.1',
  '127。0。0。1',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'loc%61lhost',
  'ⓛocalhost',
  'x.localhost',
  '0',
  '0.0.0.0',
  '10.0.0.1',
  '0xa.1',
  '172.16.0.1',
  '192.168.0.1',
  '0300.0250.1',
  '100.64.0.1',
  '169.254.169.254',
  '0xa9fea9fe',
  '2852039166',
  '0251.0376.0251.0376',
  '169.254.43518',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:a9fe:a9fe]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b::169.254.169.254]',
  '[2002:7f00:1::]',
  '[2002:a9fe:a9fe::]',
  '[fe80::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[ff02::1]',
];

const URLS_OF_NO_USE: readonly string[] = [
  'file:///etc/passwd',
  'gopher://example.com/',
  'ftp://example.com/',
  'data:text/plain,x',
  'javascript:alert(1)',
  'unix:/var/run/docker.sock',
  'http://ana:secret@example.com/',
  'https://example.com@127.0.0.1/',
  'http://127.0.0.1\\@example.com/',
  'http:127.0.0.1',
  'http:///127.0.0.1',
  '//127.0.0.1/',
  'http://',
  ' ',
];

/** A service on this machine that is closed to the rooms; `answer` is its redirect. */
async function startCanary(t: TestContext, redirectTo?: string) {
  let requests = 0;
  const server = createServer((_, response) => {
    requests++;
    response
      .writeHead(redirectTo === undefined ? 200 : 307, redirectTo === undefined ? {} : { location: redirectTo })
      .end('{}');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://127.0.0.1:${port}/`, requests: () => requests };
}

test('no spelling of an inner address is accepted, on any path', async (t) => {
  const canary = await startCanary(t);
  const { send } = await openPeople(t, ['ana'], { options: { durability: 'off' } });
  const room = await send('POST', '/api/room', { as: 'ana', body: { name: 'Ops', visibility: 'private' } });
  const roomId = room.json.id;
  const good = 'https://example.com/hook';
  const hook = await send('POST', '/api/hook', {
    as: 'ana',
    body: { direction: 'outgoing', roomId, name: 'x', url: good, enabled: false },
  });
  assert.equal(hook.status, 201, hook.text);
  const made = await send('POST', '/api/provider', { body: { name: 'p', kind: 'openai', baseUrl: good } });
  assert.equal(made.status, 201, made.text);
  const before = await send('GET', '/api/hook');
  const wrong: string[] = [];
  for (const url of [...HOSTS.map((host) => `http://${host}:${canary.port}/`), ...URLS_OF_NO_USE]) {
    const requests: readonly (readonly [as: string, method: string, path: string, body: object])[] = [
      ['ana', 'POST', '/api/hook', { direction: 'outgoing', roomId, name: 'new', url }],
      ['admin', 'POST', '/api/hook', { direction: 'outgoing', name: 'new', url }],
      ['ana', 'PUT', `/api/hook/${hook.json.id}`, { name: 'x', url }],
      ['admin', 'POST', '/api/provider', { name: 'q', kind: 'openai', baseUrl: url }],
      ['admin', 'PUT', '/api/provider/p', { kind: 'openai', baseUrl: url }],
      ['admin', 'PUT', `/api/room/${roomId}/copilot`, { provider: 'openai', baseUrl: url }],
      ['admin', 'PUT', `/api/room/${roomId}`, { copilot: { provider: 'anthropic', baseUrl: url } }],
    ];
    for (const [as, method, path, body] of requests) {
      const answer = await send(method, path, { as, body });
      if (answer.status !== 400) wrong.push(`${method} ${path} ${url}: ${answer.status} ${answer.text.slice(0, 100)}`);
      if (answer.text.includes('secret')) wrong.push(`${url} is repeated with its password`);
    }
  }
  assert.deepEqual(wrong, []);
  // Only an admin allows private addresses, by any setting.
  for (const [method, path, body] of [
    ['POST', '/api/hook', { direction: 'outgoing', roomId, name: 'x', url: canary.url, allowPrivate: true }],
    ['PUT', `/api/hook/${hook.json.id}`, { name: 'x', url: canary.url, allowPrivate: true }],
    ['POST', '/api/provider', { name: 'r', kind: 'openai', baseUrl: canary.url, allowPrivate: true }],
    ['PUT', `/api/room/${roomId}/copilot`, { provider: 'openai', baseUrl: canary.url }],
  ] as const) {
    const answer = await send(method, path, { as: 'ana', body });
    assert.ok(answer.status === 403 || answer.status === 400, `${method} ${path}: ${answer.status}`);
  }
  assert.equal((await send('GET', '/api/hook')).text, before.text);
  assert.equal(canary.requests(), 0);
});

test('redirects of hooks and models are not followed, redelivered or tested', async (t) => {
  const canary = await startCanary(t);
  const leading = await startCanary(t, canary.url);
  const { send, core } = await openPeople(t, ['ana'], { options: { durability: 'off' } });
  const room = await send('POST', '/api/room', { as: 'ana', body: { name: 'Ops' } });
  const roomId = room.json.id;
  const hook = await send('POST', '/api/hook', {
    body: { direction: 'outgoing', roomId, name: 'x', url: leading.url, allowPrivate: true },
  });
  assert.equal(hook.status, 201, hook.text);
  const { pos } = core.writer;
  await send('POST', '/api/room/ops/message', { as: 'ana', body: 'words' });
  await eventually('the hook receives an event', () => leading.requests() > 0, { everyMs: 5 });
  const again = await send('POST', `/api/hook/${hook.json.id}/redeliver?from=${pos}`);
  assert.ok(again.status < 300, again.text);
  const provider = await send('POST', '/api/provider', {
    body: { name: 'p', kind: 'openai', baseUrl: leading.url, model: 'm', allowPrivate: true },
  });
  assert.equal(provider.status, 201, provider.text);
  const copilot = await send('PUT', '/api/room/ops/copilot', { body: { provider: 'p' } });
  assert.equal(copilot.status, 200, copilot.text);
  const before = leading.requests();
  const tested = await send('POST', '/api/room/ops/copilot/test');
  assert.equal(tested.json.ok, false, tested.text);
  assert.ok(leading.requests() > before);
  assert.equal(canary.requests(), 0);
});
