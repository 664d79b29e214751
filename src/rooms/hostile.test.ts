import assert from 'node:assert/strict';
import test from 'node:test';
import { connectHostile, connectManyHostile, pump, sendForStatus, statusOf } from '../testing/http/hostile-clients.ts';
import { isLongRound } from '../testing/long-round.ts';
import type { TestRooms } from './testing/app.ts';
import { openListeningRooms } from './testing/listening.ts';

const makeRoom = async ({ send }: TestRooms) => {
  const made = await send('POST', '/api/room', { as: 'ana', body: { name: 'Ops' } });
  assert.equal(made.status, 201, made.text);
  return made.json;
};
const JSON_TYPE = 'Content-Type: application/json';

test('a page under a rebound name of this machine gets nothing', async (t) => {
  const rooms = await openListeningRooms(t);
  await makeRoom(rooms);
  const hosts = [
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '127.0.0.1:80@evil.example',
    'evil.example:127.0.0.1',
    '0.0.0.0',
    '2130706433',
    '0x7f.0.0.1',
    '[::ffff:127.0.0.1]',
    '[::]',
    '169.254.169.254',
    '',
    'localhost, evil.example',
    'xn--lcalhost-m1b',
  ];
  const targets = [
    'GET /api/room',
    'GET /api/event?since=0',
    'GET /api/event/log?since=0',
    'POST /api/room',
    'GET /metrics',
    'PATCH /x',
    'GET /',
  ];
  for (const host of hosts) {
    for (const target of targets) {
      const { status, head } = await rooms.raw(`${target} HTTP/1.1\nHost: ${host}`);
      assert.ok(status === 403 || status === 400, `${target} at ${host}: ${status}`);
      assert.doesNotMatch(head, /access-control-allow/i);
    }
  }
  for (const host of ['localhost', '127.0.0.1', '[::1]', 'localhost:8065', 'LOCALHOST'])
    assert.equal((await rooms.raw(`GET /api/room HTTP/1.1\nHost: ${host}`)).status, 200, host);
});

test('a page of another site changes nothing and receives nothing', async (t) => {
  const rooms = await openListeningRooms(t);
  const room = await makeRoom(rooms);
  const posted = await rooms.send('POST', '/api/room/ops/message', { as: 'ana', body: { body: 'x' } });
  const foreign = [
    'Origin: https://evil.example',
    'Origin: null',
    'Origin: http://localhost.evil.example',
    'Origin: http://127.0.0.1:1',
    'Sec-Fetch-Site: cross-site',
    'Sec-Fetch-Site: same-site',
  ];
  const requests = [
    ['POST /api/room/ops/message', 'text/plain'],
    ['POST /api/room/ops/message', 'application/json'],
    ['POST /api/message', 'application/x-www-form-urlencoded'],
    ['POST /api/file', 'multipart/form-data; boundary=b'],
    ['PUT /api/room/ops', 'application/json'],
    [`DELETE /api/room/${room.id}`, 'text/plain'],
    [`PUT /api/message/${posted.json.id}`, 'application/json'],
    ['POST /api/import', 'application/x-ndjson'],
    ['POST /api/token', 'application/json'],
    ['GET /api/event?since=0', ''],
    ['GET /api/room/ops/event', ''],
    ['GET /api/event/log?since=0&wait=0', ''],
  ] as const;
  const { pos } = rooms.core.writer;
  for (const origin of foreign) {
    for (const [target, type] of requests) {
      const body = type === '' ? '' : '{"name":"x","body":"x"}';
      const { status, head } = await rooms.raw(
        `${target} HTTP/1.1\nHost: 127.0.0.1:8065\n${origin}\n${type === '' ? 'Accept: */*' : `Content-Type: ${type}`}`,
        body,
      );
      assert.equal(status, 403, `${target} with ${origin}`);
      assert.match(head, /x-error-code: origin_refused/i);
      assert.doesNotMatch(head, /access-control-allow/i);
    }
  }
  assert.equal(rooms.core.writer.pos, pos, 'nothing was written');
});

test('hostile JSON is refused, or read literally', async (t) => {
  const rooms = await openListeningRooms(t);
  await makeRoom(rooms);
  const post = (body: string | Buffer) =>
    rooms.raw(`POST /api/room/ops/message HTTP/1.1\nHost: 127.0.0.1\n${JSON_TYPE}\nX-Opsdeck-User: ana`, body);
  const deep = 10_000;
  const bodies: readonly (readonly [string, string | Buffer, number, string?])[] = [
    ['10,000 arrays deep', `{"body":${'['.repeat(deep)}${']'.repeat(deep)}}`, 400, 'invalid_body'],
    ['10,000 objects deep in the card', `{"body":"x","card":${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}}`, 400],
    ['arrays without end', '['.repeat(200_000), 400, 'invalid_json'],
    ['a key twice: the last counts', '{"body":"first","body":"second"}', 201],
    ['__proto__', '{"body":"x","__proto__":{"polluted":true}}', 400, 'unknown_field'],
    ['constructor', '{"body":"x","constructor":{"prototype":{"polluted":true}}}', 400, 'unknown_field'],
    [
      '__proto__ in a card is a key like any other',
      '{"body":"x","type":"alert","card":{"__proto__":{"polluted":true}}}',
      201,
    ],
    ['a number beyond all', '{"body":"x","seq":1e999}', 400],
    ['numbers for texts', '{"body":12345678901234567890}', 400, 'invalid_body'],
    ['not UTF-8', Buffer.from('{"body":"\xff\xfe"}', 'latin1'), 400, 'invalid_body'],
    ['UTF-8 that is too long for its sign', Buffer.from('{"body":"\xc0\xaf"}', 'latin1'), 400, 'invalid_body'],
    ['UTF-8 of a surrogate', Buffer.from('{"body":"\xed\xa0\x80"}', 'latin1'), 400, 'invalid_body'],
    ['half a surrogate pair', '{"body":"\\ud800"}', 400, 'invalid_body'],
    ['U+0000', '{"body":"a\\u0000b"}', 400, 'invalid_body'],
    ['UTF-16', Buffer.from('{"body":"x"}', 'utf16le'), 400],
    ['nothing', ' ', 400, 'invalid_json'],
    ['null', 'null', 400, 'invalid_body'],
    ['a list', '[{"body":"x"}]', 400, 'invalid_body'],
    ['a body of 64 KiB and a byte', JSON.stringify({ body: 'x'.repeat(65_537) }), 413],
    ['a card of more than 32 KiB', JSON.stringify({ body: 'x', type: 'alert', card: { a: 'x'.repeat(32_768) } }), 413],
  ];
  for (const [what, body, status, code] of bodies) {
    const answer = await post(body);
    assert.equal(answer.status, status, `${what}: ${answer.body.slice(0, 200)}`);
    if (code) assert.match(answer.head, new RegExp(`x-error-code: ${code}\\n`, 'i'), what);
    assert.ok(answer.body.length < 2000, `${what}: the answer does not repeat it all`);
    if (status >= 400) assert.equal(typeof JSON.parse(answer.body), 'string', what);
  }
  assert.equal(({} as Record<string, unknown>).polluted, undefined);
  const { json } = await rooms.send('GET', '/api/room/ops/message', { as: 'ana' });
  assert.deepEqual(
    json.messages.map(({ body }: { body: string }) => body),
    ['second', 'x'],
  );
  assert.equal(JSON.stringify(json.messages[1].card), '{"__proto__":{"polluted":true}}');
});

test('bodies of 100 MB are refused before they are read, announced or not', async (t) => {
  const rooms = await openListeningRooms(t);
  await makeRoom(rooms);
  const before = process.memoryUsage().rss;
  for (const path of ['/api/message', '/api/room', '/api/room/ops/message', '/api/file', '/api/user']) {
    const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Opsdeck-User: ana\r\n${JSON_TYPE}\r\n`;
    assert.equal(await sendForStatus(t, rooms.url, `${head}Content-Length: 104857600\r\n\r\n{"`), 413, path);
    const rude = await connectHostile(t, rooms.url);
    rude.socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`);
    const piece = Buffer.from(`10000\r\n${'x'.repeat(65_536)}\r\n`);
    await pump(rude, piece, 100 * 2 ** 20);
    assert.equal(statusOf(rude), 413, `${path} in chunks`);
    rude.socket.destroy();
  }
  assert.ok(process.memoryUsage().rss - before < 200 * 2 ** 20, 'and are not kept');
});

test('input other than HTTP is refused or cut off, and other clients are answered meanwhile', {
  only: isLongRound,
}, async (t) => {
  const rooms = await openListeningRooms(t);
  await makeRoom(rooms);
  const head = `POST /api/message HTTP/1.1\r\nHost: 127.0.0.1\r\n${JSON_TYPE}\r\n`;
  const broken = [
    `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`,
    `${head}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    `${head}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}}`,
    `${head}Content-Length: -2\r\n\r\n{}`,
    `${head}X: ${'x'.repeat(100_000)}\r\n\r\n`,
    `${head}${Array.from({ length: 5000 }, (_, index) => `X-${index}: y`).join('\r\n')}\r\n\r\n`,
    `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`,
    'GET / HTTP/1.1\r\n\r\n',
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    'nonsense\r\n\r\n',
  ];
  for (const bytes of broken) {
    const status = await sendForStatus(t, rooms.url, Buffer.from(bytes, 'latin1'));
    assert.ok(status === 0 || (status >= 400 && status < 500), `${bytes.slice(0, 120)}: ${status}`);
  }
  const idle = await connectManyHostile(t, rooms.url, isLongRound ? 2000 : 400);
  for (const { socket } of idle.slice(0, idle.length / 2))
    socket.write('POST /api/message HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ');
  for (let left = 0; left < 20; left++) {
    const posted = await rooms.raw(
      `POST /api/room/ops/message HTTP/1.1\nHost: 127.0.0.1\n${JSON_TYPE}\nX-Opsdeck-User: ana`,
      '{"body":"still here"}',
    );
    assert.equal(posted.status, 201);
  }
  for (const { socket } of idle) socket.destroy();
});
