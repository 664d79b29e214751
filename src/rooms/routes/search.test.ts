import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../testing/fake/clock.ts';
import type { RoomsAnswer } from '../testing/app.ts';
import { openPeople, type TestPeople } from '../testing/people.ts';

interface Hit {
  readonly message: { readonly body: string };
  readonly snippet: string;
  readonly offsets: readonly (readonly [number, number])[];
}

const bodies = ({ json }: RoomsAnswer): string[] => json.hits.map(({ message }: Hit) => message.body);

async function search(people: TestPeople, query: string, as = 'ana'): Promise<RoomsAnswer> {
  await people.core.store.indexed();
  return people.send('GET', `/api/search?${query}`, { as });
}

test('a search finds the matches of its words and filters, the newest first', async (t) => {
  const clock = new FakeClock('2026-01-31T09:00:00Z');
  const people = await openPeople(t, ['ana', 'ben', 'bot:ci'], { clock });
  for (const name of ['ops', 'dev'])
    await people.send('POST', '/api/room', { as: 'ana', body: { name, members: ['ben', 'ci'] } });
  const post = (room: string, as: string, body: object) =>
    people.send('POST', `/api/room/${room}/message`, { as, body });
  const file = await people.send('POST', '/api/file', { as: 'ben', body: 'log' });
  await post('ops', 'ana', { body: 'Die Grüße sind da' });
  await post('ops', 'ben', { body: 'deploy done, see https://example.com/x', attachments: [file.json.id] });
  await post('dev', 'ben', { body: 'deploy failed' });
  clock.advance(3_600_000);
  await post('ops', 'ci', { body: 'CPU is high', type: 'alert', card: {} });
  const done = 'deploy done, see https://example.com/x';
  const cases: readonly (readonly [q: string, found: readonly string[]])[] = [
    ['q=deploy', ['deploy failed', done]],
    ['q=gruße', ['Die Grüße sind da']],
    ['q=deploy%20-failed', [done]],
    ['q=%22deploy%20done%22', [done]],
    ['q=%22done%20deploy%22', []],
    ['q=depl*', ['deploy failed', done]],
    ['q=deploy&room=dev', ['deploy failed']],
    ['q=deploy%20in:ops', [done]],
    ['q=from:ben', ['deploy failed', done]],
    ['from=ana', ['Die Grüße sind da']],
    ['q=has:file', [done]],
    ['has=link', [done]],
    ['type=alert', ['CPU is high']],
    ['q=deploy&before=2026-01-31', []],
    ['after=2026-01-31T10:00:00Z', ['CPU is high']],
    ['q=deploy%20OR%20done', []],
    ['q=%22%20OR%20body:%22', []],
  ];
  for (const [query, found] of cases) {
    const answer = await search(people, query);
    assert.equal(answer.status, 200, `${query} ${answer.text}`);
    assert.deepEqual(bodies(answer), found, query);
  }
  const [hit] = (await search(people, 'q=done')).json.hits as Hit[];
  assert.deepEqual(
    hit?.offsets.map(([start, end]) => hit.snippet.slice(start, end)),
    ['done'],
  );
});

test('a search resumes at the end of its last page', async (t) => {
  const people = await openPeople(t, ['ana']);
  await people.send('POST', '/api/room', { as: 'ana', body: { name: 'ops' } });
  for (let n = 0; n < 7; n++)
    await people.send('POST', '/api/room/ops/message', { as: 'ana', body: { body: `word ${n}` } });
  const seen: string[] = [];
  let next = '';
  do {
    const answer = await search(people, `q=word&limit=3${next === '' ? '' : `&next=${next}`}`);
    seen.push(...bodies(answer));
    next = answer.json.next ?? '';
  } while (next !== '');
  assert.deepEqual(
    seen,
    [6, 5, 4, 3, 2, 1, 0].map((n) => `word ${n}`),
  );
});

test('a search finds nothing in unreadable rooms, and does not reveal them', async (t) => {
  const people = await openPeople(t, ['ana', 'ben']);
  await people.send('POST', '/api/room', { as: 'ana', body: { name: 'vault', visibility: 'private' } });
  await people.send('POST', '/api/room/vault/message', { as: 'ana', body: { body: 'a secret word' } });
  assert.deepEqual(bodies(await search(people, 'q=secret')), ['a secret word']);
  assert.deepEqual((await search(people, 'q=secret', 'ben')).json, { hits: [], next: null });
  const named = await search(people, 'q=secret&room=vault', 'ben');
  assert.deepEqual([named.status, named.headers.get('x-error-code')], [404, 'room_not_found']);
});

test('an edited message is found by its new words, a deleted one not at all', async (t) => {
  const people = await openPeople(t, ['ana']);
  await people.send('POST', '/api/room', { as: 'ana', body: { name: 'ops' } });
  const { json } = await people.send('POST', '/api/room/ops/message', { as: 'ana', body: { body: 'apple' } });
  const path = `/api/message/${json.id}`;
  await search(people, 'q=apple');
  await people.send('PUT', path, { as: 'ana', body: { body: 'pear' } });
  assert.deepEqual([bodies(await search(people, 'q=apple')), bodies(await search(people, 'q=pear'))], [[], ['pear']]);
  await people.send('DELETE', path, { as: 'ana' });
  assert.deepEqual(bodies(await search(people, 'q=pear')), []);
});

test('an empty or impossible search is refused', async (t) => {
  const people = await openPeople(t, ['ana']);
  for (const query of [
    '',
    'q=',
    'q=%20!%20',
    'q=-word',
    'q=type:joke',
    'type=joke',
    'before=soon',
    'limit=0',
    'limit=101',
    'next=x',
    'from=',
    `q=${'x'.repeat(1_001)}`,
  ]) {
    const answer = await search(people, query);
    assert.deepEqual([answer.status, answer.headers.get('x-error-code')], [400, 'invalid_query'], query);
  }
});
