import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Postgres } from '../../kernel/postgres/postgres.ts';
import { needsPostgres } from '../../testing/postgres.ts';
import { failureOf } from '../pipeline/notification/health.ts';
import type { NotificationRecord } from '../pipeline/notification/history.ts';
import type { LogEntry, NotificationResult } from '../pipeline/notification/storage.ts';
import { openAlertDatabase, strictLog } from '../testing/alert-database.ts';
import { HOUR, START } from '../testing/parts.ts';
import { ClusterNotifications } from './notifications.ts';

const FENCE = 7;
const GROUP = '{}:{alertname="DiskFull"}';

const entryOf = (rest: Partial<LogEntry> = {}): LogEntry => ({
  key: `${GROUP}:hook/webhook/0`,
  at: START,
  expiresAt: START + HOUR,
  firing: new Set(['744e61ca074bea90']),
  resolved: new Set(),
  receiverData: { thread: 'a\0b' },
  ...rest,
});

const recordOf = (rest: Partial<NotificationRecord> = {}): NotificationRecord => ({
  at: START,
  receiver: 'hook',
  integration: 'webhook',
  index: 0,
  groupKey: GROUP,
  groupLabels: { alertname: 'DiskFull' },
  reason: 'first notification',
  attempts: 1,
  durationMs: 12,
  firing: 1,
  resolved: 0,
  alerts: [],
  error: undefined,
  ...rest,
});

/** A node whose claim on the group has this fence; undefined: PostgreSQL was away when it began to send. */
function createNode(postgres: Postgres, fence: number | undefined) {
  const fenceOf = () => (fence === undefined ? undefined : { id: GROUP, fence });
  const node = new ClusterNotifications(postgres, { fenceOf, retentionMs: HOUR, node: 'node-1', log: strictLog });
  // Only the claim of an evaluation is asked for, and fenceOf answers that.
  const write = (result: Omit<NotificationResult, 'evaluation'>) => node.writeResult(result as NotificationResult);
  return { node, write };
}

/** A group claimed with {@link FENCE}, and nothing sent yet. */
async function claimGroup(postgres: Postgres): Promise<void> {
  await postgres.query('DELETE FROM opsdeck.notification');
  await postgres.query('DELETE FROM opsdeck.history');
  await postgres.query(
    `INSERT INTO opsdeck.flush (id, next_at, flushed, in_doubt, lease_until, fence)
     VALUES ($1, now(), true, false, now(), $2) ON CONFLICT DO NOTHING`,
    [GROUP, FENCE],
  );
}

async function withoutIds(node: ClusterNotifications) {
  return (await node.list({ limit: 10 })).map(({ id, ...record }) => record);
}

async function countLogged(postgres: Postgres): Promise<unknown> {
  const [row] = await postgres.query("SELECT count(*) FROM opsdeck.change WHERE kind = 'notification'");
  return row?.count;
}

test('notifications in PostgreSQL', async (t) => {
  if (!needsPostgres(t)) return;
  const postgres = await openAlertDatabase(t);

  await t.test('the owner of a claim writes entry and record, and logs the entry', async () => {
    await claimGroup(postgres);
    const { node, write } = createNode(postgres, FENCE);
    await write({ entry: entryOf(), record: recordOf() });
    assert.deepEqual(await node.loadLog(), [entryOf()]);
    const { error, ...stored } = recordOf({ node: 'node-1' });
    assert.deepEqual(await withoutIds(node), [stored]);
    const [logged] = await postgres.query("SELECT key, body FROM opsdeck.change WHERE kind = 'notification'");
    assert.deepEqual(node.receive(String(logged?.key), String(logged?.body)), entryOf());
  });

  await t.test('the other nodes learn of a failure', async () => {
    await claimGroup(postgres);
    const { node, write } = createNode(postgres, FENCE);
    const failed = recordOf({ error: 'refused \0' });
    await write({ record: failed });
    const [logged] = await postgres.query("SELECT body FROM opsdeck.change WHERE kind = 'failure'");
    assert.deepEqual(node.receiveFailure(String(logged?.body)), failureOf(failed, 'refused \0'));
  });

  await t.test('who has lost the claim writes neither, beside an owner in the same batch', async () => {
    await claimGroup(postgres);
    const fences = [FENCE - 1, FENCE];
    const fenceOf = () => ({ id: GROUP, fence: fences.shift() ?? 0 });
    const node = new ClusterNotifications(postgres, { fenceOf, retentionMs: HOUR, node: 'node-1', log: strictLog });
    const before = Number(await countLogged(postgres));
    await Promise.all(
      ['late', 'owner'].map((name) => {
        const result = { entry: entryOf({ key: name }), record: recordOf({ receiver: name }) };
        return node.writeResult(result as unknown as NotificationResult);
      }),
    );
    assert.deepEqual(
      (await node.loadLog()).map(({ key }) => key),
      ['owner'],
    );
    assert.deepEqual(
      (await withoutIds(node)).map(({ receiver }) => receiver),
      ['owner'],
    );
    assert.equal(await countLogged(postgres), before + 1);
  });

  await t.test('without a claim the younger entry stays', async () => {
    await claimGroup(postgres);
    const { node, write } = createNode(postgres, undefined);
    await write({ entry: entryOf({ at: START + 2 }) });
    await write({ entry: entryOf({ at: START + 1 }) });
    assert.deepEqual(
      (await node.loadLog()).map(({ at }) => at),
      [START + 2],
    );
    await write({ entry: entryOf({ at: START + 3 }) });
    assert.deepEqual(
      (await node.loadLog()).map(({ at }) => at),
      [START + 3],
    );
  });

  await t.test('names and keys are stored as they are, and found again', async () => {
    await claimGroup(postgres);
    const { node, write } = createNode(postgres, undefined);
    const odd = 'a\0b\\0 \\ \ud800 😀 "';
    await write({ entry: entryOf({ key: odd }), record: recordOf({ receiver: odd, groupKey: odd, error: odd }) });
    assert.deepEqual(
      (await node.loadLog()).map(({ key }) => key),
      [odd],
    );
    const [found] = await node.list({ limit: 1, receiver: odd, groupKey: odd, failed: true });
    assert.deepEqual([found?.receiver, found?.groupKey, found?.error], [odd, odd, odd]);
    assert.deepEqual(await node.list({ limit: 1, receiver: 'a' }), []);
    await node.deleteLog([odd]);
    assert.deepEqual(await node.loadLog(), []);
  });

  await t.test('a page ends at its limit, newest first, and old records are deleted', async () => {
    await claimGroup(postgres);
    const { node, write } = createNode(postgres, FENCE);
    for (let at = 0; at < 3; at++) await write({ record: recordOf({ at: START + at * HOUR }) });
    const times = async (limit: number) => (await node.list({ limit })).map(({ at }) => at - START);
    assert.deepEqual(await times(2), [2 * HOUR, HOUR]);
    await node.collectGarbage(START + 2 * HOUR);
    assert.deepEqual(await times(9), [2 * HOUR, HOUR]);
  });
});
