import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Cleanup } from '../../testing/processes.ts';
import { openTestRooms, type RoomsAnswer, type TestRooms } from '../testing/app.ts';
import { openPeople } from '../testing/people.ts';

/** A room with 30 messages: seq 1 is a root, every tenth replies to it; ana and ben take turns. */
async function openWithPages(t: Cleanup): Promise<{ rooms: TestRooms; root: string }> {
  const rooms = await openTestRooms(t);
  await rooms.send('POST', '/api/room', { as: 'ana', body: { name: 'ops' } });
  let root = '';
  for (let n = 1; n <= 30; n++) {
    const body = { body: `m${n}`, id: `message-${n}`, ...(n % 10 === 0 ? { threadId: root, type: 'command' } : {}) };
    const { json } = await rooms.send('POST', '/api/room/ops/message', { as: n % 2 ? 'ana' : 'ben', body });
    if (n === 1) root = json.id;
  }
  return { rooms, root };
}

const seqs = ({ json }: RoomsAnswer): number[] => json.messages.map(({ seq }: { seq: number }) => seq);
const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, n) => from + n);

const PAGES: readonly (readonly [query: string, seqs: readonly number[], hasBefore: boolean, hasAfter: boolean])[] = [
  ['', range(1, 30), false, false],
  ['limit=10', range(21, 30), true, false],
  ['limit=10&before=21', range(11, 20), true, true],
  ['limit=10&before=11', range(1, 10), false, true],
  ['limit=10&after=0', range(1, 10), false, true],
  ['limit=10&after=20', range(21, 30), true, false],
  ['limit=200&after=29', [30], true, false],
  ['limit=10&after=30', [], true, false],
  ['thread=message-1', [1, 10, 20, 30], false, false],
  ['type=command', [10, 20, 30], false, false],
  ['author=ben&limit=3', [26, 28, 30], true, false],
  ['author=nobody', [], false, false],
];

test('a page is ascending, and names its neighbours', async (t) => {
  const { rooms } = await openWithPages(t);
  for (const [query, expected, hasBefore, hasAfter] of PAGES) {
    const answer = await rooms.send('GET', `/api/room/ops/message?${query}`, { as: 'ana' });
    assert.equal(answer.status, 200, `${query} ${answer.text}`);
    assert.deepEqual(seqs(answer), expected, query);
    const { firstSeq, lastSeq } = answer.json;
    assert.deepEqual([firstSeq, lastSeq], [expected[0] ?? 0, expected.at(-1) ?? 0], query);
    assert.deepEqual([answer.json.hasBefore, answer.json.hasAfter], [hasBefore, hasAfter], query);
  }
});

test('a page around a message includes it, by number or id', async (t) => {
  const { rooms } = await openWithPages(t);
  for (const around of ['15', 'message-15']) {
    const answer = await rooms.send('GET', `/api/room/ops/message?around=${around}&limit=5`, { as: 'ana' });
    assert.ok(seqs(answer).includes(15) && seqs(answer).length === 5, answer.text);
    assert.deepEqual([answer.json.hasBefore, answer.json.hasAfter], [true, true]);
  }
});

test('links lead through all pages, forwards and backwards, once through each', async (t) => {
  const { rooms } = await openWithPages(t);
  for (const [relation, start] of [
    ['next', '/api/room/ops/message?after=0&limit=7'],
    ['prev', '/api/room/ops/message?limit=7'],
    ['prev', '/api/room/ops/message?limit=2&author=ben'],
  ] as const) {
    const seen: number[] = [];
    for (let path: string | undefined = start; path !== undefined; ) {
      const answer: RoomsAnswer = await rooms.send('GET', path, { as: 'ana' });
      seen.push(...seqs(answer));
      path = new RegExp(`<([^>]*)>; rel="${relation}"`).exec(answer.headers.get('link') ?? '')?.[1];
    }
    const expected = range(1, 30).filter((n) => !start.includes('author') || n % 2 === 0);
    assert.deepEqual(
      seen.sort((a, b) => a - b),
      expected,
    );
  }
});

test('the cursor of a page is the place in the stream before it was read', async (t) => {
  const { rooms } = await openWithPages(t);
  const { json } = await rooms.send('GET', '/api/room/ops/message?limit=1', { as: 'ana' });
  assert.equal(json.cursor, `${rooms.core.feed.epoch}-${rooms.core.writer.pos}`);
  await rooms.send('POST', '/api/room/ops/message', { as: 'ana', body: { body: 'later' } });
  const log = await rooms.send('GET', `/api/event/log?since=${json.cursor}&wait=0`, { as: 'ana' });
  assert.deepEqual(
    log.json.events.map(({ event }: { event: string }) => event),
    ['message.created'],
  );
});

test('an impossible page is refused', async (t) => {
  const { rooms } = await openWithPages(t);
  for (const query of [
    'limit=0',
    'limit=201',
    'limit=x',
    'before=-1',
    'after=1.5',
    'before=1&after=2',
    'around=x',
    'type=joke',
    'thread=x',
  ]) {
    const answer = await rooms.send('GET', `/api/room/ops/message?${query}`, { as: 'ana' });
    assert.deepEqual([answer.status, answer.headers.get('x-error-code')], [400, 'invalid_query'], query);
  }
  for (const query of ['around=no-such-message', 'thread=no-such-message']) {
    const answer = await rooms.send('GET', `/api/room/ops/message?${query}`, { as: 'ana' });
    assert.deepEqual([answer.status, answer.headers.get('x-error-code')], [404, 'message_not_found'], query);
  }
});

test('a later member sees nothing earlier if the room is set so', async (t) => {
  const people = await openPeople(t, ['ana', 'ben']);
  const body = { name: 'ops', visibility: 'private', historyVisibility: 'joined' };
  await people.send('POST', '/api/room', { as: 'ana', body });
  const early = await people.send('POST', '/api/room/ops/message', { as: 'ana', body: { body: 'early word' } });
  assert.equal((await people.send('GET', '/api/room/ops/message', { as: 'ben' })).status, 404);
  await people.send('PUT', '/api/room/ops/member/ben', { as: 'ana', body: { role: 'member' } });
  await people.send('POST', '/api/room/ops/message', { as: 'ana', body: { body: 'late word' } });
  const page = await people.send('GET', '/api/room/ops/message', { as: 'ben' });
  assert.deepEqual(seqs(page), [2]);
  for (const path of [early.json.id, `${early.json.id}/history`])
    assert.equal((await people.send('GET', `/api/message/${path}`, { as: 'ben' })).status, 404);
  for (const query of [`around=${early.json.id}`, `thread=${early.json.id}`])
    assert.equal((await people.send('GET', `/api/room/ops/message?${query}`, { as: 'ben' })).status, 404);
  const reply = { body: 're', replyTo: early.json.id };
  assert.equal((await people.send('POST', '/api/room/ops/message', { as: 'ben', body: reply })).status, 400);
  await people.core.store.indexed();
  const search = await people.send('GET', '/api/search?q=word', { as: 'ben' });
  assert.deepEqual(
    search.json.hits.map(({ message }: { message: { seq: number } }) => message.seq),
    [2],
  );
});
