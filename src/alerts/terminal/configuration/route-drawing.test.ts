import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMatcher, type MatchOperator } from '../../domain/matcher/matcher.ts';
import { type DrawnRoute, drawMatchingRoutes, drawRoutes } from './route-drawing.ts';

function route(
  receiver: string,
  matchers: [string, MatchOperator, string][],
  more: Partial<DrawnRoute> = {},
): DrawnRoute {
  return {
    receiver,
    matchers: matchers.map(([name, operator, value]) => {
      const matcher = createMatcher(name, operator, value);
      assert.ok(matcher.ok);
      return matcher.value;
    }),
    continue: false,
    routes: [],
    ...more,
  };
}

const tree = route('default', [], {
  routes: [
    route('db', [['team', '=~', 'db|sql']], {
      continue: true,
      routes: [
        route('db-page', [
          ['severity', '=', 'page'],
          ['site', '!=', ''],
        ]),
        route('db', [['note', '=', 'a "b"\nc']]),
      ],
    }),
    route('audit', [], { continue: true }),
    route('last', [['severity', '!~', 'info|debug']]),
  ],
});

test('the whole tree has a line for each route, with matchers, continue and receiver', () => {
  assert.equal(
    drawRoutes(tree),
    `.
└── default-route  receiver: default
    ├── {team=~"db|sql"}  continue: true  receiver: db
    │   ├── {severity="page",site!=""}  receiver: db-page
    │   └── {note="a \\"b\\"\\nc"}  receiver: db
    ├── default-route  continue: true  receiver: audit
    └── {severity!~"info|debug"}  receiver: last
`,
  );
});

const ways: [labels: Record<string, string>, lines: string[]][] = [
  [
    { team: 'db', severity: 'page', site: 'north' },
    [
      '└── default-route',
      '    ├── {team=~"db|sql"}',
      '    │   └── {severity="page",site!=""}  receiver: db-page',
      '    ├── default-route  receiver: audit',
      '    └── {severity!~"info|debug"}  receiver: last',
    ],
  ],
  [
    { team: 'db', severity: 'info' },
    ['└── default-route', '    ├── {team=~"db|sql"}  receiver: db', '    └── default-route  receiver: audit'],
  ],
  [{ severity: 'debug' }, ['└── default-route', '    └── default-route  receiver: audit']],
];
for (const [labels, lines] of ways) {
  test(`the path of ${JSON.stringify(labels)} names receivers at its end`, () => {
    assert.deepEqual(drawMatchingRoutes(tree, labels).trimEnd().split('\n'), ['.', ...lines]);
  });
}

test('an alert without a matching child ends at the root', () => {
  assert.equal(
    drawMatchingRoutes(route('all', [], { routes: [route('x', [['a', '=', 'b']])] }), {}),
    '.\n└── default-route  receiver: all\n',
  );
});
