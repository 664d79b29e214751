import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { openSse } from '../../testing/http/sse-client.ts';
import { isLongRound } from '../../testing/long-round.ts';
import { type Cleanup, Janitor, temporaryFolder } from '../../testing/processes.ts';
import { Random } from '../../testing/random.ts';
import { fillDisk, mountSmallDisk } from '../../testing/small-disk.ts';
import { type RoomsProcess, startRoomsProcess } from '../testing/process.ts';

interface Answer {
  readonly status: number;
  readonly code: string | null;
  readonly replayed: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  readonly json: any;
}

async function ask({ url }: Pick<RoomsProcess, 'url'>, method: string, path: string, body?: object): Promise<Answer> {
  const answer = await fetch(url + path, {
    method,
    headers: { 'content-type': 'application/json', 'x-opsdeck-user': 'ana' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return {
    status: answer.status,
    code: answer.headers.get('x-error-code'),
    replayed: answer.headers.get('idempotent-replay') === 'true',
    json: await answer.json(),
  };
}

const say = (server: RoomsProcess, body: string, id?: string) =>
  ask(server, 'POST', '/api/message', { roomId: 'ops', body, ...(id === undefined ? {} : { id }) });

async function historyOf(server: RoomsProcess): Promise<{ id: string; seq: number; body: string }[]> {
  const all: { id: string; seq: number; body: string }[] = [];
  for (let after = 0; ; after = all.at(-1)?.seq ?? 0) {
    const { json } = await ask(server, 'GET', `/api/room/ops/message?after=${after}&limit=200`);
    all.push(...json.messages);
    if (!json.hasAfter) return all;
  }
}

async function startWithRoom(t: Cleanup, folder: string): Promise<RoomsProcess> {
  const server = await startRoomsProcess(t, { folder });
  assert.equal((await ask(server, 'POST', '/api/room', { name: 'Ops' })).status, 201);
  return server;
}

test('a hundred posts of one id are one message, also when the server is killed in between', async (t) => {
  const folder = temporaryFolder(t);
  const first = await startWithRoom(t, folder);
  const flood = (server: RoomsProcess) =>
    Promise.all(Array.from({ length: 100 }, () => say(server, 'once', 'one-and-only').catch(() => undefined)));
  const [before] = await Promise.all([flood(first), say(first, 'another').then(() => first.end('SIGKILL'))]);
  const created = before.filter((answer) => answer?.status === 201);
  assert.ok(created.length <= 1);
  const second = await startRoomsProcess(t, { folder });
  const after = await flood(second);
  const fresh = after.filter((answer) => answer?.status === 201);
  const replays = after.filter((answer) => answer?.status === 200 && answer.replayed);
  assert.equal(fresh.length + replays.length, 100);
  assert.ok(created.length + fresh.length <= 1, 'created once');
  const seqs = new Set([...before, ...after].flatMap((answer) => (answer ? [answer.json.seq] : [])));
  assert.equal(seqs.size, 1);
  const history = await historyOf(second);
  assert.equal(history.filter(({ id }) => id === 'one-and-only').length, 1);
  assert.equal((await say(second, 'twice', 'one-and-only')).code, 'id_conflict');
  assert.equal((await ask(second, 'DELETE', '/api/message/one-and-only')).status, 200);
  assert.deepEqual(await second.end('SIGTERM'), 0);
  const third = await startRoomsProcess(t, { folder });
  const again = await say(third, 'once', 'one-and-only');
  assert.deepEqual([again.status, again.code], [409, 'deleted']);
});

interface Said {
  readonly id: string;
  readonly sentAt: number;
  readonly seq: number;
  readonly answeredAt: number;
}

/** A message acknowledged before another was sent is before it in the log. */
function assertRealTime(said: readonly Said[]): void {
  const bySeq = said.toSorted((a, b) => a.seq - b.seq);
  let latestStart = Number.NEGATIVE_INFINITY;
  for (const { id, sentAt, answeredAt } of bySeq) {
    assert.ok(answeredAt >= latestStart, `${id} was answered before one that stands before it was sent`);
    latestStart = Math.max(latestStart, sentAt);
  }
}

test('16 writers and kills in between: acknowledged messages are there once, in real order, and streams miss nothing', {
  only: isLongRound,
}, async (t) => {
  const folder = temporaryFolder(t);
  let server = await startWithRoom(t, folder);
  const random = new Random(16);
  const said: Said[] = [];
  let stopped = false;
  const clock = () => performance.now();
  const write = async (writer: number) => {
    for (let n = 0; !stopped; n++) {
      const id = `writer-${writer}-${n}`;
      const sentAt = clock();
      // Repeats with one id until it is answered: a lost connection says nothing of the result.
      while (!stopped) {
        const answer = await say(server, `${id} says`, id).catch(() => undefined);
        if (answer && answer.status < 300) {
          said.push({ id, sentAt, seq: answer.json.seq, answeredAt: clock() });
          break;
        }
        await new Promise((done) => setTimeout(done, 20));
      }
    }
  };
  const seen: { readonly id: string; readonly data: string }[] = [];
  const read = async () => {
    let last = '0';
    while (!stopped) {
      const stream = await openSse(`${server.url}/api/event`, {
        headers: { 'last-event-id': last, 'x-opsdeck-user': 'ana' },
      }).catch(() => undefined);
      if (!stream) {
        await new Promise((done) => setTimeout(done, 20));
        continue;
      }
      let left = random.int(5, 400);
      for (;;) {
        const event = await stream.next().catch(() => undefined);
        if (!event) break;
        assert.notEqual(event.event, 'reset', event.data);
        if (event.id) {
          last = event.id;
          if (event.event === 'message.created') seen.push({ id: event.id, data: event.data });
        }
        if (--left === 0 || stopped) break;
      }
      stream.close();
    }
  };
  const writers = Array.from({ length: 16 }, (_, index) => write(index));
  const reader = read();
  for (let kills = 0; kills < (isLongRound ? 8 : 2); kills++) {
    const enough = said.length + random.int(30, 120);
    await eventually('acknowledged messages', () => said.length >= enough, { everyMs: 1 });
    await server.end('SIGKILL');
    server = await startRoomsProcess(t, { folder });
  }
  const enough = said.length + 50;
  await eventually('the streams to follow', () => said.length >= enough && seen.length > enough / 2);
  stopped = true;
  await Promise.all(writers);
  // One more wakes the reader.
  await say(server, 'the end', 'the-very-end');
  await reader;
  const history = await historyOf(server);
  assert.deepEqual(
    history.map(({ seq }) => seq),
    history.map((_, index) => index + 1),
    'dense',
  );
  const places = new Map(history.map(({ id, seq }) => [id, seq]));
  assert.equal(places.size, history.length, 'once');
  for (const { id, seq } of said) assert.equal(places.get(id), seq, id);
  assertRealTime(said);
  const received = seen.map(({ data }) => JSON.parse(data).message.id as string);
  assert.deepEqual(
    received,
    history.map(({ id }) => id).slice(0, received.length),
    'nothing missing, doubled or reversed',
  );
});

test('the log and the stream send the same events, by the same ids', async (t) => {
  const server = await startWithRoom(t, temporaryFolder(t));
  for (let n = 0; n < 30; n++) await say(server, `words ${n}`);
  const { json: message } = await say(server, 'to be changed', 'to-be-changed');
  await ask(server, 'PUT', `/api/message/${message.id}`, { body: 'changed' });
  await ask(server, 'PUT', `/api/message/${message.id}/reaction/%F0%9F%91%8D`);
  await ask(server, 'PUT', `/api/message/${message.id}/pin`);
  await ask(server, 'DELETE', `/api/message/${message.id}`);
  await ask(server, 'PUT', '/api/room/ops/read', { seq: 3 });
  await ask(server, 'PUT', '/api/room/ops', { name: 'Ops', topic: 'x' });
  const logged: { id: string; event: string; data: unknown }[] = [];
  for (let since = '0'; ; ) {
    const { json } = await ask(server, 'GET', `/api/event/log?since=${since}&limit=7&wait=0`);
    if (json.events.length === 0) break;
    logged.push(...json.events);
    since = json.cursor;
  }
  const stream = await openSse(`${server.url}/api/event?since=0`, { headers: { 'x-opsdeck-user': 'ana' } });
  t.after(() => stream.close());
  const streamed: typeof logged = [];
  while (streamed.length < logged.length) {
    const event = await stream.next();
    if (event?.id) streamed.push({ id: event.id, event: event.event, data: JSON.parse(event.data) });
  }
  assert.ok(logged.length > 35);
  assert.deepEqual(streamed, logged);
});

/** Room for some messages, and for the log of their changes. */
const ROOM_MIB = 5;
const BALLAST_MIB = 20;

test('a full disk refuses writes, keeps its content, answers reads, and recovers by itself', async (t) => {
  // Ends in reverse order: the process, the disk, its folder.
  const janitor = new Janitor();
  t.after(() => janitor.clean());
  const disk = mountSmallDisk(janitor, BALLAST_MIB + ROOM_MIB);
  if (disk === undefined) return t.skip('no disk can be mounted here; it takes root');
  const ballast = join(disk, 'ballast');
  const server = await startWithRoom(janitor, disk);
  writeFileSync(ballast, Buffer.alloc(BALLAST_MIB * 2 ** 20));
  const kept: string[] = [];
  const words = 'x'.repeat(60_000);
  const sayUntilRefused = async (name: string) => {
    for (let n = 0; n < 200; n++) {
      const answer = await say(server, words, `${name}-${n}`);
      if (answer.status !== 201) return answer;
      kept.push(answer.json.id);
    }
    return undefined;
  };
  const refused = await sayUntilRefused('message');
  assert.deepEqual([refused?.status, refused?.code], [503, 'storage_full'], JSON.stringify(refused?.json));
  assert.ok(kept.length > 3);
  const { status } = await ask(server, 'GET', `/api/message/${kept[0]}`);
  assert.equal(status, 200, 'reads go on');
  const upload = await fetch(`${server.url}/api/file`, { method: 'POST', body: Buffer.alloc(6 * 2 ** 20) });
  assert.equal(upload.headers.get('x-error-code'), 'storage_full', await upload.text());
  fillDisk(ballast);
  assert.equal((await sayUntilRefused('following'))?.code, 'storage_full');
  assert.equal((await fetch(`${server.url}/health`)).status, 503);
  rmSync(ballast);
  await eventually('the server is ready again', async () => (await fetch(`${server.url}/health`)).status === 200);
  const again = await say(server, 'short', 'after-all');
  assert.equal(again.status, 201, JSON.stringify(again.json));
  await server.end('SIGKILL');
  const next = await startRoomsProcess(janitor, { folder: disk });
  const history = await historyOf(next);
  assert.deepEqual(
    history.map(({ id }) => id),
    [...kept, 'after-all'],
  );
  assert.deepEqual(
    history.map(({ seq }) => seq),
    history.map((_, index) => index + 1),
  );
  await next.end('SIGTERM');
});
