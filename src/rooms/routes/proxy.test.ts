import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestRooms } from '../testing/app.ts';
import { openListeningRooms } from '../testing/listening.ts';

const FORWARDING: readonly (readonly [string, string])[] = [
  ['Forwarded', 'for=203.0.113.9;proto=https'],
  ['X-Forwarded-For', '203.0.113.9'],
  ['X-Forwarded-Host', 'chat.example.com'],
  ['X-Forwarded-Proto', 'https'],
  ['X-Forwarded-Ssl', 'on'],
  ['X-Real-IP', '203.0.113.9'],
  ['Via', '1.1 caddy'],
  ['CF-Connecting-IP', '203.0.113.9'],
  ['True-Client-IP', '203.0.113.9'],
  ['Fly-Client-IP', '203.0.113.9'],
  ['X-Envoy-External-Address', '203.0.113.9'],
];
const PATHS = ['/api/me', '/api/user', '/api/event/log', '/metrics', '/health', '/openapi.json', '/nowhere'];

test("without sign-in, a request through a proxy is not an admin's", async (t) => {
  const rooms = await openTestRooms(t);
  for (const [name, value] of FORWARDING) {
    const answer = await rooms.send('GET', '/api/me', { headers: { [name]: value } });
    assert.deepEqual([answer.status, answer.headers.get('x-error-code')], [403, 'forbidden'], name);
    assert.match(answer.json, new RegExp(`^the header ${name.toLowerCase()} shows a proxy.*--auth token`), name);
  }
  const headers = { 'x-forwarded-for': '203.0.113.9' };
  for (const path of PATHS) assert.equal((await rooms.send('GET', path, { headers })).status, 403, path);
  const made = await rooms.send('POST', '/api/user', { headers, body: { id: 'mallory', role: 'admin' } });
  assert.equal(made.status, 403);
  assert.equal(rooms.core.state.get('user', 'mallory'), undefined);
  assert.equal((await rooms.send('GET', '/api/me')).status, 200);
});

test('nor is a request through a proxy over a socket, on any path, method or stream', async (t) => {
  const rooms = await openListeningRooms(t);
  for (const [method, path] of [
    ['GET', '/api/event'],
    ['GET', '/api/me'],
    ['HEAD', '/api/me'],
    ['OPTIONS', '/api/me'],
    ['PATCH', '/api/me'],
    ['POST', '/api/hook/x/y'],
  ]) {
    const { status, body } = await rooms.raw(`${method} ${path} HTTP/1.1\nHost: 127.0.0.1\nx-FORWARDED-for: 10.0.0.9`);
    assert.equal(status, 403, `${method} ${path}: ${body}`);
  }
  const { status } = await rooms.raw('GET /api/me HTTP/1.1\nHost: 127.0.0.1\nAccept: */*');
  assert.equal(status, 200);
});

test('with a forced setting, or with tokens, requests may come through a proxy', async (t) => {
  const headers = Object.fromEntries(FORWARDING);
  const forced = await openTestRooms(t, { options: { insecure: true } });
  assert.equal((await forced.send('GET', '/api/me', { headers })).status, 200);
  const secret = 'the-secret-of-the-admin';
  const signed = await openTestRooms(t, { options: { auth: 'token', adminToken: secret } });
  const shown = { ...headers, authorization: `Bearer ${secret}` };
  assert.equal((await signed.send('GET', '/api/me', { headers: shown })).status, 200);
});
