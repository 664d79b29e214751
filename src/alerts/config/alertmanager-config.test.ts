import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AlertmanagerConfig, type RouteConfig, readConfig } from './alertmanager-config.ts';

function read(text: string, classicNames = false): AlertmanagerConfig {
  const outcome = readConfig(text, classicNames);
  assert.ok(outcome.ok, outcome.ok ? '' : outcome.reason);
  return outcome.value;
}

const RECEIVERS = 'receivers: [{name: a}, {name: b}]\n';
const route = (fields: string) => `route:\n  receiver: a\n${fields}${RECEIVERS}`;

const DEFAULT_ROUTE: RouteConfig = {
  receiver: 'a',
  groupBy: undefined,
  groupWaitMs: 30_000,
  groupIntervalMs: 300_000,
  repeatIntervalMs: 14_400_000,
};

test('a configuration needs a route and its receiver; everything else has a default', () => {
  assert.deepEqual(read(`route: {receiver: a}\n${RECEIVERS}`), {
    resolveTimeoutMs: 300_000,
    route: DEFAULT_ROUTE,
    receivers: ['a', 'b'],
  });
});

test('a configuration may say everything that this version carries out', () => {
  const text = `
# in any order
receivers:
  - name: b
  - name: a
global:
  resolve_timeout: 1d2h
route:
  receiver: "a"
  group_by: ['alertname', "job", été]
  group_wait: 0s
  group_interval: 1m30s
  repeat_interval: 1w
  continue: false
`;
  assert.deepEqual(read(text), {
    resolveTimeoutMs: 26 * 3_600_000,
    route: {
      receiver: 'a',
      groupBy: ['alertname', 'job', 'été'],
      groupWaitMs: 0,
      groupIntervalMs: 90_000,
      repeatIntervalMs: 7 * 86_400_000,
    },
    receivers: ['b', 'a'],
  });
});

test('a scalar is a text where a text is wanted', () => {
  const text = 'route: {receiver: 2, group_by: [1, true]}\nreceivers: [{name: 2}, {name: yes}]\n';
  const { route, receivers } = read(text);
  assert.deepEqual([route.receiver, route.groupBy, receivers], ['2', ['1', 'true'], ['2', 'yes']]);
});

test('a field without a value is one that is not there', () => {
  const text = `global:\n${route('  group_by:\n  group_wait: ~\n  repeat_interval: null\n')}`;
  assert.deepEqual(read(text), { resolveTimeoutMs: 300_000, route: DEFAULT_ROUTE, receivers: ['a', 'b'] });
  assert.deepEqual(read(`global: {}\n${route('')}`).resolveTimeoutMs, 300_000);
  assert.deepEqual(read(`global: {resolve_timeout: }\n${route('')}`).resolveTimeoutMs, 300_000);
});

test('what is empty changes nothing, and may stand there: Alertmanager itself writes such fields', () => {
  const text = `${route(
    '  routes: []\n  match: {}\n  matchers: []\n  mute_time_intervals: []\n  active_time_intervals:\n',
  )}templates: []\ninhibit_rules: []\ntime_intervals:\n`;
  assert.deepEqual(read(text).route, DEFAULT_ROUTE);
});

test('grouping by nothing is one group, by ... one for each label set', () => {
  assert.equal(read(route('  group_by: []\n')).route.groupBy, undefined);
  assert.deepEqual(read(route("  group_by: ['...']\n")).route.groupBy, ['...']);
});

test('false has the many names that YAML once gave it', () => {
  for (const word of ['false', 'False', 'no', 'off', 'n', 'OFF']) {
    assert.deepEqual(read(route(`  continue: ${word}\n`)).route, DEFAULT_ROUTE, word);
  }
});

test('an anchor may be used again', () => {
  const text = `route:\n  receiver: &r a\n  group_wait: &d 1m\n  group_interval: *d\nreceivers: [{name: *r}]\n`;
  const { route, receivers } = read(text);
  assert.deepEqual([route.groupIntervalMs, receivers], [60_000, ['a']]);
});

test('a bad file is refused with its line, what was found and what to write instead', () => {
  const cases: readonly (readonly [text: string, reason: string | RegExp])[] = [
    ['', 'no route provided in config'],
    ['# nothing\n', 'no route provided in config'],
    ['null\n', 'no route provided in config'],
    ['{}', 'no route provided in config'],
    [RECEIVERS, 'no route provided in config'],
    [`route:\n${RECEIVERS}`, 'no route provided in config'],
    ['[]', 'line 1: the configuration must be a mapping of fields'],
    ['just text', 'line 1: the configuration must be a mapping of fields'],
    [`route: []\n${RECEIVERS}`, 'line 1: the root route must be a mapping of fields'],
    [`route: {}\n${RECEIVERS}`, 'line 1: root route must specify a default receiver'],
    [`route: {receiver: }\n${RECEIVERS}`, 'line 1: root route must specify a default receiver'],
    [`route: {receiver: ""}\n${RECEIVERS}`, 'line 1: root route must specify a default receiver'],
    [`route: {receiver: [a]}\n${RECEIVERS}`, 'line 1: receiver must be a text'],
    [`route: {receiver: *x}\n${RECEIVERS}`, 'line 1: receiver must be a text'],
    [`\nroute:\n  receiver: c\n${RECEIVERS}`, 'line 3: undefined receiver "c" used in route; list it under receivers'],
    ['route: {receiver: a}\n', 'line 1: undefined receiver "a" used in route; list it under receivers'],
    [route('  continue: true\n'), 'line 3: cannot have continue in root route'],
    [route('  continue: perhaps\n'), 'line 3: cannot have continue in root route'],
    [route('  match: {a: b}\n'), 'line 3: root route must not have any matchers'],
    [route('  match_re: {a: b}\n'), 'line 3: root route must not have any matchers'],
    [route('  matchers: [a=b]\n'), 'line 3: root route must not have any matchers'],
    [route('  matchers: a=b\n'), 'line 3: root route must not have any matchers'],
    [route('  mute_time_intervals: [x]\n'), 'line 3: root route must not have any mute time intervals'],
    [route('  active_time_intervals: [x]\n'), 'line 3: root route must not have any active time intervals'],
    [route('  group_interval: 0s\n'), 'line 3: group_interval cannot be zero'],
    [route('  repeat_interval: 0\n'), 'line 3: repeat_interval cannot be zero'],
    [route('  group_wait: ""\n'), 'line 3: empty duration string'],
    [
      route('  group_wait: 5 minutes\n'),
      'line 3: group_wait: not a valid duration string: "5 minutes"; write for instance 5m or 1h30m',
    ],
    [
      `global:\n  resolve_timeout: 1.5h\n${route('')}`,
      'line 2: resolve_timeout: not a valid duration string: "1.5h"; write for instance 5m or 1h30m',
    ],
    [route('  group_by: alertname\n'), 'line 3: group_by must be a list'],
    [route('  group_by: [[a]]\n'), 'line 3: group_by must be a text'],
    [route('  group_by: ["", b]\n'), 'line 3: invalid label name "" in group_by list'],
    [route('  group_by: [b, b]\n'), 'line 3: duplicated label "b" in group_by'],
    [
      route("  group_by: ['...', b]\n"),
      'line 3: cannot have wildcard group_by (`...`) and other labels at the same time',
    ],
    ['route: {receiver: a}\nreceivers: {name: a}\n', 'line 2: receivers must be a list'],
    ['route: {receiver: a}\nreceivers:\n  - a\n', 'line 3: a receiver must be a mapping of fields'],
    ['route: {receiver: a}\nreceivers:\n  - {}\n', 'line 3: missing name in receiver'],
    ['route: {receiver: a}\nreceivers:\n  - name: a\n  - name: ""\n', 'line 4: missing name in receiver'],
    [
      'route: {receiver: a}\nreceivers:\n  - name: a\n  - name: a\n',
      'line 4: notification config name "a" is not unique',
    ],
    [
      `${route('')}rout: {}\n`,
      'line 4: field rout not found in the configuration; it may have global, route, receivers',
    ],
    [route('  recipient: a\n'), /^line 3: field recipient not found in the root route; it may have receiver, group_by/],
    [route('  a: 1\n  a: 2\n'), 'line 4: Map keys must be unique'],
    [route('\tgroup_wait: 1m\n'), /^line 3: /],
    ['route: [\n', /^line 2: /],
    [`${route('')}---\nroute: {}\n`, /^line 4: .*multiple documents/],
  ];
  for (const [text, reason] of cases) {
    const outcome = readConfig(text, false);
    assert.ok(!outcome.ok, text);
    if (typeof reason === 'string') assert.equal(outcome.reason, reason, text);
    else assert.match(outcome.reason, reason, text);
  }
});

test('what Alertmanager would carry out and this version does not is refused, not passed over', () => {
  const cases: readonly (readonly [text: string, reason: string])[] = [
    [
      `${route('')}inhibit_rules:\n  - equal: [a]\n`,
      'line 4: field inhibit_rules in the configuration is not supported: this version does not carry it out yet; remove it, or stay with Alertmanager',
    ],
    [
      `${route('')}templates: ['*.tmpl']\n`,
      'line 4: field templates in the configuration is not supported: this version does not carry it out yet; remove it, or stay with Alertmanager',
    ],
    [
      route('  routes:\n    - receiver: b\n'),
      'line 3: field routes in the root route is not supported: this version does not carry it out yet; remove it, or stay with Alertmanager',
    ],
    [
      `global:\n  smtp_from: x\n${route('')}`,
      'line 2: field smtp_from in global is not supported: it configures notifications, which this version does not send; remove it, or stay with Alertmanager',
    ],
    [
      'route: {receiver: a}\nreceivers:\n  - name: a\n    webhook_configs:\n      - url: http://x/\n',
      'line 4: field webhook_configs in a receiver is not supported: this version holds and lists alerts but does not send notifications; remove it, or stay with Alertmanager',
    ],
  ];
  for (const [text, reason] of cases) assert.deepEqual(readConfig(text, false), { ok: false, reason });
});

test('where only classic names are allowed, no others are grouped by', () => {
  const text = route('  group_by: [a_b, a.b]\n');
  assert.deepEqual(read(text).route.groupBy, ['a_b', 'a.b']);
  assert.deepEqual(readConfig(text, true), {
    ok: false,
    reason: 'line 3: invalid label name "a.b" in group_by list',
  });
});
