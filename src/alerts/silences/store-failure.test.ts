import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeDatabase } from '../../testing/fake/database.ts';
import { HOUR, onLabelA, postedSilence, START } from '../testing/parts.ts';
import { LocalSilences } from './storage.ts';
import { type SetResult, SilenceStore } from './store.ts';

const FULL = new Error('database or disk is full');

function createStore(maxSilences = 0) {
  const database = new FakeDatabase();
  const rules = { retentionMs: HOUR, maxSilences, maxSilenceSizeBytes: 0, classicNames: false };
  let count = 0;
  const store = new SilenceStore(new LocalSilences(database), rules, () => `id-${++count}`);
  const reported: string[] = [];
  store.subscribe((changes) => reported.push(changes.map(({ after }) => `${after?.id} ${after?.comment}`).join(', ')));
  return { database, store, reported };
}

function idOf(result: SetResult): string {
  assert.ok(result.ok, result.ok ? '' : result.reason);
  return result.value;
}

/** Whether a promise has settled by now. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending');
  const turn = new Promise((done) => setImmediate(() => done(pending)));
  return (await Promise.race([promise.catch(() => {}), turn])) !== pending;
}

test('no silence is visible before it is on disk', async () => {
  const { database, store, reported } = createStore();
  database.hold();
  const result = store.set(postedSilence(), START);
  assert.equal(await isSettled(result), false);
  assert.equal(store.get('id-1'), undefined);
  assert.deepEqual([[...store.all()], reported], [[], []]);
  await database.release();
  assert.deepEqual(await result, { ok: true, value: 'id-1' });
  assert.deepEqual(reported, ['id-1 works']);
});

test('a failed write leaves nothing visible, and no place taken', async () => {
  const { database, store, reported } = createStore(1);
  database.failure = FULL;
  await assert.rejects(store.set(postedSilence(), START), FULL);
  assert.deepEqual([[...store.all()], reported], [[], []]);
  database.failure = undefined;
  assert.equal((await store.set(postedSilence(), START)).ok, true);
});

test('a failed update, replacement or end leaves the silence as it was', async () => {
  const { database, store, reported } = createStore();
  await store.set(postedSilence(), START);
  const before = store.get('id-1');
  database.failure = FULL;
  await assert.rejects(store.set(postedSilence({ id: 'id-1', comment: 'changed' }), START), FULL);
  await assert.rejects(store.set(postedSilence({ id: 'id-1', ...onLabelA('c') }), START), FULL);
  await assert.rejects(store.expire('id-1', START), FULL);
  assert.deepEqual([...store.all()], [before]);
  assert.deepEqual(reported, ['id-1 works']);
  // The next decision is based on the disk.
  database.failure = undefined;
  assert.deepEqual(await store.set(postedSilence({ id: 'id-1', comment: 'again' }), START), {
    ok: true,
    value: 'id-1',
  });
});

test('a failed removal of old silences keeps them', async () => {
  const { database, store } = createStore();
  await store.set(postedSilence(), START);
  database.failure = FULL;
  await assert.rejects(store.collectGarbage(START + 3 * HOUR), FULL);
  assert.ok(store.get('id-1'));
  database.failure = undefined;
  assert.equal(await store.collectGarbage(START + 3 * HOUR), 1);
});

test('a replacement and the end of the replaced silence are one transaction', async () => {
  const { database, store } = createStore();
  await store.set(postedSilence(), START);
  const id = idOf(await store.set(postedSilence({ id: 'id-1', ...onLabelA('c') }), START));
  assert.deepEqual(
    database.committed.map((statements) => statements.map(({ values }) => values[0])),
    [['id-1'], ['id-1', id]],
  );
});

test('of two updates at once the later one counts', async () => {
  const { database, store, reported } = createStore();
  await store.set(postedSilence(), START);
  database.hold();
  const updates = ['first', 'second'].map((comment) => store.set(postedSilence({ id: 'id-1', comment }), START));
  await database.release();
  assert.deepEqual(await Promise.all(updates), [
    { ok: true, value: 'id-1' },
    { ok: true, value: 'id-1' },
  ]);
  assert.deepEqual(reported, ['id-1 works', 'id-1 first', 'id-1 second']);
  assert.equal(store.get('id-1')?.comment, 'second');
});

test('of two replacements at once only the first ends the silence', async () => {
  const { database, store } = createStore();
  await store.set(postedSilence(), START);
  database.hold();
  const replacements = ['c', 'd'].map((value) =>
    store.set(postedSilence({ id: 'id-1', ...onLabelA(value) }), START + 5),
  );
  await database.release();
  const [c, d] = (await Promise.all(replacements)).map(idOf);
  assert.deepEqual(
    [...store.all()].map(({ id, endsAt }) => [id, endsAt - START]),
    [
      ['id-1', 5],
      [c, HOUR],
      [d, HOUR],
    ],
  );
  assert.deepEqual(database.committed[2]?.length, 1);
});

test('an update of a silence with its end under way does not restore it', async () => {
  const { database, store } = createStore();
  await store.set(postedSilence(), START);
  database.hold();
  const ended = store.expire('id-1', START + 5);
  const updated = store.set(postedSilence({ id: 'id-1' }), START + 5);
  await database.release();
  assert.equal(await ended, true);
  assert.notEqual(idOf(await updated), 'id-1');
  assert.equal(store.get('id-1')?.endsAt, START + 5);
});

test('a decision uses the newest of several writes under way', async () => {
  const { database, store } = createStore();
  await store.set(postedSilence(), START);
  database.hold();
  const first = store.set(postedSilence({ id: 'id-1', comment: 'first' }), START + 5);
  const ended = store.expire('id-1', START + 5);
  await database.release(1);
  assert.equal(idOf(await first), 'id-1');
  const updated = store.set(postedSilence({ id: 'id-1', comment: 'second' }), START + 5);
  await database.release();
  await ended;
  assert.notEqual(idOf(await updated), 'id-1');
  assert.equal(store.get('id-1')?.endsAt, START + 5);
});

test('a second end of a silence during the first waits for the disk, too', async () => {
  const { database, store } = createStore();
  await store.set(postedSilence(), START);
  database.hold();
  const ends = [store.expire('id-1', START + 5), store.expire('id-1', START + 6)] as const;
  assert.equal(await isSettled(ends[1]), false);
  database.failure = FULL;
  await Promise.all([assert.rejects(ends[0], FULL), assert.rejects(ends[1], FULL), database.release()]);
  assert.equal(store.get('id-1')?.endsAt, START + HOUR);
});

test('a silence that is just being written is not forgotten', async () => {
  const { database, store } = createStore();
  await store.set(postedSilence({ endsAt: START + 10 }), START);
  database.hold();
  const updated = store.set(postedSilence({ id: 'id-1', endsAt: START + 9 * HOUR }), START + 5);
  // A clock that jumped: by the old end its retention is over.
  assert.equal(await store.collectGarbage(START + 5 * HOUR), 0);
  await database.release();
  await updated;
  assert.equal(store.get('id-1')?.endsAt, START + 9 * HOUR);
});
