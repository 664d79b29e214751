import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AlertCard } from './alert-card.ts';
import { cardOf, type GroupNotice } from './alert-notice.ts';
import { type ActiveSilence, compileSilence, followAlertServer } from './silence.ts';

const NOW = Date.parse('2030-01-02T08:30:00Z');
const HOUR = 3_600_000;

function cardWith(...instances: readonly string[]): AlertCard {
  const alerts = instances.map((instance) => ({
    status: 'firing' as const,
    labels: { alertname: 'DiskFull', instance },
    annotations: {},
    startsAt: NOW - HOUR,
    endsAt: 0,
    generatorUrl: '',
    fingerprint: instance,
  }));
  const shared = instances.length > 1 ? { alertname: 'DiskFull' } : { alertname: 'DiskFull', instance: instances[0] };
  const notice = { groupKey: 'g', receiver: 'ops', status: 'firing', groupLabels: { alertname: 'DiskFull' } } as const;
  const rest = { commonLabels: shared, commonAnnotations: {}, externalUrl: '', alerts, truncated: 0 };
  return cardOf({ ...notice, ...rest } as GroupNotice, 'g', undefined, NOW);
}

function silence(text: string, given: Partial<ActiveSilence> = {}): ActiveSilence {
  const [, name = '', operator = '', value = ''] = /^(\w+)(=~|!~|!=|=)(.*)$/.exec(text) ?? [];
  const matchers = [{ name, value, isRegex: operator.endsWith('~'), isEqual: operator.startsWith('=') }];
  return { id: text, matchers, endsAt: NOW + HOUR, createdBy: 'ana', ...given };
}

const follow = (
  card: AlertCard,
  silences: readonly ActiveSilence[] | undefined,
  listed?: readonly string[],
  now = NOW,
): AlertCard =>
  followAlertServer(card, { silences: silences?.map(compileSilence), listed: listed && new Set(listed) }, now);

const MATCHES: readonly (readonly [string, boolean])[] = [
  ['alertname=DiskFull', true],
  ['instance=web1', true],
  ['instance=~web.*', true],
  ['instance=~eb', false],
  ['instance!=web1', false],
  ['instance!~db.*', true],
  ['missing=', true],
  ['missing=~.+', false],
  ['alertname=Other', false],
];
for (const [text, isSilenced] of MATCHES)
  test(`a card of DiskFull on web1 is ${isSilenced ? '' : 'not '}silenced by ${text}`, () =>
    assert.equal(follow(cardWith('web1'), [silence(text)]).silence !== null, isSilenced));

test('of several silences the card shows the one with most of its alerts, then the last to end', () => {
  const card = cardWith('web1', 'web2');
  const shown = (...silences: readonly ActiveSilence[]) => follow(card, silences).silence;
  const all = silence('alertname=DiskFull');
  const part = silence('instance=web1', { endsAt: NOW + 9 * HOUR });
  const longer = silence('instance=~web.', { endsAt: NOW + 2 * HOUR, createdBy: 'ben' });
  assert.deepEqual(shown(part), { id: part.id, endsAt: '2030-01-02T17:30:00.000Z', by: 'ana', alerts: 1 });
  assert.equal(shown(part, all)?.id, all.id);
  assert.deepEqual(shown(all, part, longer), { id: longer.id, endsAt: '2030-01-02T10:30:00.000Z', by: 'ben' });
  assert.equal(shown(longer, part, all)?.id, longer.id);
});

test('a silence ends with its time, also while the alert server is away', () => {
  const card = follow(cardWith('web1'), [silence('instance=web1')]);
  assert.equal(follow(card, undefined, undefined, NOW + HOUR - 1).silence?.id, 'instance=web1');
  assert.equal(follow(card, undefined, undefined, NOW + HOUR).silence, null);
  assert.equal(follow(card, [silence('instance=web1')], undefined, NOW + HOUR).silence, null);
});

test('a silence that is not there any more ends at once, one that moved has its new end', () => {
  const card = follow(cardWith('web1'), [silence('instance=web1')]);
  assert.equal(follow(card, []).silence, null);
  const moved = follow(card, [silence('instance=web1', { endsAt: NOW + 5 * HOUR })]);
  assert.equal(moved.silence?.endsAt, '2030-01-02T13:30:00.000Z');
});

test('alerts that end while they are silenced end on the card, and fire on it again', () => {
  const silences = [silence('alertname=DiskFull')];
  const both = follow(cardWith('web1', 'web2'), silences, ['web1', 'web2', 'other']);
  assert.deepEqual([both.state, both.counts], ['firing', { firing: 2, resolved: 0 }]);
  const one = follow(both, silences, ['web2']);
  assert.deepEqual([one.state, one.counts], ['firing', { firing: 1, resolved: 1 }]);
  const none = follow(one, silences, ['other'], NOW + 1_000);
  assert.deepEqual([none.state, none.resolvedAt], ['resolved', '2030-01-02T08:30:01.000Z']);
  assert.deepEqual(
    none.alerts.map(({ state }) => state),
    ['resolved', 'resolved'],
  );
  assert.deepEqual(follow(none, silences, ['other'], NOW + 9_000), none, 'a repeat changes nothing');
  const again = follow(none, silences, ['web1'], NOW + 2_000);
  assert.deepEqual([again.state, again.resolvedAt, again.counts], ['firing', null, { firing: 1, resolved: 1 }]);
});

test('the end of a silence is followed by one more answer about the alerts', () => {
  const card = follow(cardWith('web1'), [silence('instance=web1')], ['web1']);
  const away = follow(card, [], undefined);
  assert.deepEqual([away.silence, away.state, away.isListed], [null, 'firing', true]);
  const ended = follow(away, [], []);
  assert.deepEqual([ended.state, ended.isListed], ['resolved', undefined]);
});

test('a card whose alerts the alert server never listed keeps firing', () => {
  const card = follow(cardWith('web1'), [silence('instance=web1')], ['other']);
  assert.deepEqual([card.state, card.silence?.id], ['firing', 'instance=web1']);
});

test('alerts beyond those shown end when the alert server lists none of the group', () => {
  const silences = [silence('alertname=DiskFull')];
  const names = Array.from({ length: 25 }, (_, index) => `web${index}`);
  const card = follow(cardWith(...names), silences, names);
  assert.deepEqual([card.counts.firing, card.more], [25, 5]);
  assert.equal(follow(card, silences, names.slice(1)).counts.firing, 24);
  assert.deepEqual(follow(card, silences, []).counts, { firing: 0, resolved: 25 });
});
