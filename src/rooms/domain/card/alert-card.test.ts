import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AlertCard, isSameCard, printCard } from './alert-card.ts';
import { cardId, cardOf, type GroupAlert, type GroupNotice, MAX_CARD_ALERTS } from './alert-notice.ts';

const NOW = Date.parse('2030-01-02T08:30:00Z');

function alertOf(instance: string, parts: Partial<GroupAlert> = {}): GroupAlert {
  return {
    status: 'firing',
    labels: { alertname: 'DiskFull', severity: 'critical', instance },
    annotations: { summary: `${instance} is full` },
    startsAt: NOW - 60_000,
    endsAt: 0,
    generatorUrl: 'http://prometheus.example.com/graph',
    fingerprint: instance,
    ...parts,
  };
}

function noticeOf(alerts: readonly GroupAlert[], parts: Partial<GroupNotice> = {}): GroupNotice {
  return {
    groupKey: '{}:{alertname="DiskFull"}',
    receiver: 'ops',
    status: alerts.some(({ status }) => status === 'firing') ? 'firing' : 'resolved',
    groupLabels: { alertname: 'DiskFull' },
    commonLabels: { alertname: 'DiskFull', severity: 'critical' },
    commonAnnotations: { runbook_url: 'https://wiki.example.com/disk' },
    externalUrl: 'http://alerts.example.com',
    alerts,
    truncated: 0,
    ...parts,
  };
}

const card = (notice: GroupNotice, old?: AlertCard, now = NOW): AlertCard => cardOf(notice, 'g', old, now);
const resolved = (instance: string) => alertOf(instance, { status: 'resolved', endsAt: NOW });

test('a card shows the firing alerts, their number, and their differences', () => {
  const made = card(noticeOf([resolved('b'), alertOf('a')]));
  assert.equal(made.title, 'DiskFull');
  assert.equal(made.severity, 'critical');
  assert.deepEqual(made.counts, { firing: 1, resolved: 1 });
  assert.deepEqual(
    made.alerts.map(({ labels, state }) => [labels, state]),
    [
      [{ instance: 'a' }, 'firing'],
      [{ instance: 'b' }, 'resolved'],
    ],
  );
  assert.deepEqual(
    made.links.map(({ label }) => label),
    ['Runbook', 'Source', 'Alertmanager'],
  );
  assert.match(
    printCard(made),
    /^\*\*FIRING\*\* DiskFull \(critical\)\n1 firing \/ 1 resolved\n- firing: instance=a: a is full/,
  );
});

test('each alert brings the runbook and dashboard that not all share', () => {
  const own = { runbook_url: 'https://wiki.example.com/b', dashboard: 'https://grafana.example.com/b' };
  const notice = noticeOf([
    alertOf('a', { annotations: { runbook_url: 'https://wiki.example.com/disk' } }),
    alertOf('b', { annotations: own }),
    alertOf('c', { annotations: { runbook_url: 'javascript:alert(1)' } }),
  ]);
  assert.deepEqual(
    card(notice).alerts.map(({ links }) => links),
    [
      undefined,
      [
        { label: 'Runbook', url: 'https://wiki.example.com/b' },
        { label: 'Dashboard', url: 'https://grafana.example.com/b' },
      ],
      undefined,
    ],
  );
});

test('the same group of two senders has one id; a different room, receiver or group has another', () => {
  const notice = noticeOf([alertOf('a')]);
  assert.equal(cardId('r', notice), cardId('r', { ...notice }));
  const others = [
    cardId('s', notice),
    cardId('r', { ...notice, receiver: 'x' }),
    cardId('r', { ...notice, groupKey: 'x' }),
    cardId('r', notice, '1'),
  ];
  assert.equal(new Set([cardId('r', notice), ...others]).size, 5);
  assert.match(cardId('r', notice), /^[A-Za-z0-9_-]{8,64}$/);
});

test('a repeat changes nothing visible', () => {
  const first = card(noticeOf([alertOf('a')]));
  assert.ok(isSameCard(first, card(noticeOf([alertOf('a')]), first, NOW + 3_600_000)));
  assert.ok(!isSameCard(first, card(noticeOf([resolved('a')]), first, NOW + 1)));
});

test('a card keeps its beginning while it fires, and begins anew after its end', () => {
  const first = card(noticeOf([alertOf('a')]));
  const grown = card(noticeOf([alertOf('a'), alertOf('b', { startsAt: NOW })]), first);
  assert.equal(grown.startedAt, first.startedAt);
  const ended = card(noticeOf([resolved('a')]), grown);
  assert.equal(ended.resolvedAt, new Date(NOW).toISOString());
  assert.equal(card(noticeOf([resolved('a')]), ended, NOW + 99_999).resolvedAt, ended.resolvedAt);
  const again = card(noticeOf([alertOf('a', { startsAt: NOW + 5_000 })]), ended, NOW + 6_000);
  assert.equal(again.startedAt, new Date(NOW + 5_000).toISOString());
  assert.equal(again.resolvedAt, null);
});

test('an acknowledgement is kept until the alert has ended and fires again', () => {
  const acked = { by: 'ana', at: new Date(NOW).toISOString(), note: '' };
  const first = { ...card(noticeOf([alertOf('a')])), acked };
  assert.deepEqual(card(noticeOf([alertOf('a'), alertOf('b')]), first).acked, acked);
  const ended = card(noticeOf([resolved('a')]), first);
  assert.deepEqual(ended.acked, acked);
  assert.equal(card(noticeOf([alertOf('a')]), ended).acked, null);
});

test('a thousand changes of state keep a card small', () => {
  let current = card(noticeOf([alertOf('a')]));
  for (let i = 0; i < 1_000; i++)
    current = card(noticeOf([i % 2 === 0 ? resolved('a') : alertOf('a')]), current, NOW + i);
  assert.equal(current.changes.length, 50);
  assert.equal(current.changes.at(-1)?.firing, 1);
});

test('a card of thousands of long alerts stays below 32 KiB and reports the number omitted', () => {
  const long = 'x'.repeat(5_000);
  const alerts = Array.from({ length: 3_000 }, (_, i) =>
    alertOf(`${i}`, {
      labels: { instance: `${i}`, ...Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`l${n}`, long])) },
    }),
  );
  const made = card(noticeOf(alerts, { commonAnnotations: { summary: long, description: long }, truncated: 7 }));
  assert.ok(Buffer.byteLength(JSON.stringify(made)) < 32_768);
  assert.equal(made.alerts.length + made.more, 3_007);
  assert.ok(made.alerts.length <= MAX_CARD_ALERTS);
});

test('texts are cut between characters, without halves of characters', () => {
  const made = card(
    noticeOf([alertOf('a')], {
      commonAnnotations: { summary: `${'a'.repeat(998)}\u{1F600}b`, description: '\ud800x\0' },
    }),
  );
  assert.ok(made.summary.isWellFormed() && made.description.isWellFormed());
  assert.ok(!made.description.includes('\0'));
});

test('links are web links only', () => {
  const made = card(
    noticeOf([alertOf('a', { generatorUrl: 'javascript:alert(1)' })], {
      commonAnnotations: { runbook_url: 'file:///etc/passwd' },
      externalUrl: 'http://a"b',
    }),
  );
  assert.deepEqual(made.links, []);
});

test('invalid times do no harm', () => {
  const made = card(noticeOf([alertOf('a', { startsAt: 0, endsAt: Number.NaN })]));
  assert.equal(made.startedAt, new Date(NOW).toISOString());
});
