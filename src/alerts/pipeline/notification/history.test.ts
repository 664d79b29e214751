import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createSqliteFolder } from '../../../testing/sqlite.ts';
import { HOUR, matcherOf, START } from '../../testing/parts.ts';
import {
  type HistoryQuery,
  NOTIFICATION_HISTORY_MIGRATION,
  NotificationHistory,
  type NotificationRecord,
} from './history.ts';

const record = (rest: Partial<NotificationRecord> = {}): NotificationRecord => ({
  at: START,
  receiver: 'team',
  integration: 'webhook',
  index: 0,
  groupKey: '{}:{alertname="Down"}',
  groupLabels: { alertname: 'Down' },
  reason: 'first notification',
  attempts: 1,
  durationMs: 12,
  firing: 1,
  resolved: 0,
  alerts: [{ fingerprint: '0123456789abcdef', status: 'firing', labels: { alertname: 'Down' } }],
  error: undefined,
  ...rest,
});

async function createHistory(t: TestContext, mostRecords?: number) {
  const folder = createSqliteFolder(t, NOTIFICATION_HISTORY_MIGRATION);
  const database = await folder.open();
  const history = new NotificationHistory(database, 24 * HOUR, mostRecords);
  const add = (...records: readonly NotificationRecord[]) => database.write(records.map((one) => history.add(one)));
  const list = async (query: Partial<HistoryQuery> = {}) => history.list({ limit: 100, ...query });
  return { folder, history, add, list };
}

test('a notification survives a restart unchanged', async (t) => {
  const { folder, add, list } = await createHistory(t);
  const failed = record({
    receiver: 'é\u0000',
    groupKey: '{}:{a="\u0000"}',
    error: 'no\u0000',
    reason: 'all alerts resolved',
  });
  await add(record(), failed);
  const [second, first] = await list();
  assert.deepEqual(
    [first, second],
    [
      { ...record(), id: 1, error: undefined },
      { ...failed, id: 2 },
    ].map(({ error, ...rest }) => (error === undefined ? rest : { ...rest, error })),
  );
  const again = new NotificationHistory(await folder.open(), HOUR);
  assert.deepEqual(await again.list({ limit: 100 }), [second, first]);
});

test('the newest come first, up to the limit', async (t) => {
  const { add, list } = await createHistory(t);
  await add(...Array.from({ length: 10 }, (_, attempts) => record({ attempts })));
  assert.deepEqual(
    (await list({ limit: 3 })).map(({ attempts }) => attempts),
    [9, 8, 7],
  );
});

test('each query leaves out notifications that do not match', async (t) => {
  const { add, list } = await createHistory(t);
  await add(
    record({ receiver: 'a' }),
    record({ receiver: 'b', integration: 'email', at: START + 1 }),
    record({ receiver: 'b', groupKey: '{}:{}', at: START + 2, error: 'no' }),
  );
  const cases: readonly (readonly [Partial<HistoryQuery>, readonly number[]])[] = [
    [{}, [3, 2, 1]],
    [{ receiver: 'b' }, [3, 2]],
    [{ receiver: 'B' }, []],
    [{ integration: 'webhook' }, [3, 1]],
    [{ groupKey: '{}:{}' }, [3]],
    [{ since: START + 1 }, [3, 2]],
    [{ failed: true }, [3]],
    [{ failed: false }, [2, 1]],
    [{ receiver: 'b', failed: false, since: START + 2 }, []],
    [{ receiver: "' OR 1=1 --" }, []],
  ];
  for (const [query, expected] of cases)
    assert.deepEqual(
      (await list(query)).map(({ id }) => id),
      expected,
      JSON.stringify(query),
    );
});

test('a look through all of the history, or through much of it, leaves others their turns', async (t) => {
  const { add, list } = await createHistory(t);
  await add(...Array.from({ length: 3000 }, (_, index) => record({ index })));
  const queries: readonly (readonly [Partial<HistoryQuery>, number])[] = [
    [{ filter: [matcherOf('i', '=', 'none')] }, 0],
    [{ filter: [matcherOf('alertname', '=', 'Down')], limit: 2900 }, 2900],
    [{ receiver: 'nobody' }, 0],
    [{ limit: 2900 }, 2900],
  ];
  for (const [query, found] of queries) {
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const records = await list(query);
    isOver = true;
    assert.equal(records.length, found);
    assert.ok(turns >= 10, `${turns} turns for ${JSON.stringify(query)}`);
  }
});

test('entries older than the retention are deleted, and beyond the limit the oldest', async (t) => {
  const { history, add, list } = await createHistory(t, 3);
  await add(record({ at: START - 1 }), record(), record());
  await history.collectGarbage(START + 24 * HOUR);
  assert.deepEqual(
    (await list()).map(({ id }) => id),
    [3, 2],
  );
  await add(record(), record(), record());
  await history.collectGarbage(START + HOUR);
  assert.deepEqual(
    (await list()).map(({ id }) => id),
    [6, 5, 4],
  );
});
