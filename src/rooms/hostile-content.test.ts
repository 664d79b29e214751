import assert from 'node:assert/strict';
import test from 'node:test';
import type { TestRooms } from './testing/app.ts';
import { openListeningRooms } from './testing/listening.ts';

const makeRoom = async ({ send }: TestRooms) => {
  const made = await send('POST', '/api/room', { as: 'ana', body: { name: 'Ops' } });
  assert.equal(made.status, 201, made.text);
  return made.json;
};

test('no path leads out of the data directory, and no spelling of an id to another', async (t) => {
  const rooms = await openListeningRooms(t);
  const { id } = await makeRoom(rooms);
  const { json: file } = await rooms.send('POST', '/api/file', {
    as: 'ana',
    body: 'bytes',
    headers: { 'x-file-name': '..%2f..%2fetc%2fpasswd%00.png' },
  });
  assert.doesNotMatch(file.name, /[/\\\0]/);
  const odd = [
    '..%2f..%2fetc%2fpasswd',
    '%2e%2e%2f%2e%2e',
    '..%5c..',
    '%00',
    'ops%00',
    'ops%2f',
    'ops%20',
    '%20ops',
    'OPS',
    '%D0%BEps',
    'ops%E2%80%8B',
    '%EF%BD%8Fps',
    'ops;x',
    'ops.json',
    `${id.toUpperCase()}`,
    `${id}%00`,
    '__proto__',
    'constructor',
  ];
  for (const segment of odd) {
    for (const path of [
      `/api/room/${segment}`,
      `/api/room/${segment}/message`,
      `/api/message/${segment}`,
      `/api/file/${segment}`,
      `/api/hook/${segment}`,
      `/api/user/${segment}`,
      `/api/token/${segment}`,
      `/api/invite/${segment}`,
    ]) {
      const { status, body, head } = await rooms.raw(`GET ${path} HTTP/1.1\nHost: 127.0.0.1\nX-Opsdeck-User: ana`);
      assert.equal(status, 404, `${path}: ${body}`);
      assert.match(head, /content-type: application\/json/i);
      assert.doesNotMatch(body, /root:/);
    }
  }
  for (const raw of ['/../../etc/passwd', '/assets/..%2f..%2fetc/passwd', '//etc/passwd', '/api/../../etc/passwd']) {
    const { status } = await rooms.raw(`GET ${raw} HTTP/1.1\nHost: 127.0.0.1`);
    assert.equal(status, 404, raw);
  }
});

test('an upload that a browser would run is never shown in place', async (t) => {
  const rooms = await openListeningRooms(t);
  const gif = 'GIF89a/*<svg/onload=alert(1)>*/=1;<script>alert(1)</script>';
  const uploads: readonly (readonly [string, string | Buffer, string])[] = [
    ['a.svg', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>', 'attachment'],
    ['a.png', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>', 'attachment'],
    ['a.png', '\ufeff  <?xml version="1.0"?><svg/>', 'attachment'],
    ['a.txt', '<!doctype html><script>alert(1)</script>', 'attachment'],
    ['a.txt', '\n\n<HTML><body onload=alert(1)>', 'attachment'],
    ['a.gif', gif, 'inline'],
    ['a.html', gif, 'inline'],
    ['a.pdf', '%PDF-1.7 <script>', 'attachment'],
    ['a.xhtml', '<html xmlns="http://www.w3.org/1999/xhtml"/>', 'attachment'],
    ['a.js', 'alert(1)', 'inline'],
  ];
  for (const [name, bytes, shown] of uploads) {
    const up = await rooms.raw(
      `POST /api/file HTTP/1.1\nHost: 127.0.0.1\nContent-Type: image/svg+xml\nX-File-Name: ${name}`,
      bytes,
    );
    assert.equal(up.status, 201, up.body);
    const { head, status } = await rooms.raw(`GET /api/file/${JSON.parse(up.body).id} HTTP/1.1\nHost: 127.0.0.1`);
    assert.equal(status, 200);
    assert.match(head, new RegExp(`content-disposition: ${shown};`, 'i'), `${name}: ${bytes}`);
    assert.match(head, /x-content-type-options: nosniff/i);
    assert.match(head, /content-security-policy: sandbox/i);
    const isActive =
      /content-type: (text\/html|image\/svg|application\/(xhtml|xml|javascript)|text\/(xml|javascript))/i;
    if (shown === 'inline') assert.doesNotMatch(head, isActive, `${name}: ${bytes}`);
  }
});

test('patterns and searches with hostile cost are answered', async (t) => {
  const rooms = await openListeningRooms(t);
  await makeRoom(rooms);
  for (let index = 0; index < 20; index++)
    await rooms.send('POST', '/api/room/ops/message', {
      as: 'ana',
      body: { body: `${'a'.repeat(3000)}! ${'@'.repeat(3000)} ${'('.repeat(3000)}` },
    });
  const slow = [
    '(a+)+$',
    '(a|aa)+$',
    '(.*)*x',
    '([a-z]+)*\\d',
    '(x{100}){100}',
    `${'('.repeat(500)}${')'.repeat(500)}`,
  ];
  for (const pattern of slow) {
    const copilot = { provider: 'echo', redact: { patterns: [pattern] } };
    const { status } = await rooms.send('PUT', '/api/room/ops', { as: 'ana', body: { copilot } });
    assert.ok(status === 200 || status === 400, pattern);
    if (status === 200)
      assert.equal(
        (
          await rooms.send('POST', '/api/room/ops/message', {
            as: 'ana',
            body: { body: `@copilot ${'a'.repeat(5000)}!` },
          })
        ).status,
        201,
      );
  }
  const queries = [
    'a*'.repeat(1000),
    '"'.repeat(999),
    '(a+)+$',
    `${'a '.repeat(2000)}`,
    '-'.repeat(1000),
    'NEAR('.repeat(100),
    `"${'a '.repeat(1000)}"`,
  ];
  for (const q of queries) {
    const { status } = await rooms.send('GET', `/api/search?q=${encodeURIComponent(q)}`, { as: 'ana' });
    assert.ok(status === 200 || status === 400, q);
  }
});
