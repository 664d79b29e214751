import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeDatabase } from '../../testing/fake/database.ts';
import { RouteTree } from '../domain/route.ts';
import type { Delivery } from '../integrations/notifier.ts';
import { HOUR, MINUTE, routeSettings, SECOND, START } from '../testing/parts.ts';
import {
  createTestPipeline,
  failure,
  settlePromises,
  type TestPipeline,
  type TestPipelineOptions,
} from '../testing/pipeline/parts.ts';
import type { NotificationRecord } from './notification/history.ts';

const ROUTE = { groupWaitMs: 0, groupIntervalMs: MINUTE, repeatIntervalMs: HOUR };

function start({ route, ...options }: TestPipelineOptions = {}): TestPipeline & { readonly database: FakeDatabase } {
  const database = new FakeDatabase();
  const parts = createTestPipeline({ database, ...options, route: { ...ROUTE, ...route } });
  parts.state.dispatcher.start(parts.pipeline);
  return { ...parts, database };
}

/** The written history entries, in order. */
function recordsOf({ database }: { readonly database: FakeDatabase }): readonly NotificationRecord[] {
  return database.committed
    .flat()
    .filter(({ sql }) => sql.includes('INTO notification_history'))
    .map(({ values }) => JSON.parse(Buffer.from(values[5] as Uint8Array).toString()) as NotificationRecord);
}

test('an integration without resolved alerts is sent firing ones alone, and its log has the others all the same', async () => {
  const parts = start({
    receivers: { default: [{ name: 'all' }, { name: 'firing', sendResolved: false }] },
  });
  parts.post('a b');
  await parts.advance(SECOND);
  parts.post('a', { startsAt: START, endsAt: START + SECOND });
  parts.post('c');
  await parts.advance(MINUTE);
  assert.deepEqual(parts.sent, [
    '0s default/all first notification: +a +b',
    '0s default/firing first notification: +a +b',
    '60s default/all new alerts added: -a +b +c',
    '60s default/firing new alerts added: +b +c',
  ]);
});

test('where resolved alerts are not sent, the end of all is noted in silence, so that the next fire is news', async () => {
  const parts = start({ receivers: { default: [{ sendResolved: false }] } });
  parts.post('a');
  await parts.advance(SECOND);
  parts.post('a', { startsAt: START, endsAt: START + SECOND });
  await parts.advance(MINUTE);
  assert.equal(parts.sent.length, 1);
  assert.equal(parts.state.groups.size, 0);
  assert.equal(parts.counts.get('attempted webhook'), 2, 'as Alertmanager counts it');
  assert.equal(parts.counts.get('requested webhook ok'), 1);
  assert.equal(recordsOf(parts).length, 1);
  parts.post('a');
  await parts.advance(SECOND);
  assert.deepEqual(parts.sent.slice(1), ['61s default/webhook first notification: +a']);
});

test('of several integrations a failed one is notified again, the others are not', async () => {
  const parts = start({
    receivers: { default: [{ name: 'good' }, { name: 'bad', answer: () => failure() }, { name: 'good', index: 1 }] },
  });
  parts.post('a');
  await parts.advance(61 * SECOND);
  assert.deepEqual(parts.sent, [
    '0s default/good first notification: +a',
    '0s default/bad first notification: +a',
    '0s default/good[1] first notification: +a',
    '60s default/bad first notification: +a',
  ]);
  assert.equal(parts.counts.get('failed bad clientError'), 2);
  const line = parts.lines.find((text) => text.includes('level=ERROR'));
  assert.match(
    line ?? '',
    /msg="Notify for alerts failed" aggrGroup=\S+ num_alerts=1 err="default\/bad\[0\]: notify retry canceled due to unrecoverable error after 1 attempts: unexpected status code 400"/,
  );
});

test('a notifier that throws fails the flush after the others have ended', async () => {
  let release = (_: Delivery) => {};
  const parts = start({
    receivers: {
      default: [
        {
          name: 'broken',
          answer: () => {
            throw new Error('a bug');
          },
        },
        {
          name: 'slow',
          answer: () =>
            new Promise<Delivery>((resolve) => {
              release = resolve;
            }),
        },
      ],
    },
  });
  parts.post('a', { endsAt: START + SECOND });
  parts.post('b');
  await parts.advance(2 * SECOND);
  assert.doesNotMatch(parts.lines.join(), /a bug/);
  release({ ok: true });
  await settlePromises();
  assert.match(parts.lines.join(), /level=ERROR msg="a flush failed unexpectedly" .*err="a bug"/);
  await parts.advance(MINUTE);
  assert.equal(parts.sent.filter((line) => line.includes('slow')).length, 2, 'b is still news of a resolved a');
});

test('an attempt that fails is made again within the flush, and counted; the history has its result', async () => {
  const parts = start({
    receivers: {
      default: [
        {
          answer: (_notification, _signal, count) =>
            count < 2
              ? failure({ retry: true, reason: 'serverError', error: 'unexpected status code 503' })
              : { ok: true },
        },
      ],
    },
  });
  parts.post('a');
  await parts.advance(10 * SECOND);
  assert.equal(parts.sent.length, 3);
  assert.deepEqual(
    ['attempted webhook', 'requested webhook ok', 'requested webhook failed', 'failed webhook serverError'].map(
      (name) => parts.counts.get(name),
    ),
    [1, 1, 2, undefined],
  );
  assert.equal(parts.lines.filter((line) => line.includes('will retry later')).length, 2);
  const [record] = recordsOf(parts);
  assert.deepEqual(
    [record?.attempts, record?.error, record?.reason, record?.firing, record?.resolved],
    [3, undefined, 'first notification', 1, 0],
  );
  assert.ok((record?.durationMs ?? 0) > 0);
});

test('a template error is counted, logged and stored once for a notification, also when it fails or is tried again', async () => {
  const templateError = '"title": no';
  const parts = start({
    receivers: {
      default: [
        {
          name: 'discord',
          answer: (_notification, _signal, count) =>
            count < 2 ? { ...failure({ retry: true }), templateError } : { ok: true, templateError },
        },
        { name: 'slack', answer: () => ({ ...failure(), templateError }) },
        { name: 'webex' },
      ],
    },
  });
  parts.post('a');
  await parts.advance(10 * SECOND);
  assert.deepEqual(
    ['discord', 'slack', 'webex'].map((name) => parts.counts.get(`template failed ${name}`)),
    [1, 1, undefined],
  );
  const lines = parts.lines.filter((line) => line.includes('a template could not be rendered'));
  assert.equal(lines.length, 2);
  assert.match(
    lines.join(),
    /level=ERROR .*receiver=default integration=discord\[0\] aggrGroup=.* err="\\"title\\": no"/,
  );
  const stored = recordsOf(parts).map(({ templateError: said, error }) => `${said}, ${error ? 'failed' : 'sent'}`);
  assert.deepEqual(stored.sort(), ['"title": no, failed', '"title": no, sent', 'undefined, sent']);
});

test('the history names the first twenty alerts and counts all', async () => {
  const parts = start({ receivers: { default: [{ answer: () => failure({ error: 'no' }) }] } });
  parts.post(Array.from({ length: 30 }, (_, n) => String(n + 10)).join(' '));
  await parts.advance(SECOND);
  const [record] = recordsOf(parts);
  assert.equal(record?.alerts.length, 20);
  assert.deepEqual(record?.alerts[0]?.labels, { alertname: 'Test', n: '10' });
  assert.equal(record?.firing, 30);
  assert.match(record?.error ?? '', /after 1 attempts: no$/);
});

test('the data of an integration is passed to its next notification, until the group starts anew', async () => {
  const parts = start({
    receivers: {
      default: [
        {
          answer: (_notification, _signal, count) =>
            count === 0 ? { ok: true, receiverData: { thread: 't1', n: 7 } } : { ok: true },
        },
      ],
    },
  });
  parts.post('a');
  await parts.advance(SECOND);
  parts.post('b');
  await parts.advance(MINUTE);
  parts.post('a b', { startsAt: START, endsAt: START + 61 * SECOND });
  await parts.advance(MINUTE);
  parts.post('a');
  await parts.advance(MINUTE);
  assert.deepEqual(
    parts.notifications.map(({ reason, receiverData }) => [reason, receiverData]),
    [
      ['first notification', {}],
      ['new alerts added', { thread: 't1', n: 7 }],
      ['all alerts resolved', { thread: 't1', n: 7 }],
      ['first notification', {}],
    ],
  );
});

test('routes with the same matchers and receiver share a group key: the group is notified once', async () => {
  const twins = [routeSettings({ ...ROUTE, continue: true }), routeSettings({ ...ROUTE })];
  const parts = start({ route: { routes: twins } });
  parts.post('a');
  await parts.advance(61 * SECOND);
  assert.equal(parts.state.groups.size, 2);
  assert.deepEqual(parts.sent, ['0s default/webhook first notification: +a']);
});

test('a group after a reload waits for the notification under way of the one before, and does not send it again', async () => {
  let release = (_: Delivery) => {};
  const answer = () =>
    new Promise<Delivery>((resolve) => {
      release = resolve;
    });
  const parts = start({ receivers: { default: [{ answer }] } });
  parts.post('a');
  await parts.advance(5 * SECOND);
  parts.state.groups.reroute(new RouteTree(routeSettings(ROUTE)), parts.state.alerts.sorted());
  await parts.advance(5 * SECOND);
  assert.equal(parts.sent.length, 1);
  release({ ok: true });
  await parts.advance(5 * SECOND);
  assert.equal(parts.sent.length, 1);
  parts.post('b');
  await parts.advance(MINUTE);
  assert.deepEqual(parts.sent.slice(1), ['65s default/webhook new alerts added: +a +b']);
  release({ ok: true });
});

test('when it fails, the group after the reload sends it', async () => {
  const parts = start({
    receivers: {
      default: [
        {
          answer: (_notification, _signal, count) =>
            count > 0
              ? { ok: true }
              : new Promise<Delivery>((resolve) => void parts.clock.after(9 * SECOND, () => resolve(failure()))),
        },
      ],
    },
  });
  parts.post('a');
  await parts.advance(5 * SECOND);
  parts.state.groups.reroute(new RouteTree(routeSettings(ROUTE)), parts.state.alerts.sorted());
  await parts.advance(10 * SECOND);
  assert.deepEqual(parts.sent, [
    '0s default/webhook first notification: +a',
    '9s default/webhook first notification: +a',
  ]);
});

test('a disk failure is logged, and a sent notification is not sent again', async () => {
  const parts = start();
  parts.database.failure = new Error('disk full');
  parts.post('a');
  await parts.advance(5 * MINUTE);
  assert.equal(parts.sent.length, 1);
  assert.match(
    parts.lines.join(),
    /level=ERROR msg="a notification could not be written to the log on disk" err="disk full"/,
  );
  // Once the disk has room, the next process will have the entry.
  parts.database.failure = undefined;
  await parts.advance(5 * SECOND);
  const written = parts.database.committed.flat().filter(({ sql }) => sql.includes('INTO notification_log'));
  assert.deepEqual(
    written.map(({ values }) => String(values?.[0])),
    ['{}:{}\nwebhook/0/default'],
  );
});

test('a flush is over only when its log entry is on disk', async () => {
  const parts = start();
  parts.post('a', { endsAt: START + SECOND });
  parts.post('b');
  await parts.advance(SECOND);
  parts.database.hold();
  await parts.advance(MINUTE);
  assert.equal(parts.sent.length, 2);
  assert.equal(parts.state.groups.sorted()[0]?.size, 2);
  await parts.database.release();
  await settlePromises();
  assert.equal(parts.state.groups.sorted()[0]?.size, 1);
});

test('an entry is kept for twice the repeat interval, but not longer than the retention', async () => {
  for (const [retentionMs, keptMs] of [
    [120 * HOUR, 2 * HOUR],
    [HOUR / 2, HOUR / 2],
  ] as const) {
    const parts = start({ retentionMs });
    parts.post('a');
    await parts.advance(SECOND);
    const { notificationLog } = parts.state;
    const noGroup = () => false;
    assert.equal(await notificationLog.collectGarbage(START + keptMs - 1, noGroup), 0);
    assert.equal(await notificationLog.collectGarbage(START + keptMs, noGroup), 1);
  }
});

test('an end from outside ends attempts under way and all that follow, without an error in the log', async () => {
  const parts = start({
    receivers: {
      default: [
        {
          answer: (_notification, signal) =>
            new Promise((resolve) =>
              signal.addEventListener('abort', () => resolve(failure({ retry: true, reason: 'contextCanceled' }))),
            ),
        },
      ],
    },
  });
  parts.post('a');
  await parts.advance(SECOND);
  parts.receivers.get('default')?.abort(new Error('the server stops'));
  await settlePromises();
  assert.equal(parts.counts.get('failed webhook contextCanceled'), 1);
  await parts.advance(MINUTE);
  assert.equal(parts.sent.length, 1);
  assert.doesNotMatch(parts.lines.join(), /level=ERROR/);
  assert.match(parts.lines.join(), /level=DEBUG msg="Notify for alerts failed"/);
});

test('attempts at one notification have one identity, also in a later flush; a new notification has another', async () => {
  const parts = start({
    receivers: {
      default: [
        {
          answer: (_notification, _signal, count) =>
            count < 30 ? failure({ retry: true, reason: 'serverError' }) : { ok: true },
        },
      ],
    },
    route: { groupIntervalMs: 10 * SECOND, repeatIntervalMs: 10 * MINUTE },
  });
  const ids = () => new Set(parts.notifications.map(({ id }) => id)).size;
  parts.post('a');
  await parts.advance(25 * SECOND);
  assert.ok(parts.notifications.length > 5);
  assert.equal(ids(), 1);
  parts.post('b');
  await parts.advance(5 * MINUTE);
  assert.equal(parts.counts.get('requested webhook ok'), 1);
  assert.equal(ids(), 2);
  await parts.advance(11 * MINUTE);
  assert.match(parts.sent.at(-1) ?? '', /repeat interval elapsed/);
  assert.equal(ids(), 3);
  await parts.advance(11 * MINUTE);
  assert.equal(ids(), 4);
});

test('a retry of a refused notification is the same notification', async () => {
  const parts = start({ receivers: { default: [{ answer: () => failure() }] } });
  parts.post('a');
  await parts.advance(61 * SECOND);
  assert.equal(parts.notifications.length, 2);
  assert.equal(parts.notifications[0]?.id, parts.notifications[1]?.id);
});

test('integrations of one receiver are notified under identities of their own', async () => {
  const parts = start({ receivers: { default: [{ name: 'one' }, { name: 'one', index: 1 }, { name: 'two' }] } });
  parts.post('a');
  await parts.advance(SECOND);
  assert.equal(new Set(parts.notifications.map(({ id }) => id)).size, 3);
});

test('an alert that fires anew is sent under another key, though nothing was acknowledged before', async () => {
  const parts = start({ receivers: { default: [{ answer: () => failure() }] } });
  parts.post('a', { endsAt: START + 30 * SECOND });
  await parts.advance(61 * SECOND);
  parts.post('a');
  await parts.advance(SECOND);
  assert.equal(parts.notifications.length, 2);
  assert.notEqual(parts.notifications[0]?.id, parts.notifications[1]?.id);
});

const countOf = ({ database }: { readonly database: FakeDatabase }, table: string) =>
  database.committed.flat().filter(({ sql }) => sql.includes(`INTO ${table}`)).length;

test('alerts are on disk before any notification of them; the log is written with the answer', async () => {
  const written: number[][] = [];
  const look = () => {
    written.push(['alert_times', 'notification_log'].map((table) => countOf(parts, table)));
    return { ok: true } as const;
  };
  const parts = start({ receivers: { default: [{ answer: look }] } });
  parts.post('a b');
  parts.clock.advance(0);
  await settlePromises();
  assert.deepEqual(written, [[2, 0]]);
  assert.deepEqual([countOf(parts, 'notification_log'), recordsOf(parts).length], [1, 1]);
});

test('an alert that changes during its notification is on disk no later than its log entry', async () => {
  let release = (_: Delivery) => {};
  const answer = () =>
    new Promise<Delivery>((resolve) => {
      release = resolve;
    });
  const parts = start({ receivers: { default: [{ answer }] } });
  parts.post('a');
  parts.clock.advance(0);
  await settlePromises();
  parts.post('a', { startsAt: START, endsAt: START + HOUR / 2 });
  release({ ok: true });
  await settlePromises();
  // Writes of one turn are one transaction.
  const tables = parts.database.committed.flat().map(({ sql }) => /INTO (\w+)/.exec(sql)?.[1]);
  assert.deepEqual(tables.slice(-3), ['alert_times', 'notification_log', 'notification_history']);
});
