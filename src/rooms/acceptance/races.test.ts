import assert from 'node:assert/strict';
import test from 'node:test';
import { systemClock } from '../../kernel/clock.ts';
import { listen } from '../../kernel/http/server.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import { openSse } from '../../testing/http/sse-client.ts';
import type { Cleanup } from '../../testing/processes.ts';
import type { RoomsAnswer } from '../testing/app.ts';
import { openPeople, type TestPeople } from '../testing/people.ts';

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** How often each status and code was answered. */
function tally(answers: readonly RoomsAnswer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, headers } of answers) {
    const name = [status, headers.get('x-error-code')].filter((part) => part !== null).join(' ');
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

async function openRoom(t: Cleanup, more: object = {}): Promise<TestPeople> {
  const people = await openPeople(t, ['ana', 'ben', 'kim'], { options: { durability: 'off' } });
  const made = await people.send('POST', '/api/room', { as: 'ana', body: { name: 'Ops', members: ['ben'], ...more } });
  assert.equal(made.status, 201, made.text);
  return people;
}

/** `seq` of all messages is 1, 2, 3 …, and the log is as dense. */
async function assertDense({ send, core }: TestPeople): Promise<void> {
  const { json } = await send('GET', '/api/room/ops/message?limit=200');
  const seqs = json.messages.map(({ seq }: { seq: number }) => seq);
  assert.deepEqual(
    seqs,
    times(seqs.length, (index) => index + 1),
  );
  const log = await send('GET', '/api/event/log?since=0&wait=0&limit=1000&rooms=ops');
  const positions = log.json.events.map(({ data }: { data: { pos: number } }) => data.pos);
  assert.deepEqual(
    positions,
    positions.toSorted((a: number, b: number) => a - b),
  );
  assert.ok(positions.at(-1) <= core.writer.pos);
}

test('of twenty users of a single-use invite one joins', async (t) => {
  const ids = times(20, (index) => `user-${index}`);
  const people = await openPeople(t, ['ana', ...ids], { options: { durability: 'off' } });
  await people.send('POST', '/api/room', { as: 'ana', body: { name: 'Ops', visibility: 'private' } });
  const invite = await people.send('POST', '/api/room/ops/invite', { as: 'ana', body: { maxUses: 1 } });
  const answers = await Promise.all(ids.map((as) => people.send('POST', `/api/invite/${invite.json.code}`, { as })));
  assert.deepEqual(tally(answers), { 200: 1, '404 invite_not_found': 19 });
  const { json } = await people.send('GET', '/api/room/ops', { as: 'ana' });
  assert.equal(json.memberCount, 2);
});

test('of two last owners leaving at once one stays', async (t) => {
  const people = await openRoom(t);
  await people.send('PUT', '/api/room/ops/member/ben', { as: 'ana', body: { role: 'owner' } });
  const leave = (as: string) => people.send('DELETE', '/api/room/ops/me', { as });
  const demote = (as: string, userId: string) =>
    people.send('PUT', `/api/room/ops/member/${userId}`, { as, body: { role: 'member' } });
  const answers = await Promise.all([leave('ana'), leave('ben'), demote('ana', 'ben'), demote('ben', 'ana')]);
  const { json } = await people.send('GET', '/api/room/ops/member');
  const owners = json.members.filter(({ role }: { role: string }) => role === 'owner');
  assert.equal(owners.length, 1, JSON.stringify([tally(answers), json.members]));
});

test("a post during a departure and return is either accepted or refused as an outsider's", async (t) => {
  const people = await openRoom(t);
  const all: Promise<RoomsAnswer>[] = [];
  for (let turn = 0; turn < 20; turn++) {
    all.push(people.send('DELETE', '/api/room/ops/me', { as: 'ben' }));
    for (let n = 0; n < 3; n++)
      all.push(people.send('POST', '/api/message', { as: 'ben', body: { roomId: 'ops', body: `${turn}` } }));
    all.push(people.send('POST', '/api/room/ops/join', { as: 'ben' }));
  }
  const counts = tally(await Promise.all(all));
  assert.deepEqual(
    Object.keys(counts).filter((name) => !/^(200|201|204|403 forbidden)$/.test(name)),
    [],
  );
  await assertDense(people);
  const events = (await people.send('GET', '/api/event/log?since=0&wait=0&limit=1000&rooms=ops')).json.events;
  let isIn = false;
  for (const { event, data } of events) {
    if (event === 'member.joined' && data.member.userId === 'ben') isIn = true;
    if (event === 'member.left') isIn = false;
    if (event === 'message.created') assert.ok(isIn, 'only members post');
  }
});

test('an archived room accepts nothing more, and earlier messages stay', async (t) => {
  const people = await openRoom(t);
  const post = (index: number) =>
    people.send('POST', '/api/message', { as: 'ben', body: { roomId: 'ops', body: `${index}` } });
  const before = times(20, post);
  const archive = people.send('PUT', '/api/room/ops', { as: 'ana', body: { name: 'Ops', archived: true } });
  const after = times(20, post);
  const counts = tally(await Promise.all([...before, ...after]));
  assert.equal((await archive).status, 200);
  assert.deepEqual(
    Object.keys(counts).filter((name) => !/^(201|409 archived)$/.test(name)),
    [],
  );
  const events = (await people.send('GET', '/api/event/log?since=0&wait=0&limit=1000', { as: 'ana' })).json.events;
  const types = events.map(({ event }: { event: string }) => event);
  const at = types.indexOf('room.archived');
  assert.ok(at > 0);
  assert.ok(types.indexOf('message.created', at) === -1);
  assert.equal(types.filter((type: string) => type === 'message.created').length, counts[201] ?? 0);
});

test('of an edit and a deletion at once the deletion wins', async (t) => {
  const people = await openRoom(t);
  for (let round = 0; round < 10; round++) {
    const { json } = await people.send('POST', '/api/message', { as: 'ben', body: { roomId: 'ops', body: 'first' } });
    const path = `/api/message/${json.id}`;
    const answers = await Promise.all([
      people.send('PUT', path, { as: 'ben', body: { body: 'secret words' } }),
      people.send('DELETE', path, { as: 'ana' }),
      people.send('PUT', path, { as: 'ben', body: { body: 'more secret words' } }),
      people.send('PUT', `${path}/reaction/%F0%9F%91%8D`, { as: 'ben' }),
      people.send('PUT', `${path}/pin`, { as: 'ana' }),
    ]);
    for (const { status } of answers) assert.ok([200, 409].includes(status));
    const left = await people.send('GET', path, { as: 'ana' });
    assert.deepEqual([left.json.deleted, left.json.body, left.json.pinned, left.json.reactions], [true, '', false, []]);
    const room = await people.send('GET', '/api/room/ops', { as: 'ana' });
    assert.deepEqual(room.json.pinned, []);
  }
  const log = await people.send('GET', '/api/event/log?since=0&wait=0&limit=1000', { as: 'ana' });
  assert.doesNotMatch(log.text, /secret words/, 'deleted text is not read again');
});

test('of two changes to the same version one is made', async (t) => {
  const people = await openRoom(t);
  const { json: message } = await people.send('POST', '/api/message', {
    as: 'ben',
    body: { roomId: 'ops', body: 'x' },
  });
  const paths: readonly (readonly [string, string, (index: number) => object])[] = [
    ['ben', `/api/message/${message.id}`, (index) => ({ body: `edit ${index}` })],
    ['ana', '/api/room/ops', (index) => ({ name: 'Ops', topic: `topic ${index}` })],
    ['ana', '/api/room/ops/copilot', (index) => ({ provider: 'echo', instructions: `be ${index}` })],
  ];
  await people.send('PUT', '/api/room/ops/copilot', { as: 'ana', body: { provider: 'echo' } });
  for (const [as, path, bodyOf] of paths) {
    const etag = (await people.send('GET', path, { as })).headers.get('etag') ?? '';
    const headers = { 'if-match': etag };
    const answers = await Promise.all(
      times(10, (index) => people.send('PUT', path, { as, body: bodyOf(index), headers })),
    );
    assert.deepEqual(tally(answers), { 200: 1, '412 version_mismatch': 9 }, path);
    const now = answers.find(({ status }) => status === 200)?.headers.get('etag');
    assert.notEqual(now, etag);
    for (const { status, headers: answered } of answers) if (status === 412) assert.equal(answered.get('etag'), now);
  }
});

test('slow mode accepts one of many posts at once', async (t) => {
  const people = await openRoom(t, { slowModeSeconds: 30 });
  const answers = await Promise.all(
    times(20, (index) => people.send('POST', '/api/message', { as: 'ben', body: { roomId: 'ops', body: `${index}` } })),
  );
  assert.deepEqual(tally(answers), { 201: 1, '429 slow_mode': 19 });
  for (const { status, headers } of answers)
    if (status === 429) assert.match(headers.get('retry-after') ?? '', /^\d+$/);
});

test('a key in use is reported as such, and makes one thing', async (t) => {
  const people = await openRoom(t);
  const headers = { 'idempotency-key': 'one' };
  const answers = await Promise.all(
    times(10, () => people.send('POST', '/api/room', { as: 'ana', body: { name: 'Same' }, headers })),
  );
  const counts = tally(answers);
  assert.equal((counts[201] ?? 0) + (counts['409 request_in_progress'] ?? 0), 10, JSON.stringify(counts));
  const again = await people.send('POST', '/api/room', { as: 'ana', body: { name: 'Same' }, headers });
  assert.deepEqual([again.status, again.headers.get('idempotent-replay')], [201, 'true']);
  const ids = new Set([...answers, again].flatMap(({ status, json }) => (status === 201 ? [json.id] : [])));
  assert.equal(ids.size, 1);
  const other = await people.send('POST', '/api/room', { as: 'ana', body: { name: 'Other' }, headers });
  assert.deepEqual([other.status, other.headers.get('x-error-code')], [422, 'key_reused']);
  const { json } = await people.send('GET', '/api/room?q=same', { as: 'ana' });
  assert.equal(json.rooms.length, 1);
});

test('of rooms with one slug at once each gets a different slug, and of requested slugs one is taken', async (t) => {
  const people = await openPeople(t, ['ana'], { options: { durability: 'off' } });
  const made = await Promise.all(
    times(10, () => people.send('POST', '/api/room', { as: 'ana', body: { name: 'Ops' } })),
  );
  assert.equal(new Set(made.map(({ json }) => json.slug)).size, 10);
  const asked = await Promise.all(
    times(10, () => people.send('POST', '/api/room', { as: 'ana', body: { name: 'x', slug: 'wanted' } })),
  );
  assert.deepEqual(tally(asked), { 201: 1, '409 name_taken': 9 });
  const direct = { name: 'D', visibility: 'direct', members: ['admin'] };
  const pairs = await Promise.all(times(10, () => people.send('POST', '/api/room', { as: 'ana', body: direct })));
  assert.deepEqual(tally(pairs), { 200: 9, 201: 1 }, pairs[0]?.text);
});

test('a stream ends with the deletion of its room, or the removal of its reader, and sends nothing after it', async (t) => {
  const people = await openRoom(t, { visibility: 'private' });
  const { app, endStreams } = people.rooms;
  const listener = await listen({
    fetch: app.fetch,
    addresses: [{ host: '127.0.0.1', port: 0 }],
    clock: systemClock,
    endStreams,
  });
  t.after(() => listener.close(0));
  const ticket = async (as: string) => (await people.send('POST', '/api/event/ticket', { as })).json.ticket;
  const open = async (as: string, path: string) => openSse(`${listener.url}${path}?ticket=${await ticket(as)}`);
  const streams = [await open('ben', '/api/room/ops/event'), await open('ben', '/api/event')];
  const owner = await open('ana', '/api/room/ops/event');
  const say = (body: string) => people.send('POST', '/api/message', { as: 'ana', body: { roomId: 'ops', body } });
  await Promise.all([
    ...times(10, (index) => say(`before ${index}`)),
    people.send('DELETE', '/api/room/ops/member/ben', { as: 'ana' }),
    ...times(10, (index) => say(`after ${index}`)),
  ]);
  await streams[0]?.over;
  await say('the last');
  await people.send('DELETE', '/api/room/ops', { as: 'ana' });
  await owner.over;
  const typesOf = (text: string) => [...text.matchAll(/^event: (.*)$/gm)].map(([, type]) => type);
  assert.deepEqual(typesOf(owner.text()).filter((type) => type === 'message.created').length, 21);
  assert.equal(typesOf(owner.text()).at(-1), 'room.deleted');
  for (const stream of streams) {
    assert.doesNotMatch(stream.text(), /the last/);
    const durable = typesOf(stream.text()).filter((type) => type?.startsWith('me'));
    assert.equal(durable.at(-1), 'member.left', 'the removal is the last event of the room');
    stream.close();
  }
});

test('a disabled user, an ended token and a banned member receive nothing more, and read nothing', async (t) => {
  const clock = new FakeClock();
  const people = await openPeople(t, ['ana', 'ben', 'kim'], { clock, options: { durability: 'off' } });
  await people.send('POST', '/api/room', { as: 'ana', body: { name: 'Ops', members: ['ben', 'kim'] } });
  const { app, endStreams } = people.rooms;
  const listener = await listen({
    fetch: app.fetch,
    addresses: [{ host: '127.0.0.1', port: 0 }],
    clock: systemClock,
    endStreams,
  });
  t.after(() => listener.close(0));
  const ticket = async (as: string) => (await people.send('POST', '/api/event/ticket', { as })).json.ticket;
  const ben = await openSse(`${listener.url}/api/event?ticket=${await ticket('ben')}`);
  const kim = await openSse(`${listener.url}/api/room/ops/event?ticket=${await ticket('kim')}`);
  assert.equal((await people.send('DELETE', '/api/user/ben')).status, 200);
  assert.equal((await people.send('DELETE', '/api/room/ops/member/kim?ban=true', { as: 'ana' })).status, 204);
  await ben.over;
  await kim.over;
  assert.equal((await people.send('GET', '/api/me', { as: 'ben' })).status, 401);
  for (const path of ['/api/room/ops', '/api/room/ops/message', '/api/event/log?rooms=ops&since=0&wait=0'])
    assert.equal((await people.send('GET', path, { as: 'kim' })).status, 404, path);
  for (const path of ['/api/room/ops/join', '/api/room/ops/message'])
    assert.equal((await people.send('POST', path, { as: 'kim', body: 'x' })).status, 404, path);
});
