import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { openSse, type SseStream } from '../../testing/http/sse-client.ts';
import { freePort, needsPostgres, startPostgres } from '../../testing/postgres.ts';
import { executablePath, runProcess, temporaryFolder } from '../../testing/processes.ts';
import { positionsOf } from '../testing/feed/parts.ts';
import { startRoomsProcess } from '../testing/process.ts';

// The built server, over PostgreSQL.

interface Node {
  readonly url: string;
}

async function send({ url }: Node, token: string, method: string, path: string, body?: object) {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  return { status: answer.status, json: (await answer.json().catch(() => undefined)) as any };
}

const ticketOf = async (node: Node, token: string) =>
  (await send(node, token, 'POST', '/api/event/ticket')).json.ticket;

const bodiesOf = ({ items }: SseStream) =>
  items.flatMap((item) =>
    item.kind === 'event' && item.event === 'message.created' ? [JSON.parse(item.data).message.body] : [],
  );

const cursorOf = (stream: SseStream) =>
  stream.items.flatMap((item) => (item.kind === 'event' && item.id ? [item.id] : [])).at(-1) ?? '';

test('two nodes are one server, and stay so through an outage of PostgreSQL', async (t) => {
  if (!needsPostgres(t)) return;
  const postgres = await startPostgres(t);
  const args = ['--storage-url', postgres.url, '--auth', 'token', '--log-level', 'debug'];
  const [a, b] = await Promise.all([startRoomsProcess(t, { args }), startRoomsProcess(t, { args })]);
  const shown = [a, b].flatMap(({ stderr }) => stderr().match(/odr_\w{46}/g) ?? []);
  assert.equal(shown.length, 1);
  const [admin = ''] = shown;

  assert.equal((await send(a, admin, 'POST', '/api/room', { name: 'Ops' })).status, 201);
  const post = (node: Node, body: string) =>
    send(node, admin, 'POST', '/api/message', { roomId: 'ops', body, id: `id-of-${body}` });
  const openStream = async (node: Node, query: string, cursor?: string) => {
    const resumed = cursor === undefined ? {} : { headers: { 'last-event-id': cursor } };
    const stream = await openSse(`${node.url}/api/event?${query}`, resumed);
    t.after(() => stream.close());
    return stream;
  };
  const first = await openStream(a, `ticket=${await ticketOf(b, admin)}`);
  for (const [index, node] of [a, b, a, b].entries()) {
    assert.equal((await post(node, `m${index}`)).status, 201);
    const { messages } = (await send(node === a ? b : a, admin, 'GET', '/api/room/ops/message')).json;
    assert.equal(messages.at(-1).body, `m${index}`);
  }
  await eventually('the messages', () => bodiesOf(first).length === 4);
  first.close();
  assert.equal((await post(a, 'm4')).status, 201);
  const second = await openStream(b, `ticket=${await ticketOf(a, admin)}`, cursorOf(first));
  assert.equal((await post(a, 'm5')).status, 201);
  await eventually('what followed', () => bodiesOf(second).length === 2);
  assert.deepEqual([...bodiesOf(first), ...bodiesOf(second)], ['m0', 'm1', 'm2', 'm3', 'm4', 'm5']);
  const positions = [...positionsOf(first), ...positionsOf(second)];
  assert.deepEqual(
    positions,
    positions.map((_, index) => (positions[0] ?? 0) + index),
  );

  const ticket = await ticketOf(a, admin);
  const tried = await Promise.all([a, b].map((node) => openStream(node, `ticket=${ticket}`)));
  assert.deepEqual(tried.map(({ status }) => status).sort(), [200, 401]);
  const { token, secret } = (await send(b, admin, 'POST', '/api/token', { name: 'ci' })).json;
  const own = await openStream(b, `ticket=${await ticketOf(b, secret)}`);
  assert.equal(own.status, 200);
  assert.equal((await send(a, admin, 'DELETE', `/api/token/${token.id}`)).status, 200);
  assert.equal((await send(b, secret, 'GET', '/api/me')).status, 401);
  assert.equal(await own.over, 'ended');

  await postgres.stop();
  assert.equal((await post(b, 'm6')).status, 503);
  const bothAre = (state: string) =>
    eventually(`both to be ${state}`, async () => {
      const states = await Promise.all([a, b].map((node) => send(node, '', 'GET', '/health')));
      return states.every(({ json }) => json.store.state === state);
    });
  await bothAre('away');
  await postgres.start();
  // A node that does not know yet that it is back answers from memory.
  await bothAre('ready');
  assert.ok((await post(b, 'm6')).status < 300);
  assert.equal((await send(a, admin, 'GET', '/api/room/ops')).json.lastSeq, 7);
  await eventually('the stream', () => bodiesOf(second).at(-1) === 'm6');
  const texts = [a, b].map(({ stderr }) => stderr());
  if (process.platform === 'linux') {
    const line = readFileSync(`/proc/${a.pid}/cmdline`, 'utf8').replace(/\0+$/, '');
    assert.equal(line, 'opsdeck rooms serve');
  }
  for (const text of texts) assert.ok(!text.includes(postgres.password), text);
  assert.deepEqual(await Promise.all([a, b].map((node) => node.end('SIGTERM'))), [0, 0]);
  assert.equal(await second.over, 'ended');
  assert.match(second.text(), /event: shutdown/);
});

test('a start that cannot succeed ends with one sentence and its own code, without the password', async (t) => {
  if (!needsPostgres(t)) return;
  const postgres = await startPostgres(t);
  const { url, password } = postgres;
  const newer = await postgres.createDatabase('newer');
  await postgres.psql(
    `CREATE SCHEMA opsdeck; CREATE TABLE opsdeck.schema_version (component text PRIMARY KEY, version int, min_reader int);
     INSERT INTO opsdeck.schema_version VALUES ('rooms', 99, 99)`,
    newer,
  );
  const nowhere = url.replace(String(postgres.port), String(await freePort()));
  const cases: readonly (readonly [url: string, code: number, sentence: RegExp])[] = [
    [nowhere, 3, /^PostgreSQL at \S+ cannot be reached \(.*ECONNREFUSED.*\): start it, or correct the storage URL$/],
    [url.replace(password, `${password}x`), 1, /^PostgreSQL at \S+ refuses the password of user opsdeck: correct it/],
    [newer, 1, /^the database was written by a newer opsdeck \(schema rooms 99, this one knows \d+\): start that/],
    [url.replace('postgres:', 'http:'), 2, /^--storage-url: the storage URL must be postgres:/],
  ];
  const cwd = temporaryFolder(t);
  const serve = [executablePath(), 'rooms', 'serve', '--port', '0', '--storage-wait', '300ms', '--storage-url'];
  await Promise.all(
    cases.map(async ([wrong, code, sentence]) => {
      const ended = await runProcess(process.execPath, [...serve, wrong], { cwd });
      const shown = `${ended.stdout}${ended.stderr}`;
      assert.equal(ended.code, code, shown);
      assert.match(/^opsdeck: (.*)\n$/m.exec(ended.stderr)?.[1] ?? shown, sentence);
      assert.ok(!shown.includes(password), shown);
      assert.doesNotMatch(shown, /^\s+at /m);
    }),
  );
});
