import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Database, openDatabase } from '../../kernel/storage/database.ts';
import type { Silence } from '../domain/silence.ts';
import { HOUR, MINUTE, onLabelA, postedSilence, START } from '../testing/parts.ts';
import { LocalSilences, SILENCE_MIGRATION, type SilenceChange, type SilenceStorage } from './storage.ts';
import { countSilenceStates, type SilenceRules, SilenceStore } from './store.ts';

const RULES: SilenceRules = { retentionMs: HOUR, maxSilences: 0, maxSilenceSizeBytes: 0, classicNames: false };

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'silence-store-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function open(t: TestContext, path: string): Promise<Database> {
  const directory = { path, release: () => {} };
  const database = await openDatabase({ directory, name: 'alerts.db', migrations: [SILENCE_MIGRATION] });
  t.after(() => database.close());
  return database;
}

function createStore(database: Database, rules: Partial<SilenceRules> = {}): SilenceStore {
  let count = 0;
  return new SilenceStore(new LocalSilences(database), { ...RULES, ...rules }, () => `id-${++count}`);
}

/** All that can be compared of a silence; what its matchers do follows from the rest. */
const plain = (silences: Iterable<Silence>) =>
  [...silences]
    .map((silence) => ({
      ...silence,
      matchers: silence.matchers.map(({ name, operator, value }) => name + operator + value),
    }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));

/** A store with silences in every state; the second one has been replaced by `successor`. */
async function eventful(t: TestContext) {
  const path = temporaryFolder(t);
  const database = await open(t, path);
  const store = createStore(database);
  await store.set(postedSilence(), START);
  await store.set(
    postedSilence({ ...onLabelA('été 😀'), annotations: JSON.parse('{"__proto__":"x","10":"","9":""}') }),
    START,
  );
  await store.set(
    postedSilence({
      matchers: [
        { name: '__proto__', value: '.+', isRegex: true, isEqual: true },
        { name: 'c', value: '(?i)d', isRegex: true, isEqual: false },
        { name: 'e', value: '', isRegex: false, isEqual: false },
      ],
      startsAt: START + MINUTE,
      comment: 'one\u0000two',
      createdBy: "o'x",
    }),
    START,
  );
  await store.set(postedSilence({ id: 'id-1', comment: 'changed' }), START + 1);
  const replacement = await store.set(postedSilence({ id: 'id-2', ...onLabelA('other') }), START + 2);
  await store.expire('id-3', START + 3);
  return { path, store, database, successor: replacement.ok ? replacement.value : '' };
}

test('a silence is created, updated, replaced and ended', async (t) => {
  const { store, successor } = await eventful(t);
  assert.deepEqual(
    plain(store.all()).map(({ id, matchers, startsAt, endsAt, updatedAt, comment }) => [
      id,
      matchers.join(),
      startsAt - START,
      endsAt - START,
      updatedAt - START,
      comment,
    ]),
    [
      ['id-1', 'a=b', 0, HOUR, 1, 'changed'],
      ['id-2', 'a=été 😀', 0, 2, 2, 'works'],
      ['id-3', '__proto__=~.+,c!~(?i)d,e!=', 3, 3, 3, 'one\u0000two'],
      [successor, 'a=other', 2, HOUR, 2, 'works'],
    ],
  );
});

test('acknowledged silences are there after the database was reopened, and match as before', async (t) => {
  const { path, store, database } = await eventful(t);
  await database.close();
  const reopened = createStore(await open(t, path));
  const changes: SilenceChange[] = [];
  reopened.subscribe((reported) => changes.push(...reported));
  assert.equal(await reopened.load(), 4);
  assert.deepEqual(plain(reopened.all()), plain(store.all()));
  assert.deepEqual(plain(changes.map(({ after }) => after as Silence)), plain(store.all()));
  assert.ok(changes.every(({ before }) => before === undefined));
  const [first, second] = reopened.get('id-3')?.matchers ?? [];
  assert.deepEqual(
    [first?.matches('x'), first?.matches(''), second?.matches('D'), second?.matches('x')],
    [true, false, false, true],
  );
});

test('an expired silence stays expired, whatever the clock of a later update says', async (t) => {
  const store = createStore(await open(t, temporaryFolder(t)));
  await store.set(postedSilence(), START);
  await store.expire('id-1', START + 20);
  await store.set(postedSilence({ id: 'id-1' }), START + 10);
  assert.equal(store.get('id-1')?.endsAt, START + 20);
});

test('an expiry among updates that come together is not undone', async (t) => {
  const store = createStore(await open(t, temporaryFolder(t)));
  await store.set(postedSilence(), START);
  const update = () => store.set(postedSilence({ id: 'id-1', comment: 'updated' }), START + 10);
  await Promise.all([update(), update(), store.expire('id-1', START + 10), update(), update()]);
  assert.equal(store.get('id-1')?.endsAt, START + 10);
});

test('an unknown silence is not created under the posted id', async (t) => {
  const store = createStore(await open(t, temporaryFolder(t)));
  assert.deepEqual(await store.set(postedSilence({ id: 'nobody' }), START), { ok: false, reason: 'silence not found' });
  assert.deepEqual(await store.set(postedSilence({ id: 'nobody', ...onLabelA('') }), START), {
    ok: false,
    reason: 'silence not found',
  });
  assert.equal(await store.expire('nobody', START), false);
  assert.deepEqual([...store.all()], []);
});

test('invalid matchers are refused, and nothing changes', async (t) => {
  const store = createStore(await open(t, temporaryFolder(t)));
  await store.set(postedSilence(), START);
  const result = await store.set(postedSilence({ id: 'id-1', ...onLabelA('') }), START);
  assert.deepEqual(result, {
    ok: false,
    reason: 'invalid silence: matcher set 0: at least one matcher must not match the empty string',
  });
  assert.equal(store.get('id-1')?.endsAt, START + HOUR);
});

test('listeners are sent each commit with the silences before and after; ending an ended silence is no commit', async (t) => {
  const store = createStore(await open(t, temporaryFolder(t)));
  const reported: string[][] = [];
  const end = store.subscribe((changes) =>
    reported.push(
      changes.map(({ before, after }) => `${before?.id}@${before?.endsAt} → ${after?.id}@${after?.endsAt}`),
    ),
  );
  await store.set(postedSilence({ endsAt: START + 10 }), START);
  await store.set(postedSilence({ id: 'id-1', endsAt: START + 20 }), START);
  const replacement = await store.set(postedSilence({ id: 'id-1', ...onLabelA('c'), endsAt: START + 30 }), START + 5);
  const successor = replacement.ok ? replacement.value : '';
  assert.equal(await store.expire('id-1', START + 6), true);
  end();
  await store.expire(successor, START + 7);
  assert.deepEqual(reported, [
    [`undefined@undefined → id-1@${START + 10}`],
    [`id-1@${START + 10} → id-1@${START + 20}`],
    [`id-1@${START + 20} → id-1@${START + 5}`, `undefined@undefined → ${successor}@${START + 30}`],
  ]);
});

test('a silence is deleted when its retention is over, on disk as well', async (t) => {
  const path = temporaryFolder(t);
  const database = await open(t, path);
  const store = createStore(database);
  await store.set(postedSilence({ endsAt: START + MINUTE }), START);
  await store.set(postedSilence({ endsAt: START + MINUTE + 1 }), START);
  const forgotten: (string | undefined)[] = [];
  store.subscribe((changes) => forgotten.push(...changes.map(({ before, after }) => after?.id ?? before?.id)));
  assert.equal(await store.collectGarbage(START + MINUTE + HOUR - 1), 0);
  assert.equal(await store.collectGarbage(START + MINUTE + HOUR), 1);
  assert.deepEqual(forgotten, ['id-1']);
  assert.equal(store.get('id-1'), undefined);
  await database.close();
  const reopened = createStore(await open(t, path));
  assert.equal(await reopened.load(), 1);
  assert.ok(reopened.get('id-2'));
});

test('the bytes of the silences are their bytes on disk', async (t) => {
  const database = await open(t, temporaryFolder(t));
  const store = createStore(database);
  assert.equal(await store.countBytes(), 0);
  await store.set(postedSilence({ comment: 'short' }), START);
  const one = await store.countBytes();
  await store.set(postedSilence({ comment: 'short' }), START);
  assert.equal(await store.countBytes(), 2 * one);
  await store.set(postedSilence({ comment: 'é'.repeat(100) }), START);
  assert.equal(await store.countBytes(), 3 * one + 200 - 'short'.length);
});

test('as many silences are kept as the limit allows, expired ones counted', async (t) => {
  const store = createStore(await open(t, temporaryFolder(t)), { maxSilences: 2 });
  await store.set(postedSilence(), START);
  await store.set(postedSilence(), START);
  await store.expire('id-2', START);
  const excess = { ok: false, reason: 'exceeded maximum number of silences: 2 (limit: 2)' };
  assert.deepEqual(await store.set(postedSilence(), START + 1), excess);
  // A replacement is one more; an update in place is not.
  assert.deepEqual(await store.set(postedSilence({ id: 'id-1', ...onLabelA('c') }), START + 1), excess);
  assert.equal(store.get('id-1')?.endsAt, START + HOUR);
  assert.deepEqual(await store.set(postedSilence({ id: 'id-1', comment: 'c' }), START + 1), {
    ok: true,
    value: 'id-1',
  });
  await store.collectGarbage(START + HOUR);
  assert.equal((await store.set(postedSilence(), START + 1)).ok, true);
});

test('posts that come together do not pass the limit together', async (t) => {
  const store = createStore(await open(t, temporaryFolder(t)), { maxSilences: 2 });
  const results = await Promise.all([1, 2, 3].map(() => store.set(postedSilence(), START)));
  assert.deepEqual(
    results.map((result) => (result.ok ? 'ok' : result.reason)),
    ['ok', 'ok', 'exceeded maximum number of silences: 2 (limit: 2)'],
  );
});

test('a silence may be as large as the limit, also when it is updated', async (t) => {
  // "id-1" instead of a UUID: 102 - 32.
  const store = createStore(await open(t, temporaryFolder(t)), { maxSilenceSizeBytes: 70 });
  assert.deepEqual(await store.set(postedSilence(), START), { ok: true, value: 'id-1' });
  const excess = { ok: false, reason: 'silence exceeded maximum size: 71 bytes (limit: 70 bytes)' };
  assert.deepEqual(await store.set(postedSilence({ comment: 'works!' }), START), excess);
  assert.deepEqual(await store.set(postedSilence({ id: 'id-1', comment: 'works!' }), START), excess);
  assert.equal(store.get('id-1')?.comment, 'works');
});

test('silences are counted by state', async (t) => {
  const { store } = await eventful(t);
  assert.deepEqual(countSilenceStates(store.all(), START + 1), { pending: 2, active: 2, expired: 0 });
  assert.deepEqual(countSilenceStates(store.all(), START + 3), { pending: 0, active: 2, expired: 2 });
});

test('a silence that another node has ended stays ended, also if its creation arrives during the look-up', async (t) => {
  const local = new LocalSilences(await open(t, temporaryFolder(t)));
  const other = new SilenceStore(local, RULES, () => 'theirs');
  await other.set(postedSilence(), START);
  const created = other.find('theirs') as Silence;
  const ended = { ...created, endsAt: START + MINUTE, updatedAt: START + MINUTE };
  const storage: SilenceStorage = Object.create(local, {
    find: {
      value: async (_id: string, take: (found: Silence, isNews: boolean) => void) => {
        store.apply([{ before: undefined, after: created }]);
        take(ended, true);
        return true;
      },
    },
    // Bound, as the methods of a class with private fields must be.
    write: { value: (changes: readonly SilenceChange[]) => local.write(changes) },
  });
  const store = new SilenceStore(storage, RULES, () => 'ours');
  const { id: _, ...content } = postedSilence();
  const updated = await store.set({ ...content, id: 'theirs' }, START + MINUTE);
  assert.deepEqual(updated, { ok: true, value: 'ours' });
  assert.equal(store.find('theirs')?.endsAt, START + MINUTE);
});
