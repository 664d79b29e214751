import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../../testing/random.ts';
import { matcherOf, routeSettings } from '../testing/parts.ts';
import { createLabelSet, type LabelSet, printLabelSet } from './label-set.ts';
import { matchesAll } from './matcher/index.ts';
import type { Matcher, MatchOperator } from './matcher/matcher.ts';
import { groupLabels, type Route, type RouteSettings, RouteTree } from './route.ts';

const rootOf = (settings: Partial<RouteSettings>): Route => new RouteTree(routeSettings(settings)).root;

/** A route on `name="value"` to the receiver of that name. */
const on = (name: string, value: string, receiver: string, rest: Partial<RouteSettings> = {}) =>
  routeSettings({ receiver, matchers: [matcherOf(name, '=', value)], ...rest });

const receiversOf = (tree: RouteTree, labels: Record<string, string>) =>
  tree.match(createLabelSet(labels)).map(({ receiver }) => receiver);

test("the labels of a group are those in the route's group_by", () => {
  const labels = createLabelSet({ alertname: 'DiskFull', job: 'node', severity: 'page' });
  const cases: readonly (readonly [RouteSettings['groupBy'], string])[] = [
    ['all', '{alertname="DiskFull", job="node", severity="page"}'],
    [[], '{}'],
    [['severity', 'alertname'], '{alertname="DiskFull", severity="page"}'],
    [['cluster'], '{}'],
    [['cluster', 'job'], '{job="node"}'],
  ];
  for (const [groupBy, expected] of cases)
    assert.equal(printLabelSet(groupLabels(rootOf({ groupBy }), labels)), expected);
});

test('a root without children takes every alert, and its routes are one shared array', () => {
  const tree = new RouteTree(routeSettings());
  assert.deepEqual(tree.match(createLabelSet({ a: 'b' })), [tree.root]);
  assert.equal(tree.match(createLabelSet({})), tree.match(createLabelSet({ c: 'd' })));
});

test('the first matching child takes an alert; with continue, later matching ones take it too', () => {
  const tree = new RouteTree(
    routeSettings({
      receiver: 'root',
      routes: [
        on('team', 'db', 'audit', { continue: true }),
        on('team', 'db', 'dba', {
          routes: [on('severity', 'page', 'pager', { continue: true }), on('severity', 'page', 'chat')],
        }),
        on('team', 'db', 'never'),
        on('severity', 'page', 'all-pages'),
        on('severity', 'info', 'log', { continue: true }),
      ],
    }),
  );
  const cases: readonly (readonly [Record<string, string>, readonly string[]])[] = [
    [{}, ['root']],
    [{ team: 'web' }, ['root']],
    [{ team: 'db' }, ['audit', 'dba']],
    [{ team: 'db', severity: 'page' }, ['audit', 'pager', 'chat']],
    [{ team: 'db', severity: 'info' }, ['audit', 'dba']],
    [{ team: 'web', severity: 'page' }, ['all-pages']],
    [{ severity: 'info' }, ['log']],
  ];
  for (const [labels, expected] of cases) assert.deepEqual(receiversOf(tree, labels), expected, JSON.stringify(labels));
});

test('alerts with the same routes share one array, and others do not', () => {
  const tree = new RouteTree(
    routeSettings({ routes: [on('a', '1', 'x', { continue: true }), on('b', '1', 'y'), on('c', '1', 'x')] }),
  );
  const match = (labels: Record<string, string>) => tree.match(createLabelSet(labels));
  assert.equal(match({ a: '1', b: '1' }), match({ a: '1', b: '1', d: '1' }));
  assert.equal(match({ a: '1' }), match({ a: '1', b: '2' }));
  assert.notEqual(match({ a: '1' }), match({ a: '1', b: '1' }));
  // To the same receiver, but by another route.
  assert.notEqual(match({ a: '1' }), match({ c: '1' }));
});

test('a key names the matchers from the root down; an id differs between siblings with the same matchers', () => {
  const tree = new RouteTree(
    routeSettings({
      routes: [
        routeSettings({ matchers: [matcherOf('a', '=', 'x"'), matcherOf('b', '!~', 'y|z')] }),
        on('severity', 'page', 'r', { continue: true, routes: [on('team', 'db', 'r')] }),
        on('severity', 'page', 'r'),
      ],
    }),
  );
  assert.deepEqual(
    [...tree.all()].map(({ key, id }) => [key, id]),
    [
      ['{}', '{}'],
      ['{}/{a="x\\"",b!~"y|z"}', '{}/{a="x\\"",b!~"y|z"}/0'],
      ['{}/{severity="page"}', '{}/{severity="page"}/1'],
      ['{}/{severity="page"}/{team="db"}', '{}/{severity="page"}/1/{team="db"}/0'],
      ['{}/{severity="page"}', '{}/{severity="page"}/2'],
    ],
  );
});

test('a route has its path from the root', () => {
  const tree = new RouteTree(
    routeSettings({ receiver: 'a', routes: [on('x', '1', 'b', { routes: [on('y', '1', 'c')] })] }),
  );
  const [route] = tree.match(createLabelSet({ x: '1', y: '1' }));
  assert.deepEqual(
    route?.path.map(({ receiver }) => receiver),
    ['a', 'b', 'c'],
  );
  assert.equal(route?.path[0], tree.root);
  assert.equal(route?.path.at(-1), route);
});

/** What the tree has to say, written as the documentation does: one child after the other. */
function walk(route: Route, labels: LabelSet): readonly Route[] {
  const found: Route[] = [];
  for (const child of route.routes) {
    if (!matchesAll(child.matchers, labels)) continue;
    found.push(...walk(child, labels));
    if (!child.continue) break;
  }
  return found.length > 0 ? found : [route];
}

function randomMatchers(random: Random): Matcher[] {
  return Array.from({ length: random.int(0, 2) }, () => {
    const operator = random.pick<MatchOperator>(['=', '=', '=', '!=', '=~', '!~']);
    return matcherOf(random.pick(['a', 'b', 'c']), operator, random.pick(['', '1', '2', '3', '1|2']));
  });
}

function randomRoute(random: Random, depth: number): RouteSettings {
  // On both sides of the number from which children are looked up and not tried.
  const routes = depth === 0 ? [] : Array.from({ length: random.int(0, 20) }, () => randomRoute(random, depth - 1));
  return routeSettings({
    receiver: random.pick(['x', 'y', 'z']),
    matchers: randomMatchers(random),
    continue: random.chance(0.5),
    routes,
  });
}

test('with any number of children an alert has the same routes', () => {
  const random = new Random(21);
  for (let round = 0; round < 40; round++) {
    const tree = new RouteTree({ ...randomRoute(random, 2), matchers: [], continue: false });
    for (let alert = 0; alert < 40; alert++) {
      const labels = createLabelSet({
        a: random.pick(['', '1', '2', '3']),
        b: random.pick(['', '1', '2', '3']),
        c: random.pick(['', '1', '1|2']),
      });
      assert.deepEqual(
        tree.match(labels).map(({ id }) => id),
        walk(tree.root, labels).map(({ id }) => id),
      );
    }
  }
});
