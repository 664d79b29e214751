import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Postgres } from '../../../kernel/postgres/postgres.ts';
import { needsPostgres } from '../../../testing/postgres.ts';
import type { Committed } from '../../domain/event.ts';
import type { RecordChange } from '../../domain/record.ts';
import { created, newMessage, post, runStarted, START, write } from '../../testing/store/parts.ts';
import { openRoomDatabase, openTestNode } from '../../testing/store/postgres-room-store.ts';
import { BehindError, type Commit, type PreparedWrite } from '../store.ts';
import type { PostgresRoomStore } from './store.ts';

interface TestNode {
  readonly store: PostgresRoomStore;
  readonly commits: readonly Commit[];
  readonly lines: readonly string[];
}

async function openNode(t: TestContext, postgres: Postgres): Promise<TestNode> {
  const lines: string[] = [];
  const commits: Commit[] = [];
  const store = await openTestNode(t, postgres, { lines });
  store.follow((commit) => void commits.push(commit));
  return { store, commits, lines };
}

async function openNodes(t: TestContext, count: number) {
  const postgres = await openRoomDatabase(t);
  const nodes: TestNode[] = [];
  for (let index = 0; index < count; index++) nodes.push(await openNode(t, postgres));
  return { postgres, nodes: nodes as [TestNode, TestNode, ...TestNode[]] };
}

const eventsOf = ({ commits }: TestNode): readonly Committed[] => commits.flatMap(({ events }) => events);

const setting = (key: string, value: string | null): RecordChange => ({
  kind: 'setting',
  key,
  value: value === null ? null : { value },
});

/** As the writer of a node: decides again when another node was faster. */
async function appendAlways(store: PostgresRoomStore, writes: () => readonly PreparedWrite[]) {
  for (;;) {
    try {
      return await store.append(writes());
    } catch (error) {
      if (!(error instanceof BehindError)) throw error;
    }
  }
}

test('positions are dense and the same on all nodes, whatever they write at once', async (t) => {
  if (!needsPostgres(t)) return;
  const { nodes } = await openNodes(t, 3);
  await Promise.all(
    nodes.map(async ({ store }, index) => {
      for (let count = 0; count < 20; count++) {
        const message = newMessage(`room-${(index + count) % 4}`);
        const record = setting(`${index}-${count}`, 'x');
        if (count % 3 === 0) await appendAlways(store, () => [{ events: [runStarted('room-1')], records: [record] }]);
        else await appendAlways(store, () => [write(created(message), created(newMessage('room-0')))]);
      }
    }),
  );
  const followed = [];
  for (const node of nodes) {
    await node.store.catchUp();
    followed.push(eventsOf(node).map(({ pos, event, data }) => ({ pos, event, data })));
    assert.deepEqual([node.store.log.violations, node.lines], [0, []]);
  }
  const [first = [], ...others] = followed;
  assert.deepEqual(
    first.map(({ pos }) => pos),
    first.map((_, index) => index + 1),
  );
  for (const other of others) assert.deepEqual(other, first);
  const bySeq = Map.groupBy(
    first.flatMap(({ event }) => ('message' in event ? [event] : [])),
    ({ roomId }) => roomId,
  );
  for (const [, events] of bySeq) {
    assert.deepEqual(
      events.map(({ message }) => message.seq),
      events.map((_, index) => index + 1),
    );
  }
  const own = nodes.map(({ commits }) => commits.filter(({ isOwn }) => isOwn).flatMap(({ events }) => events).length);
  assert.equal(
    own.reduce((sum, count) => sum + count, 0),
    first.length,
    'each event is the own one of one node',
  );
});

test('an id that two nodes post at once is one message', async (t) => {
  if (!needsPostgres(t)) return;
  const { nodes } = await openNodes(t, 2);
  const message = newMessage('a');
  const results = await Promise.allSettled(nodes.map(({ store }) => store.append([write(created(message))])));
  assert.deepEqual(results.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
  assert.ok(results.some((result) => result.status === 'rejected' && result.reason instanceof BehindError));
  for (const { store } of nodes) assert.equal((await store.page({ roomId: 'a', limit: 5 })).messages.length, 1);
});

test('a change on a state that another node has changed is refused, and goes first when it is repeated', async (t) => {
  if (!needsPostgres(t)) return;
  const { postgres, nodes } = await openNodes(t, 2);
  const [one, two] = nodes;
  await post(one.store, newMessage('a'));
  const change = (value: string) => () => [{ events: [], records: [setting('key', value)] }];
  await assert.rejects(two.store.append(change('two')()), BehindError);
  assert.equal(eventsOf(two).length, 1, 'it knows the message before it decides again');
  // Its turn lasts 100 ms, which a slow machine may take.
  await postgres.query("UPDATE opsdeck.room_log SET reserved_until = reserved_until + interval '1 h'");
  await Promise.all([appendAlways(one.store, change('one')), two.store.append(change('two')())]);
  assert.deepEqual((await one.store.load()).records, [setting('key', 'one')], 'the other node waited for its turn');
});

test('nodes learn records, and that messages were removed', async (t) => {
  if (!needsPostgres(t)) return;
  const { nodes } = await openNodes(t, 2);
  const [one, two] = nodes;
  const posted = await post(one.store, ...[1, 2, 3].map((index) => newMessage('a', { createdAt: START + index })));
  await one.store.append([{ events: [], records: [setting('odd \0 \\ key', '\0')] }]);
  const { head } = await one.store.removeMessages(
    'a',
    posted.slice(1, 2).map(({ id }) => id),
    0,
  );
  assert.deepEqual(head, { lastSeq: 3, firstSeq: 1, lastMessageAt: START + 3 });
  await two.store.catchUp();
  assert.deepEqual(
    two.commits.flatMap(({ records }) => records),
    [setting('odd \0 \\ key', '\0')],
  );
  const removals = two.commits.flatMap(({ removal }) => removal ?? []);
  assert.deepEqual(removals, [{ heads: new Map([['a', head]]), firstPos: 1 }]);
  assert.deepEqual(
    eventsOf(two).map(({ pos }) => pos),
    [1, 3],
    'the removed event was not read in time',
  );
  assert.deepEqual(one.commits.at(-1)?.removal, removals[0], 'the node that removes learns it in the same way');
  await two.store.removeRoom('a');
  await one.store.catchUp();
  assert.deepEqual(one.commits.at(-1)?.removal?.heads.get('a'), { lastSeq: 0, firstSeq: 0, lastMessageAt: null });
  assert.equal((await post(one.store, newMessage('b')))[0]?.seq, 1);
  await two.store.catchUp();
  assert.deepEqual([one.store.log.violations, two.store.log.violations], [0, 0]);
});

test('a node that is far behind reads in pages', async (t) => {
  if (!needsPostgres(t)) return;
  const { nodes } = await openNodes(t, 2);
  const [one, two] = nodes;
  for (let batch = 0; batch < 5; batch++) await post(one.store, ...Array.from({ length: 500 }, () => newMessage('a')));
  await two.store.catchUp();
  assert.deepEqual(
    eventsOf(two).map(({ pos }) => pos),
    Array.from({ length: 2500 }, (_, index) => index + 1),
  );
  assert.equal(two.store.version, one.store.version);
});

test('a hole in the log is reported, and clients start again', async (t) => {
  if (!needsPostgres(t)) return;
  const { postgres, nodes } = await openNodes(t, 2);
  const [one, two] = nodes;
  for (const hole of [2, 6]) {
    await post(one.store, newMessage('a'), newMessage('a'), newMessage('a'));
    await postgres.query('DELETE FROM opsdeck.room_event WHERE pos = $1', [hole]);
    await two.store.catchUp();
  }
  assert.equal(two.store.log.violations, 2);
  assert.match(two.lines.join('\n'), /the log has a hole/);
  assert.equal(two.commits.at(-1)?.restart?.pos, 6);
});

test('a log of another origin gets a new epoch, and clients start again', async (t) => {
  if (!needsPostgres(t)) return;
  const { postgres, nodes } = await openNodes(t, 2);
  const [one, two] = nodes;
  await post(one.store, newMessage('a'));
  const { epoch } = await one.store.load();
  await postgres.query("UPDATE opsdeck.room_log SET origin = '1/00000099'");
  await assert.rejects(post(one.store, newMessage('a')), BehindError);
  await two.store.catchUp();
  const restarts = nodes.map(({ commits }) => commits.flatMap(({ restart }) => restart ?? []));
  const renewed = restarts.map(([restart]) => restart?.epoch);
  assert.notEqual(renewed[0], epoch);
  assert.deepEqual([renewed[1], restarts.map(({ length }) => length)], [renewed[0], [1, 1]]);
  assert.equal((await post(one.store, newMessage('a')))[0]?.seq, 2);
});

test('a node that has missed removed records reads all of them again', async (t) => {
  if (!needsPostgres(t)) return;
  const { postgres, nodes } = await openNodes(t, 2);
  const [one, two] = nodes;
  await one.store.append([{ events: [], records: [setting('gone', '1'), setting('kept', '1')] }]);
  await two.store.catchUp();
  await one.store.append([{ events: [], records: [setting('gone', null)] }]);
  await one.store.prune();
  await postgres.query("UPDATE opsdeck.room_record SET removed_at = removed_at - interval '2 h'");
  await one.store.prune();
  await post(one.store, newMessage('a'));
  await two.store.catchUp();
  assert.deepEqual(two.commits.at(-1)?.restart?.records, [setting('kept', '1')]);
  assert.deepEqual(
    [one, two].map(({ commits }) => commits.filter(({ restart }) => restart).length),
    [0, 1],
    'the other one has read it before',
  );
});

test('an append brings what other nodes have committed, in the order of the log and without a read', async (t) => {
  if (!needsPostgres(t)) return;
  const { nodes } = await openNodes(t, 2);
  const [one, two] = nodes;
  await post(one.store, newMessage('a'));
  await one.store.append([{ events: [], records: [setting('key', 'value')] }]);
  await assert.rejects(post(two.store, newMessage('a')), BehindError, 'also if it is refused');
  await post(one.store, newMessage('a'));
  await post(two.store, newMessage('a'));
  assert.deepEqual(
    two.commits.flatMap(({ isOwn, events, records }) => [
      ...records.map(({ key }) => key),
      ...events.map(({ pos }) => [isOwn, pos]),
    ]),
    ['key', [false, 1], [false, 2], [true, 3]],
  );
  await one.store.log.reach(two.store.version);
  assert.deepEqual(eventsOf(one), eventsOf(two));
  assert.deepEqual([one.store.log.violations, two.store.log.violations], [0, 0]);
});
