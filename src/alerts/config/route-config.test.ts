import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printMatchers } from '../domain/matcher/matcher.ts';
import type { RouteSettings } from '../domain/route.ts';
import { ConfigFault, ConfigNode } from './config-node.ts';
import { inheritRoutes, routeKind } from './route-config.ts';

const kind = routeKind({ mode: 'fallback', onWarning: () => {} });

const read = (yaml: string): RouteSettings => inheritRoutes(kind.read(ConfigNode.parse(yaml)).value);

test('children inherit receiver, groups, timers and labels; not matchers, continue and intervals', () => {
  const route = read(`
receiver: a
group_by: [x, y]
group_wait: 1s
group_interval: 2s
repeat_interval: 3s
labels: {team: t, owner: o}
routes:
- matchers: [a=b]
  continue: true
  mute_time_intervals: [m]
  active_time_intervals: [n]
  routes:
  - {receiver: b, group_by: [z], group_wait: 0s, labels: {team: u}}
  - {receiver: "", group_interval: 4s}
`);
  const [child] = route.routes;
  const [first, second] = child?.routes ?? [];
  const inherited = {
    receiver: 'a',
    groupBy: ['x', 'y'],
    groupWaitMs: 1_000,
    groupIntervalMs: 2_000,
    repeatIntervalMs: 3_000,
    labels: { team: 't', owner: 'o' },
  };
  const none = { matchers: [], continue: false, muteTimeIntervals: [], activeTimeIntervals: [], routes: [] };
  const { matchers, routes, ...own } = child as RouteSettings;
  assert.deepEqual(own, { ...inherited, continue: true, muteTimeIntervals: ['m'], activeTimeIntervals: ['n'] });
  assert.equal(printMatchers(matchers), '{a="b"}');
  assert.deepEqual(first, {
    ...inherited,
    ...none,
    receiver: 'b',
    groupBy: ['z'],
    groupWaitMs: 0,
    labels: { team: 'u', owner: 'o' },
  });
  assert.deepEqual(second, { ...inherited, ...none, groupIntervalMs: 4_000 });
  assert.equal(routes.length, 2);
});

test('grouping by nothing is one group, by ... one for each label set, and both can be set again below', () => {
  const route = read("{receiver: a, group_by: ['...'], routes: [{}, {group_by: []}, {group_by: [x]}, {group_by: ~}]}");
  assert.deepEqual(
    [route, ...route.routes].map(({ groupBy }) => groupBy),
    ['all', 'all', [], ['x'], 'all'],
  );
  assert.deepEqual(read('{receiver: a}').groupBy, []);
});

test('matchers are joined from all ways to write them, and sorted', () => {
  const cases: readonly (readonly [fields: string, matchers: string])[] = [
    ['', '{}'],
    ['matchers: []', '{}'],
    ['matchers: ["", " "]', '{}'],
    ['match: {b: x, a: 2}', '{a="2",b="x"}'],
    ['match: {a: }', '{a=""}'],
    ['match_re: {a: "x|y", c: ""}', '{a=~"^(?:x|y)$",c=~"^(?:)$"}'],
    [`matchers: ['b!~"x"', '{a="z", a=~"y"}']`, '{a=~"y",a="z",b!~"x"}'],
    [`matchers: ['a="1"']\n  match: {a: 0}\n  match_re: {a: "0"}`, '{a="0",a="1",a=~"^(?:0)$"}'],
  ];
  for (const [fields, matchers] of cases) {
    const [child] = read(`receiver: a\nroutes:\n- continue: false\n  ${fields}\n`).routes;
    assert.equal(printMatchers(child?.matchers ?? []), matchers, fields);
  }
  const [child] = read('{receiver: a, routes: [{match_re: {job: "x|y"}}]}').routes;
  assert.deepEqual(
    ['x', 'y', 'xy', ''].map((value) => child?.matchers[0]?.matches(value)),
    [true, true, false, false],
  );
});

test('a route that makes no sense is refused with its line', () => {
  const cases: readonly (readonly [fields: string, message: string])[] = [
    ['group_interval: 0s', 'group_interval cannot be zero'],
    ['repeat_interval: 0', 'repeat_interval cannot be zero'],
    ['group_wait: 5 minutes', 'unknown unit " minutes" in duration "5 minutes"'],
    ['group_by: alertname', 'expected a list, found a scalar'],
    ['group_by: ["", b]', 'invalid label name "" in group_by list'],
    ['group_by: [b, a, b]', 'duplicated label "b" in group_by'],
    ["group_by: [b, '...']", 'cannot have wildcard group_by (`...`) and other labels at the same time'],
    ['labels: {"": x}', 'invalid label name "" in route labels'],
    ['match: {a-b: x}', 'invalid label name "a-b"'],
    ['match_re: {été: x}', 'invalid label name "été"'],
    ['match_re: {a: ~}', 'invalid regexp value for "a"'],
    ['match_re: {a: "("}', 'error parsing regexp: missing closing ): `^(?:()$`'],
    ['matchers: [a]', 'bad matcher format: a'],
    ['matchers: a=b', 'expected a list, found a scalar'],
    ['routes: [~]', 'missing route'],
    ['continue: perhaps', 'expected true or false, found "perhaps"'],
  ];
  for (const [fields, message] of cases) {
    assert.throws(
      () => read(`receiver: a\n${fields}\n`),
      (error) => error instanceof ConfigFault && error.message === `line 2: ${message}`,
      `${fields}: ${message}`,
    );
  }
});
