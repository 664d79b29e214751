import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../../../kernel/clock.ts';
import { listen } from '../../../kernel/http/server.ts';
import { eventually, HANG_MS } from '../../../testing/eventually.ts';
import { openSse, type SseStream } from '../../../testing/http/sse-client.ts';
import { openPeople } from '../../testing/people.ts';

const MAX_PER_USER = 20;
const MAX_STREAMS = 60;

async function open(t: TestContext) {
  const people = await openPeople(t, ['mallory', 'ana', 'ben'], {
    options: { durability: 'off', maxStreams: MAX_STREAMS },
  });
  const { app, endStreams } = people.rooms;
  const addresses = [{ host: '127.0.0.1', port: 0 }];
  const listener = await listen({ fetch: app.fetch, addresses, clock: systemClock, endStreams });
  t.after(() => listener.close(0));
  await people.send('POST', '/api/room', { as: 'ana', body: { name: 'Ops', members: ['mallory', 'ben'] } });
  /** Another token of a user, as a header. */
  const tokenOf = async (userId: string) => {
    const { json } = await people.send('POST', '/api/token', { body: { name: 'x', userId } });
    return { authorization: `Bearer ${json.secret}` };
  };
  return { ...people, url: listener.url, tokenOf };
}

test('one user has a limited number of streams, over all tokens, sessions, tickets and paths, apart from other users', async (t) => {
  const { url, tokenOf, send, core } = await open(t);
  const tokens = [await tokenOf('mallory'), await tokenOf('mallory'), await tokenOf('mallory')];
  const signIn = await send('POST', '/api/session', {
    body: { token: tokens[0]?.authorization.slice(7) },
    headers: {},
  });
  const cookie = { cookie: (signIn.headers.get('set-cookie') ?? '').split(';')[0] ?? '' };
  const paths = ['/api/event', '/api/room/ops/event', '/api/event?rooms=ops&types=message.created'];
  const streams: SseStream[] = [];
  for (let count = 0; count < 3 * MAX_PER_USER; count++) {
    const headers = count % 4 === 3 ? cookie : (tokens[count % 3] ?? {});
    streams.push(await openSse(`${url}${paths[count % paths.length]}`, { headers }));
  }
  const taken = streams.filter(({ status }) => status === 200);
  assert.equal(taken.length, MAX_PER_USER);
  for (const { status } of streams.slice(MAX_PER_USER)) assert.equal(status, 429);
  // By other means: a ticket, and a waiting poll.
  const { json } = await send('POST', '/api/event/ticket', { headers: tokens[1] ?? {} });
  assert.equal((await openSse(`${url}/api/event?ticket=${encodeURIComponent(json.ticket)}`)).status, 429);
  const poll = await fetch(`${url}/api/event/log?since=0&wait=25`, { headers: tokens[2] ?? {} });
  assert.equal(poll.status, 429);
  const other = await openSse(`${url}/api/room/ops/event`, { headers: await tokenOf('ana') });
  assert.equal(other.status, 200);
  assert.equal((await send('POST', '/api/room/ops/message', { as: 'ben', body: 'still here' })).status, 201);
  for (let data = ''; !data.includes('still here'); ) data = (await other.next())?.data ?? 'gone';
  // Closed streams, in order or not, make room again.
  for (const stream of taken) stream.close();
  await eventually('all are gone', () => core.feed.size === 1, { everyMs: 5 });
  assert.equal((await openSse(`${url}/api/event`, { headers: tokens[0] ?? {} })).status, 200);
});

test('when all streams of the server are taken all other requests are answered', async (t) => {
  const { url, tokenOf, send } = await open(t);
  const users = await Promise.all(['mallory', 'ana', 'ben'].map(tokenOf));
  const streams = await Promise.all(
    users.flatMap((headers) => Array.from({ length: MAX_PER_USER }, () => openSse(`${url}/api/event`, { headers }))),
  );
  assert.ok(streams.every(({ status }) => status === 200));
  const late = await openSse(`${url}/api/event`, { headers: await tokenOf('admin') });
  assert.equal(late.status, 429);
  assert.equal(late.headers['retry-after'], '30');
  for (let count = 0; count < 20; count++)
    assert.equal((await send('GET', '/api/room/ops', { as: 'ana' })).status, 200);
  assert.equal((await send('GET', '/health')).json.sse.connections, MAX_STREAMS);
});

/** Requests a stream and never reads. */
function openDeaf(t: TestContext, url: string, path: string, authorization: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) }).pause();
  socket.on('error', () => {});
  t.after(() => socket.destroy());
  return new Promise((done) => {
    socket.once('connect', () => {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${authorization}\r\n\r\n`);
      done(socket);
    });
  });
}

test('clients that do not read delay no other client, and hold little memory', { timeout: HANG_MS }, async (t) => {
  const { url, tokenOf, send, core } = await open(t);
  const { authorization } = await tokenOf('mallory');
  const deaf = await Promise.all(
    Array.from({ length: MAX_PER_USER }, () => openDeaf(t, url, '/api/room/ops/event', authorization)),
  );
  await eventually('they listen', () => core.feed.size === MAX_PER_USER, { everyMs: 5 });
  const reader = await openSse(`${url}/api/room/ops/event`, { headers: await tokenOf('ana') });
  const before = process.memoryUsage();
  // Each takes six times as much in its event.
  const body = '\u0001'.repeat(60_000);
  for (let count = 0; count < 20; count++)
    assert.equal((await send('POST', '/api/room/ops/message', { as: 'ben', body: `${count} ${body}` })).status, 201);
  let last = '';
  while (!last.includes('"body":"19 ')) last = (await reader.next())?.data ?? '"body":"19 gone';
  assert.doesNotMatch(last, /gone/);
  // Twenty times the seven megabytes that were sent would be 140 MB.
  const grown = process.memoryUsage().rss - before.rss;
  assert.ok(grown < 100 * 2 ** 20, `${Math.round(grown / 2 ** 20)} MiB more`);
  assert.ok(core.feed.stalled > 0 || core.feed.overflowed > 0 || core.feed.size < MAX_PER_USER + 1);
  // A server that stops waits for them, though not for long.
  for (const socket of deaf) socket.destroy();
});
