import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AlertmanagerConfig, type ReadConfigOptions, readConfig } from './alertmanager-config.ts';

const OPTIONS: ReadConfigOptions = { folder: '/etc/alerts', matcherMode: 'fallback' };

function read(text: string, options: Partial<ReadConfigOptions> = {}): AlertmanagerConfig {
  const outcome = readConfig(text, { ...OPTIONS, ...options });
  assert.ok(outcome.ok, outcome.ok ? '' : `${outcome.reason}\n${text}`);
  return outcome.value;
}

function reasonOf(text: string, options: Partial<ReadConfigOptions> = {}): string {
  const outcome = readConfig(text, { ...OPTIONS, ...options });
  return outcome.ok ? 'nothing is wrong' : outcome.reason;
}

const RECEIVERS = 'receivers: [{name: a}, {name: b}]\n';
const root = (fields: string) => `route:\n  receiver: a\n${fields}${RECEIVERS}`;

test('a configuration needs a route and its receiver; everything else has a default', () => {
  const { global, route, receivers, hash, redact, ...rest } = read(`route: {receiver: a}\n${RECEIVERS}`);
  assert.deepEqual(route, {
    receiver: 'a',
    matchers: [],
    continue: false,
    groupBy: [],
    groupWaitMs: 30_000,
    groupIntervalMs: 300_000,
    repeatIntervalMs: 14_400_000,
    muteTimeIntervals: [],
    activeTimeIntervals: [],
    labels: {},
    routes: [],
  });
  assert.deepEqual(receivers, [
    { name: 'a', labels: { name: 'a' }, integrations: [] },
    { name: 'b', labels: { name: 'b' }, integrations: [] },
  ]);
  assert.deepEqual(
    [global.resolveTimeout, global.smtpHello, global.smtpRequireTls, global.httpConfig?.followRedirects],
    [300_000, 'localhost', true, true],
  );
  const { printed, notices, ...others } = rest;
  assert.equal(redact('x'), 'x');
  assert.deepEqual(others, {
    resolveTimeoutMs: 300_000,
    inhibitRules: [],
    templates: [],
    timeIntervals: [],
    tracing: undefined,
    eventRecorder: undefined,
    warnings: [],
    variables: [],
  });
  assert.deepEqual(notices, ['line 2: no route uses receiver "b"']);
  assert.match(printed, /^global:\n {2}resolve_timeout: 5m\n/);
  // What Alertmanager shows as alertmanager_config_hash of this text.
  assert.equal(hash, 39_572_723_104_252);
});

test('an empty file has no route, and a file may lack one', () => {
  for (const text of ['', '# nothing\n', 'null\n', '~']) {
    assert.equal(reasonOf(text), 'no route provided in config', text);
  }
  for (const text of ['{}', RECEIVERS, `route:\n${RECEIVERS}`])
    assert.equal(reasonOf(text), 'no routes provided', text);
  assert.equal(reasonOf('[]'), 'line 1: expected a mapping of fields, found a list');
  assert.equal(reasonOf('just text'), 'line 1: expected a mapping of fields, found a scalar');
});

test('unknown names, duplicate names, and fields not allowed in a root route are refused', () => {
  const intervals = (fields: string) => `${root('')}${fields}`;
  const cases: readonly (readonly [text: string, reason: string])[] = [
    [`route: {}\n${RECEIVERS}`, 'line 1: root route must specify a default receiver'],
    [`route: {receiver: ""}\n${RECEIVERS}`, 'line 1: root route must specify a default receiver'],
    [root('  continue: yes\n'), 'line 3: cannot have continue in root route'],
    [root('  match: {a: b}\n'), 'line 3: root route must not have any matchers'],
    [root('  match_re: {a: b}\n'), 'line 3: root route must not have any matchers'],
    [root('  matchers: [a=b]\n'), 'line 3: root route must not have any matchers'],
    [
      `${root('  mute_time_intervals: [x]\n')}time_intervals: [{name: x}]\n`,
      'line 3: root route must not have any mute time intervals',
    ],
    [
      `${root('  active_time_intervals: [x]\n')}time_intervals: [{name: x}]\n`,
      'line 3: root route must not have any active time intervals',
    ],
    ['route: {receiver: a}\n', 'line 1: undefined receiver "a" used in route'],
    [root('  routes:\n  - routes:\n    - receiver: c\n'), 'line 5: undefined receiver "c" used in route'],
    [
      root('  routes:\n  - active_time_intervals: [x]\n    mute_time_intervals:\n    - x\n    - y\n') +
        'time_intervals: [{name: y}]\n',
      'line 4: undefined time interval "x" used in route\nline 6: undefined time interval "x" used in route',
    ],
    ['route: {receiver: a}\nreceivers:\n- name: a\n- name: a\n', 'line 4: notification config name "a" is not unique'],
    [
      'route: {receiver: a}\nreceivers:\n- {name: a}\n- {}\n-\n',
      'line 4: missing name in receiver\nline 5: missing name in receiver',
    ],
    [
      'route: {receiver: a}\nreceivers: [{name: a, labels: {name: b}}]\n',
      'line 2: receiver label "name" must match receiver name "a", got "b"',
    ],
    [intervals('time_intervals:\n- {name: x}\n- {name: x}\n'), 'line 6: time interval "x" is not unique'],
    [intervals('mute_time_intervals:\n- {name: x}\n- {name: x}\n'), 'line 6: mute time interval "x" is not unique'],
    [
      intervals('mute_time_intervals: [{name: x}]\ntime_intervals: [{name: x}]\n'),
      'line 5: time interval "x" is not unique',
    ],
    [
      intervals('rout: {}\n'),
      'line 4: field rout not found in type config.plain; it may be one of global, route, inhibit_rules, receivers, templates, mute_time_intervals, time_intervals, tracing, event_recorder',
    ],
    [intervals('route: {}\n'), 'line 4: field route already set in type config.plain'],
    [root('  routes: [{match_re: {a: b, a: c}}]\n'), 'line 3: key "a" already set in map'],
  ];
  for (const [text, reason] of cases) assert.equal(reasonOf(text), reason, text);
});

test('all that is wrong with a file is said at once, in the order of its lines', () => {
  const text = `
global: {resolve_timeout: 5 minutes}
route:
  receiver: c
  routes:
  - match: {a.b: x}
    group_interval: 0s
  - matchers: ["a=~("]
inhibit_rules:
- equal: ['']
receivers:
- name: a
  webhook_configs: [{}]
time_intervals:
- name: ''
templates: {}
`;
  assert.equal(
    reasonOf(text),
    [
      'line 2: unknown unit " minutes" in duration "5 minutes"',
      'line 6: invalid label name "a.b"',
      'line 7: group_interval cannot be zero',
      'line 8: error parsing regexp: missing closing ): `^(?:()$`',
      'line 10: invalid label name "" in equal list',
      'line 13: one of url or url_file must be configured',
      'line 15: missing name in time interval',
      'line 16: expected a list, found a mapping',
    ].join('\n'),
  );
});

test('a part that cannot be read is not held against the others', () => {
  assert.equal(reasonOf('route: {receiver: a}\nreceivers: [{name: a, x: 1}]\n').split('\n').length, 1);
  const text = `global: {x: 1}\n${root('')}`.replace('{name: a}', '{name: a, slack_configs: [{channel: c}]}');
  assert.match(reasonOf(text), /^line 1: field x not found [^\n]*$/);
});

test('intervals are found under both names, the old ones first', () => {
  const text = `${root('  routes: [{mute_time_intervals: [new], active_time_intervals: [old]}]\n')}
time_intervals: [{name: new, time_intervals: [{months: [1]}, {}]}]
mute_time_intervals: [{name: old}]
`;
  const { timeIntervals, route } = read(text);
  assert.deepEqual(
    timeIntervals.map(({ name, intervals }) => [name, intervals.length]),
    [
      ['old', 0],
      ['new', 2],
    ],
  );
  assert.deepEqual(route.routes[0]?.muteTimeIntervals, ['new']);
  assert.deepEqual(route.routes[0]?.activeTimeIntervals, ['old']);
});

test('inhibition rules combine the old and new forms of matchers', () => {
  const text = `${root('')}
inhibit_rules:
- name: n
  source_match: {b: x}
  source_match_re: {a: y|z}
  source_matchers: ['c="1"']
  target_matchers: ['d!=1, e!~2']
  equal: [cluster, été]
-
`;
  const [rule, empty] = read(text).inhibitRules;
  const words = (matchers: readonly { name: string; operator: string; value: string }[] | undefined) =>
    matchers?.map(({ name, operator, value }) => name + operator + value);
  assert.deepEqual(words(rule?.sourceMatchers), ['a=~^(?:y|z)$', 'b=x', 'c=1']);
  assert.deepEqual(words(rule?.targetMatchers), ['d!=1', 'e!~2']);
  assert.deepEqual([rule?.name, rule?.equal], ['n', ['cluster', 'été']]);
  assert.deepEqual(empty, { name: '', sourceMatchers: [], targetMatchers: [], equal: [] });
});

test('matchers and names of labels are read as the mode says', () => {
  const text = root('  group_by: [a.b]\n  routes:\n  - matchers: [\'a.b="c"\']\n    labels: {é: x}\n');
  assert.deepEqual(read(text, { matcherMode: 'utf8-strict' }).route.groupBy, ['a.b']);
  assert.equal(
    reasonOf(text, { matcherMode: 'classic' }),
    [
      'line 3: invalid label name "a.b" in group_by list',
      'line 5: bad matcher format: a.b="c"',
      'line 6: invalid label name "é" in route labels',
    ].join('\n'),
  );
  const old = root("  routes:\n  - matchers: ['a=~b|{c']\n");
  assert.match(reasonOf(old, { matcherMode: 'utf8-strict' }), /^line 4: /);
  const [warning] = read(old).warnings;
  assert.match(warning ?? '', /^line 4: only the classic matcher syntax allows this input.*; write a=~"b\|\{c"$/);
});

test('variables are expanded only if enabled', () => {
  const text = root('  group_by: ["$' + '{LABEL}"]\n');
  const environment = { LABEL: 'team' };
  assert.deepEqual(read(text, { expandEnv: true, environment }).route.groupBy, ['team']);
  assert.deepEqual(read(text, { environment }).route.groupBy, ['$' + '{LABEL}']);
  assert.equal(reasonOf(text, { expandEnv: true, environment: {} }), 'line 3: environment variable LABEL is not set');
});

test('a file nested too deeply is refused', () => {
  assert.equal(reasonOf('['.repeat(100_000)), 'line 1: nested too deeply');
  const routes = `${'{routes: ['.repeat(150)}${']}'.repeat(150)}`;
  assert.match(reasonOf(`route: ${routes}\n`), /nested too deeply/);
});

test('of a URL with expanded variables only the host is shown, also where a slash was added to the path', () => {
  const url = '$' + '{URL}';
  const text = `route: {receiver: a}
receivers:
- name: a
  victorops_configs: [{api_key: k, routing_key: r, api_url: '${url}'}]
  wechat_configs: [{api_secret: s, corp_id: c, api_url: '${url}'}]
  opsgenie_configs: [{api_key: k, api_url: '${url}'}]
  webex_configs: [{room_id: r, api_url: '${url}', http_config: {authorization: {credentials: c}}}]
  jira_configs: [{project: p, issue_type: t, api_url: '${url}'}]
`;
  for (const URL of ['https://h/s3cret', 'https://h/s3cret/', 'https://h/s3cret?k=s3cret', 'https://h?k=s3cret']) {
    const { printed } = read(text, { expandEnv: true, environment: { URL } });
    assert.doesNotMatch(printed, /s3cret/);
    assert.equal(printed.match(/ api_url: https:\/\/h\/\n/g)?.length, 5, printed);
  }
});
