import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import { EPOCH, FeedKit } from '../testing/feed/parts.ts';

interface LogAnswer {
  readonly events: readonly { readonly id: string; readonly event: string; readonly data: { readonly pos: number } }[];
  readonly cursor: string;
  readonly epoch: string;
}

async function openKit(t: TestContext): Promise<{ kit: FeedKit; clock: FakeClock }> {
  const clock = new FakeClock();
  const kit = await new FeedKit({ clock }).listens(t);
  for (const user of ['ana', 'ben']) await kit.addUser(user);
  await kit.addRoom('r1', ['ana']);
  return { kit, clock };
}

async function ask(kit: FeedKit, query: string, as = 'ana', signal?: AbortSignal): Promise<LogAnswer> {
  const answer = await fetch(`${kit.url}/api/event/log${query}`, {
    headers: { 'x-opsdeck-user': as, connection: 'close' },
    ...(signal ? { signal } : {}),
  });
  assert.equal(answer.status, 200);
  return (await answer.json()) as LogAnswer;
}

const positions = ({ events }: LogAnswer) => events.map(({ data }) => data.pos);

test('the log answers with the ids of the stream, a page at a time, and the next position', async (t) => {
  const { kit } = await openKit(t);
  await kit.postMany('r1', 5);
  for (const forget of [false, true]) {
    if (forget) kit.feed.forgetLog();
    const first = await ask(kit, '?since=0&limit=4');
    assert.deepEqual(positions(first), [1, 2, 3, 4]);
    assert.equal(first.events[2]?.id, `${EPOCH}-3`);
    assert.equal(first.events[2]?.event, 'message.created');
    assert.deepEqual([first.cursor, first.epoch], [`${EPOCH}-4`, EPOCH]);
    const rest = await ask(kit, `?since=${first.cursor}`);
    assert.deepEqual(positions(rest), [5, 6, 7]);
    assert.equal(rest.cursor, `${EPOCH}-7`);
  }
});

test('without events it waits for the first visible one, and returns later ones of the same commit', async (t) => {
  const { kit } = await openKit(t);
  await kit.addRoom('r2', ['ben']);
  const asked = ask(kit, `?since=${EPOCH}-4`);
  await eventually('it waits', () => kit.feed.size === 1);
  await kit.post('r2');
  await kit.postMany('r1', 3);
  const answer = await asked;
  assert.deepEqual(positions(answer), [6, 7, 8]);
  assert.equal(answer.cursor, `${EPOCH}-8`);
  assert.equal(kit.feed.size, 0);
});

test('without new events it answers at the end of the wait, beyond events of others', async (t) => {
  const { kit, clock } = await openKit(t);
  await kit.addRoom('r2', ['ben']);
  const asked = ask(kit, '?wait=60');
  await eventually('it waits', () => kit.feed.size === 1);
  await kit.post('r2');
  clock.advance(60_000);
  assert.deepEqual(await asked, { events: [], cursor: `${EPOCH}-5`, epoch: EPOCH });
  assert.deepEqual(positions(await ask(kit, `?since=${EPOCH}-5&wait=0`)), []);
});

test('no event is lost between two answers, whatever happens meanwhile', async (t) => {
  const { kit } = await openKit(t);
  let cursor = `${EPOCH}-2`;
  const seen: number[] = [];
  const posting = (async () => {
    for (let index = 0; index < 60; index++) {
      await kit.postMany('r1', 1 + (index % 7));
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  let isPosted = false;
  void posting.then(() => {
    isPosted = true;
  });
  while (!isPosted || seen.at(-1) !== kit.log.events.length) {
    const answer = await ask(kit, `?since=${cursor}&limit=5&wait=1`);
    seen.push(...positions(answer));
    cursor = answer.cursor;
  }
  assert.deepEqual(
    seen,
    Array.from({ length: seen.length }, (_, index) => index + 3),
  );
});

test('a cursor of another log is reported, with the position to resume at', async (t) => {
  const { kit } = await openKit(t);
  const answer = await ask(kit, '?since=other-1'.replace('other', 'abcd'));
  assert.deepEqual(answer, {
    events: [{ id: `${EPOCH}-2`, event: 'reset', data: { reason: 'epoch', pos: 2 } }],
    cursor: `${EPOCH}-2`,
    epoch: EPOCH,
  });
});

test('a client that disconnects ends its wait; so does a token that ends', async (t) => {
  const { kit, clock } = await openKit(t);
  const gone = new AbortController();
  const asked = ask(kit, '', 'ana', gone.signal);
  await eventually('it waits', () => kit.feed.size === 1);
  gone.abort();
  await assert.rejects(asked);
  await eventually('no request waits', () => kit.feed.size === 0);
  const expiring = fetch(`${kit.url}/api/event/log`, {
    headers: { 'x-opsdeck-user': 'ana', connection: 'close', authorization: `t1 ${clock.now() + 2000}` },
  });
  await eventually('it waits', () => kit.feed.size === 1);
  clock.advance(2000);
  assert.deepEqual(((await (await expiring).json()) as LogAnswer).events, []);
});

test('an invalid query is refused by name', async (t) => {
  const { kit } = await openKit(t);
  for (const query of ['?limit=0', '?limit=1001', '?wait=61', '?wait=x', '?since=x', '?access_token=odr_x']) {
    const answer = await fetch(`${kit.url}/api/event/log${query}`, { headers: { connection: 'close' } });
    assert.equal(answer.status, 400, query);
    const name = query.slice(1, query.indexOf('='));
    assert.ok(((await answer.json()) as string).startsWith(`${name}:`), query);
  }
});
