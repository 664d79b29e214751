import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '../../../kernel/storage/database.ts';
import { FakeClock } from '../../../testing/fake/clock.ts';
import { FakeDatabase } from '../../../testing/fake/database.ts';
import { createSqliteFolder } from '../../../testing/sqlite.ts';
import type { LoggedNotification } from '../../domain/deduplication.ts';
import { HOUR, SECOND, START } from '../../testing/parts.ts';
import { NotificationHistory } from './history.ts';
import { NotificationLog, printLogKey } from './log.ts';
import { encodeNotification, LocalNotifications, type LogEntry, NOTIFICATION_LOG_MIGRATION } from './storage.ts';

const report = { failed() {}, recovered() {} };
const storageIn = (database: Database) =>
  new LocalNotifications(database, new NotificationHistory(database, HOUR), report);

function openLog(database: Database, clock = new FakeClock()): NotificationLog {
  return new NotificationLog(storageIn(database), clock);
}

const KEY = printLogKey({ groupKey: '{}:{a="b"}', receiver: 'team', integration: 'webhook', index: 0 });

const noGroup = () => false;

const entryOf = (rest: Partial<LoggedNotification> = {}): LoggedNotification => ({
  at: START,
  firing: new Set(['0123456789abcdef']),
  resolved: new Set(),
  receiverData: {},
  ...rest,
});

test('a key distinguishes group, receiver, integration and index', () => {
  const key = { groupKey: '{}:{}', receiver: 'a', integration: 'webhook', index: 1 };
  const others = [
    { ...key, groupKey: '{}:{a="\\n"}' },
    { ...key, receiver: 'b' },
    { ...key, integration: 'email' },
    { ...key, index: 2 },
    { ...key, receiver: '0/a', index: 1 },
    // A receiver's name may contain the separator of the parts.
    { ...key, receiver: 'a\n{}:{}\nwebhook/1/a' },
  ];
  assert.equal(new Set([key, ...others].map(printLogKey)).size, 7);
});

test('an entry survives a restart, whatever its content', async (t) => {
  const folder = createSqliteFolder(t, NOTIFICATION_LOG_MIGRATION);
  const database = await folder.open();
  const log = openLog(database);
  const entry = entryOf({
    at: START + 1,
    resolved: new Set(['fedcba9876543210', '0000000000000000']),
    receiverData: { ts: '12.5', count: 3, 'é\u0000': '' },
  });
  const strange = printLogKey({ groupKey: '{}:{a="\u0000é"}', receiver: 'ü\u0000', integration: 'email', index: 3 });
  await storageIn(database).writeLog([log.set(KEY, entryOf(), START + HOUR), log.set(strange, entry, START + HOUR)]);
  await storageIn(database).writeLog([log.set(KEY, entryOf({ at: START + 9, firing: new Set() }), START + 2 * HOUR)]);
  const again = openLog(await folder.open());
  assert.equal(await again.load(), 2);
  const { key, expiresAt, ...found } = again.find(strange) as LogEntry;
  assert.deepEqual([found, key, expiresAt], [entry, strange, START + HOUR]);
  assert.equal(again.find(KEY)?.at, START + 9);
  assert.equal(again.find(KEY)?.firing.size, 0);
  assert.equal(again.find('no such key'), undefined);
});

test('an entry is in force as soon as it is set, and is stored only by a write', async (t) => {
  const folder = createSqliteFolder(t, NOTIFICATION_LOG_MIGRATION);
  const log = openLog(await folder.open());
  log.set(KEY, entryOf(), START + HOUR);
  assert.equal(log.find(KEY)?.at, START);
  const again = openLog(await folder.open());
  assert.equal(await again.load(), 0);
});

test('a failed write is repeated until it succeeds, with the current entry', async () => {
  const [database, clock] = [new FakeDatabase(), new FakeClock()];
  const log = openLog(database, clock);
  const wait = async () => {
    clock.advance(5 * SECOND);
    await new Promise((done) => setImmediate(done));
  };
  log.set(KEY, entryOf(), START + HOUR);
  log.writeLater(KEY);
  log.writeLater('forgotten meanwhile');
  database.failure = new Error('disk full');
  await wait();
  const entry = log.set(KEY, entryOf({ at: START + 9 }), START + 2 * HOUR);
  database.failure = undefined;
  await wait();
  assert.deepEqual(
    database.committed.map((statements) => statements.map(({ values }) => String(values[2]))),
    [[encodeNotification(entry)]],
  );
  await wait();
  assert.equal(database.writes, 2);
  log.writeLater(KEY);
  await log.flush();
  assert.equal(database.committed.length, 2);
});

test('an entry stays until garbage is collected, and is then gone from memory and disk', async (t) => {
  const folder = createSqliteFolder(t, NOTIFICATION_LOG_MIGRATION);
  const database = await folder.open();
  const log = openLog(database);
  const other = `${KEY}2`;
  await storageIn(database).writeLog([
    log.set(KEY, entryOf(), START + HOUR),
    log.set(other, entryOf(), START + HOUR + 1),
  ]);
  assert.equal(await log.collectGarbage(START + HOUR - 1, noGroup), 0);
  assert.ok(log.find(KEY));
  assert.equal(await log.collectGarbage(START + HOUR, noGroup), 1);
  assert.deepEqual([log.find(KEY), log.size], [undefined, 1]);
  const again = openLog(await folder.open());
  assert.deepEqual([await again.load(), again.find(KEY)], [1, undefined]);
  assert.ok(again.find(other));
});

test('an entry of a live group stays beyond its expiry', async () => {
  const log = openLog(new FakeDatabase());
  log.set(KEY, entryOf(), START + HOUR);
  const asked: string[] = [];
  const isAlive = (groupKey: string) => asked.push(groupKey) > 0;
  assert.equal(await log.collectGarbage(START + 10 * HOUR, isAlive), 0);
  assert.deepEqual([asked, log.size], [['{}:{a="b"}'], 1]);
});

test('an entry that 0.1.0 wrote before its first notification counts as none', async (t) => {
  const database = await createSqliteFolder(t, NOTIFICATION_LOG_MIGRATION).open();
  const content =
    '{"at":0,"firing":[],"resolved":[],"receiverData":{},"begun":{"at":5,"content":"x","perhapsFiring":["a"]}}';
  const values = [Buffer.from(KEY), START + HOUR, Buffer.from(content)];
  await database.write([{ sql: 'INSERT INTO notification_log (key, expires_at, content) VALUES (?, ?, ?)', values }]);
  const log = openLog(database);
  assert.deepEqual([await log.load(), log.find(KEY)], [0, undefined]);
});

test('every query is counted and timed, also one without a result', () => {
  const log = openLog(new FakeDatabase());
  log.set(KEY, entryOf(), START + HOUR);
  for (let asked = 0; asked < 100; asked++) log.find(asked % 2 === 0 ? KEY : 'no such key');
  assert.equal(log.queries.count, 100);
  assert.ok(log.queries.sum > 0 && log.queries.sum < 1);
});

test('the bytes of the log are those of its rows on disk', async (t) => {
  const database = await createSqliteFolder(t, NOTIFICATION_LOG_MIGRATION).open();
  const log = openLog(database);
  assert.equal(await log.countBytes(), 0);
  const entries = [log.set(KEY, entryOf(), START + HOUR), log.set('other', entryOf(), START + 2 * HOUR)];
  await storageIn(database).writeLog(entries);
  const lengths = entries.flatMap((entry) => [Buffer.from(entry.key), Buffer.from(encodeNotification(entry))]);
  assert.equal(
    await log.countBytes(),
    lengths.reduce((sum, { length }) => sum + length, 0),
  );
  await log.collectGarbage(START + 2 * HOUR, noGroup);
  assert.equal(await log.countBytes(), 0);
});

test('notifications of one key run one at a time, in order, also after a failure; other keys do not wait', async () => {
  const log = openLog(new FakeDatabase());
  const events: string[] = [];
  const releases: (() => void)[] = [];
  const notify =
    (name: string, fails = false) =>
    async () => {
      events.push(`${name} begins`);
      await new Promise<void>((resolve) => releases.push(resolve));
      events.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    };
  const next = async () => {
    releases.shift()?.();
    await new Promise((done) => setImmediate(done));
  };
  const first = assert.rejects(log.exclusively(KEY, notify('first', true)), /first/);
  const second = log.exclusively(KEY, notify('second'));
  const other = log.exclusively('other', notify('other'));
  assert.deepEqual(events, ['first begins', 'other begins']);
  assert.ok(log.isBusy(KEY));
  await next();
  assert.deepEqual(events.slice(2), ['first ends', 'second begins']);
  await next();
  await next();
  assert.deepEqual(await Promise.all([second, other]), ['second', 'other']);
  await first;
  assert.ok(!log.isBusy(KEY) && !log.isBusy('other'));
});
