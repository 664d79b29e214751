import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileAnchored } from '../../kernel/regexp/regexp.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import { FakeDatabase } from '../../testing/fake/database.ts';
import { Random } from '../../testing/random.ts';
import { ALERT_SERVER_DEFAULTS } from '../config/server-options.ts';
import type { Alert } from '../domain/alert.ts';
import type { InhibitionRule } from '../domain/inhibition.ts';
import type { Matcher } from '../domain/matcher/matcher.ts';
import { RouteTree } from '../domain/route.ts';
import { joinState } from '../state/alert-state.ts';
import { localStorage } from '../state/local-storage.ts';
import type { AlertGroups } from '../store/groups.ts';
import { forgetAlert } from '../store/slot.ts';
import { alertOf, MINUTE, matcherOf, routeSettings, START, silenceOf } from '../testing/parts.ts';
import type { AlertListing } from './alert-listing.ts';
import type { AlertQuery, RoutingNames } from './alert-query.ts';

const toDatabase = (receiver: string, groupBy: readonly string[], goesOn: boolean) =>
  routeSettings({ receiver, groupBy, matchers: [matcherOf('job', '=', 'db')], continue: goesOn });

/** One receiver comes twice, by two routes. */
const SETTINGS = routeSettings({
  groupBy: ['alertname'],
  routes: [toDatabase('web', ['job'], true), toDatabase('dba', ['job'], true), toDatabase('web', ['alertname'], false)],
});
const TREE = new RouteTree(SETTINGS);

/** What a configuration says that gives one receiver a label more, and no route any. */
const NAMES: RoutingNames = {
  receiverLabels: (name) => (name === 'dba' ? { name, owner: 'storage' } : { name }),
  routeLabels: () => ({}),
};

const RULES: readonly InhibitionRule[] = [
  {
    name: '',
    sourceMatchers: [matcherOf('alertname', '=', 'ClusterDown')],
    targetMatchers: [matcherOf('job', '=', 'db')],
    equal: [],
  },
];

const QUERY: AlertQuery = {
  filter: [],
  receiver: undefined,
  receiverMatchers: [],
  states: { active: true, silenced: true, inhibited: true, unprocessed: true },
  muted: true,
};

function createListing(...alerts: readonly Alert[]) {
  const clock = new FakeClock(START);
  const quiet = () => {};
  const log = { debug: quiet, info: quiet, warn: quiet, error: quiet, debugging: false };
  const state = joinState({
    options: ALERT_SERVER_DEFAULTS,
    tree: TREE,
    inhibitionRules: RULES,
    storage: localStorage({ ...ALERT_SERVER_DEFAULTS, database: new FakeDatabase(), clock, log }),
    clock,
    log,
    newId: () => 'unused',
  });
  const { alerts: store, silencer, groups, alertListing: listing } = state;
  store.put(alerts);
  return { store, silencer, groups, listing };
}

interface Listed {
  readonly labels: Record<string, string>;
  readonly fingerprint: string;
  readonly receivers: readonly { name: string }[];
  readonly status: { state: string; silencedBy: string[]; inhibitedBy: string[]; mutedBy: string[] };
}

function alerts(listing: AlertListing, query: Partial<AlertQuery> = {}, now = START): readonly Listed[] {
  return JSON.parse(`[${listing.alerts({ ...QUERY, ...query }, NAMES, now)}]`) as Listed[];
}

function groups(listing: AlertListing, query: Partial<AlertQuery> = {}, now = START) {
  const read = JSON.parse(`[${listing.groups({ ...QUERY, ...query }, NAMES, now)}]`) as {
    labels: object;
    receiver: { name: string };
    routeLabels: object;
    alerts: Listed[];
  }[];
  return read.map(({ labels, receiver, alerts }) => [
    receiver.name,
    JSON.stringify(labels),
    ...alerts.map((alert) => `${alert.labels.n} to ${alert.receivers.map(({ name }) => name)}`),
  ]);
}

const DB = alertOf({ alertname: 'Slow', job: 'db', n: '1' });
const NODE = alertOf({ alertname: 'Down', job: 'node', n: '2' });
const BARE = alertOf({ n: '3' });
const numbers = (listed: readonly Listed[]) => listed.map(({ labels }) => labels.n).sort();

function pattern(source: string) {
  const compiled = compileAnchored(source);
  assert.ok(compiled.ok);
  return compiled.pattern;
}

test('alerts are listed by fingerprint, with their receivers in the order of the routes', () => {
  const { listing } = createListing(DB, NODE, BARE);
  const listed = alerts(listing);
  const fingerprints = listed.map(({ fingerprint }) => fingerprint);
  assert.deepEqual(fingerprints, [...fingerprints].sort());
  const receiversOf = (n: string) => listed.find(({ labels }) => labels.n === n)?.receivers.map(({ name }) => name);
  assert.deepEqual([receiversOf('1'), receiversOf('2')], [['web', 'dba', 'web'], ['default']]);
});

test('nothing to list is nothing', () => {
  const { listing } = createListing();
  assert.deepEqual(listing.alerts(QUERY, NAMES, START), []);
  assert.deepEqual(listing.groups(QUERY, NAMES, START), []);
});

test('groups are listed by labels and receiver, and name for each alert the wanted receivers, sorted', () => {
  const { listing } = createListing(DB, NODE, BARE);
  assert.deepEqual(groups(listing), [
    ['default', '{}', '3 to default'],
    ['dba', '{"job":"db"}', '1 to dba,web,web'],
    ['web', '{"job":"db"}', '1 to dba,web,web'],
    ['default', '{"alertname":"Down"}', '2 to default'],
    ['web', '{"alertname":"Slow"}', '1 to dba,web,web'],
  ]);
  assert.deepEqual(groups(listing, { receiver: pattern('dba|default') }), [
    ['default', '{}', '3 to default'],
    ['dba', '{"job":"db"}', '1 to dba'],
    ['default', '{"alertname":"Down"}', '2 to default'],
  ]);
});

test('a receiver keeps the alerts of which any receiver matches', () => {
  const { listing } = createListing(DB, NODE, BARE);
  const cases: readonly (readonly [Partial<AlertQuery>, readonly string[]])[] = [
    [{ receiver: pattern('.*') }, ['1', '2', '3']],
    [{ receiver: pattern('dba') }, ['1']],
    [{ receiver: pattern('default') }, ['2', '3']],
    [{ receiver: pattern('d') }, []],
    [{ receiverMatchers: [matcherOf('name', '=', 'web')] }, ['1']],
    [{ receiverMatchers: [matcherOf('name', '!=', 'web')] }, ['1', '2', '3']],
    // Both of one receiver, not each of some.
    [{ receiverMatchers: [matcherOf('name', '=', 'web'), matcherOf('name', '=', 'dba')] }, []],
    [{ receiver: pattern('web'), receiverMatchers: [matcherOf('name', '=', 'dba')] }, []],
    [{ receiverMatchers: [matcherOf('owner', '!=', '')] }, ['1']],
    [{ receiverMatchers: [matcherOf('owner', '=', 'storage'), matcherOf('name', '=', 'web')] }, []],
  ];
  for (const [query, expected] of cases) assert.deepEqual(numbers(alerts(listing, query)), expected);
});

test('a filter with an empty value matches only the right presence of the label', () => {
  const { listing } = createListing(DB, NODE, BARE);
  const cases: readonly (readonly [readonly Matcher[], readonly string[]])[] = [
    [[matcherOf('job', '=', 'db')], ['1']],
    [[matcherOf('job', '!=', 'db')], ['2', '3']],
    [[matcherOf('job', '=~', 'd.|node')], ['1', '2']],
    [[matcherOf('job', '!~', 'd.')], ['2', '3']],
    [[matcherOf('job', '=', '')], ['3']],
    [[matcherOf('job', '!=', '')], ['1', '2']],
    [[matcherOf('job', '=~', '')], ['3']],
    [[matcherOf('job', '!~', '')], ['1', '2']],
    [[matcherOf('job', '=~', '.*')], ['1', '2', '3']],
    [[matcherOf('job', '!=', 'db'), matcherOf('alertname', '=', 'Down')], ['2']],
  ];
  for (const [filter, expected] of cases) {
    assert.deepEqual(numbers(alerts(listing, { filter })), expected);
    assert.deepEqual(
      [...new Set(groups(listing, { filter }).flatMap(([, , ...listed]) => listed.map((text) => text?.[0])))].sort(),
      expected,
    );
  }
});

test('an alert is listed until its end has passed, resolved or not yet forgotten', () => {
  const { listing } = createListing(alertOf({ n: '1' }, { endsAt: START + MINUTE }));
  const seen = [START, START + MINUTE, START + MINUTE + 1].map((now) => [
    alerts(listing, {}, now).length,
    groups(listing, {}, now).length,
    listing.countStates(now).active,
  ]);
  assert.deepEqual(seen, [
    [1, 1, 1],
    [1, 1, 1],
    [0, 0, 0],
  ]);
});

test('an alert is listed as silenced from the start of its silence, and each state can be left out', () => {
  const { listing, silencer } = createListing(DB, NODE, BARE);
  const after = silenceOf({ id: 's', matchers: [matcherOf('job', '=', 'db')], startsAt: START + 10 });
  silencer.changeSilences([{ before: undefined, after }], START);
  assert.deepEqual(listing.countStates(START), { unprocessed: 0, active: 3, suppressed: 0 });
  const now = START + 10;
  assert.deepEqual(listing.countStates(now), { unprocessed: 0, active: 2, suppressed: 1 });
  const database = alerts(listing, {}, now).find(({ labels }) => labels.n === '1');
  assert.deepEqual(database?.status, { inhibitedBy: [], mutedBy: [], silencedBy: ['s'], state: 'suppressed' });
  const without = (states: Partial<AlertQuery['states']>) => ({ states: { ...QUERY.states, ...states } });
  assert.deepEqual(numbers(alerts(listing, without({ silenced: false }), now)), ['2', '3']);
  assert.deepEqual(numbers(alerts(listing, without({ active: false }), now)), ['1']);
  assert.deepEqual(numbers(alerts(listing, without({ inhibited: false }), now)), ['1', '2', '3']);
  assert.deepEqual(
    groups(listing, without({ silenced: false }), now).map(([, labels]) => labels),
    ['{}', '{"alertname":"Down"}'],
  );
});

test('a listing is fixed at its request, however slowly it is read', () => {
  const { listing, store, silencer } = createListing(NODE);
  const listed = [listing.alerts(QUERY, NAMES, START), listing.groups(QUERY, NAMES, START)];
  store.put([DB, { ...NODE, endsAt: NODE.endsAt + MINUTE }]);
  silencer.changeSilences(
    [{ before: undefined, after: silenceOf({ matchers: [matcherOf('job', '=', 'node')] }) }],
    START,
  );
  for (const texts of listed) {
    assert.match(texts.join(), /"endsAt":"2026-01-01T00:05:00.000Z"/);
    assert.doesNotMatch(texts.join(), /Slow|suppressed|00:06:00/);
  }
});

test('the text of an alert is made once, until something in it changes', () => {
  let prints = 0;
  const { listing, store, silencer } = createListing({
    ...NODE,
    get generatorURL() {
      prints++;
      return 'http://a/';
    },
  });
  alerts(listing);
  const once = prints;
  store.put([DB]);
  alerts(listing);
  alerts(listing, { filter: [matcherOf('n', '=', '2')] });
  groups(listing);
  assert.equal(prints, once);
  const after = silenceOf({ matchers: [matcherOf('job', '=', 'node')] });
  silencer.changeSilences([{ before: undefined, after }], START);
  assert.match(String(listing.alerts(QUERY, NAMES, START)), /"silencedBy":\["/);
  assert.ok(prints > once);
  store.put([{ ...NODE, annotationsJson: '{"new":"text"}' }]);
  assert.match(String(listing.alerts(QUERY, NAMES, START)), /"new":"text"/);
});

/** Every group notifies its resolved alerts. */
function letGo(groups: AlertGroups, now: number): void {
  for (const group of [...groups.sorted()])
    for (const slot of [...group.sorted()]) if (slot.alert.endsAt <= now) groups.release(group, slot);
}

test('an alert has its inhibiting source as long as the source exists and fires', () => {
  const { listing, store } = createListing(DB, NODE);
  const source = alertOf({ alertname: 'ClusterDown', n: '4' }, { endsAt: START + MINUTE });
  const inhibitedBy = (now: number) => alerts(listing, {}, now).map(({ status }) => status.inhibitedBy);
  assert.deepEqual(inhibitedBy(START).flat(), []);
  store.put([source]);
  assert.deepEqual(inhibitedBy(START).flat(), [source.fingerprint]);
  assert.deepEqual(listing.countStates(START), { unprocessed: 0, active: 2, suppressed: 1 });
  assert.deepEqual(numbers(alerts(listing, { states: { ...QUERY.states, inhibited: false } })), ['2', '4']);
  assert.deepEqual(inhibitedBy(START + MINUTE).flat(), []);
  store.put([{ ...source, endsAt: START + 3 * MINUTE, updatedAt: START + MINUTE }]);
  assert.deepEqual(inhibitedBy(START + MINUTE).flat(), [source.fingerprint]);
});

test('a muted group is shown at its alerts, in this listing alone, and can be left out', () => {
  const { listing, groups: held } = createListing(DB, NODE);
  const muted = held.sorted().find(({ receiver }) => receiver === 'default');
  assert.ok(muted);
  muted.mutedBy = ['nights', 'weekends'];
  const [text = ''] = listing.groups({ ...QUERY, receiver: pattern('default') }, NAMES, START);
  const { status } = (JSON.parse(String(text)) as { alerts: Listed[] }).alerts[0] as Listed;
  assert.deepEqual(status, { inhibitedBy: [], mutedBy: ['nights', 'weekends'], silencedBy: [], state: 'suppressed' });
  assert.deepEqual(
    groups(listing, { muted: false }).map(([receiver]) => receiver),
    ['dba', 'web', 'web'],
  );
  assert.deepEqual(
    alerts(listing).map(({ status: { state, mutedBy } }) => [state, mutedBy]),
    [
      ['active', []],
      ['active', []],
    ],
  );
});

test('the text of a group is made once, until an alert in it or its mute times change', () => {
  let prints = 0;
  const {
    listing,
    store,
    groups: held,
  } = createListing(DB, {
    ...NODE,
    get generatorURL() {
      prints++;
      return 'http://a/';
    },
  });
  const group = held.sorted().find(({ receiver }) => receiver === 'default');
  assert.ok(group);
  group.mutedBy = ['nights'];
  groups(listing);
  const once = prints;
  store.put([{ ...DB, annotationsJson: '{"new":"text"}' }]);
  assert.match(String(listing.groups(QUERY, NAMES, START)), /"new":"text"/);
  groups(listing, { filter: [matcherOf('alertname', '=', 'Down')] });
  assert.equal(prints, once);
  group.mutedBy = [];
  assert.doesNotMatch(String(listing.groups(QUERY, NAMES, START)), /nights/);
});

test('a listing of an earlier moment, after the clock was put back, is the one of that moment', () => {
  const { listing } = createListing(DB, NODE);
  const before = [listing.alerts(QUERY, NAMES, START), listing.groups(QUERY, NAMES, START)].map(String);
  assert.deepEqual(alerts(listing, {}, START + 6 * MINUTE), []);
  assert.deepEqual(groups(listing, {}, START + 6 * MINUTE), []);
  const after = [listing.alerts(QUERY, NAMES, START), listing.groups(QUERY, NAMES, START)].map(String);
  assert.deepEqual(after, before);
});

test('after a reload a query uses the new labels of receivers', () => {
  const { listing, groups: held, store } = createListing(DB, NODE);
  const owned = { ...QUERY, receiverMatchers: [matcherOf('owner', '=', 'storage')] };
  const listed = (names: RoutingNames) =>
    [listing.alerts(owned, names, START), listing.groups(owned, names, START)].map((texts) => texts.length > 0);
  assert.deepEqual(listed(NAMES), [true, true]);
  held.reroute(new RouteTree(SETTINGS), store.sorted());
  assert.deepEqual(listed({ ...NAMES, receiverLabels: (name) => ({ name }) }), [false, false]);
});

test('an alert removed from every group is still listed, with its receivers, until its end is over', () => {
  const { listing, store, groups: held } = createListing(DB);
  const before = alerts(listing);
  letGo(held, DB.endsAt);
  assert.deepEqual(groups(listing), []);
  assert.deepEqual(alerts(listing), before);
  // Also after a reload, which puts it into no group again.
  held.reroute(TREE, store.sorted());
  assert.deepEqual(groups(listing), []);
  assert.deepEqual(alerts(listing), before);
});

test('a caching listing equals one without a cache', () => {
  const random = new Random(13);
  const { listing, store, silencer, groups } = createListing();
  const fresh = () => {
    for (const slot of store.sorted()) forgetAlert(slot);
  };
  const silences = ['a', 'b', 'c'].map((id) =>
    silenceOf({ id, matchers: [matcherOf('n', '=~', random.pick(['1|2', '2|3', '.+']))] }),
  );
  let now = START;
  for (let round = 0; round < 300; round++) {
    now += random.int(0, 20_000);
    const labels: Record<string, string> = { n: random.pick(['1', '2', '3']), job: random.pick(['db', 'node']) };
    if (random.chance(0.2)) labels.alertname = 'ClusterDown';
    if (random.chance(0.5)) {
      store.put([alertOf(labels, { startsAt: now, endsAt: now + random.int(0, 5) * MINUTE, updatedAt: now })]);
    }
    if (random.chance(0.3)) {
      const silence = { ...random.pick(silences), startsAt: now, endsAt: now + random.int(0, 3) * MINUTE };
      silencer.changeSilences([{ before: silence, after: silence }], now);
    }
    if (random.chance(0.1)) {
      letGo(groups, now);
      store.collectGarbage(now);
    }
    const query = { ...QUERY, receiver: random.pick([undefined, pattern('web'), pattern('.*a.*')]) };
    const remembered = [
      listing.alerts(query, NAMES, now),
      listing.groups(query, NAMES, now),
      listing.alerts(QUERY, NAMES, now),
    ];
    fresh();
    const made = [
      listing.alerts(query, NAMES, now),
      listing.groups(query, NAMES, now),
      listing.alerts(QUERY, NAMES, now),
    ];
    assert.deepEqual(remembered, made, `round ${round}`);
    // Half of the rounds begin with texts of the round before.
    if (random.chance(0.5)) fresh();
  }
});
