import type { World } from './generator.ts';

const USER = { kind: 'user', key: 'ann' };
const flag = (more: object) => ({
  key: 'f',
  version: 1,
  on: true,
  salt: 's',
  variations: ['a', 'b'],
  fallthrough: { variation: 1 },
  prerequisites: [],
  targets: [],
  rules: [],
  ...more,
});
const rule = (...clauses: readonly object[]) => ({ rules: [{ id: 'r', clauses, variation: 0 }] });
const clause = (attribute: string, op: string, values: readonly unknown[], more: object = {}) => ({
  attribute,
  op,
  values,
  negate: false,
  ...more,
});
const rollout = (more: object, weight = 50_000) => ({
  fallthrough: {
    rollout: {
      ...more,
      variations: [
        { variation: 0, weight },
        { variation: 1, weight: 100_000 - weight },
      ],
    },
  },
});
const inSegment = rule(clause('', 'segmentMatch', ['s']));
const segment = (more: object) => ({ key: 's', version: 1, salt: 't', rules: [], ...more });

const world = (flags: readonly object[], context: object, segments: readonly object[] = []): World =>
  ({ flags, segments, contexts: [context].flat() }) as unknown as World;

const tenUsers = (more: object) => Array.from({ length: 10 }, (_, index) => ({ key: `key-${index}`, ...more }));

/** By the first words of a difference: data whose first flag is evaluated differently by SDK and relay. */
export const EXAMPLES: Readonly<Record<string, World>> = {
  'a seed of 0': world([flag(rollout({ seed: 0 }))], tenUsers({ kind: 'user' })),
  'a bucket at a weight': world([flag({ key: 'boundary-0', salt: 'salt', ...rollout({}, 16_385) })], {
    kind: 'user',
    key: 'user-573',
  }),
  secondary: world([flag(rollout({}))], tenUsers({ secondary: 'x' })),
  'custom.anonymous': world([flag(rule(clause('anonymous', 'in', [true])))], {
    key: 'ann',
    custom: { anonymous: true },
  }),
  'a segment rule without clauses': world([flag(inSegment)], USER, [segment({ rules: [{}] })]),
  'a pattern': world([flag(rule(clause('key', 'matches', ['\\Aa'])))], USER),
  'the reference /kind': world([flag(rule(clause('/kind', 'in', ['user'], { contextKind: 'org' })))], USER),
  'a date': world([flag(rule(clause('joined', 'before', ['2020-01-01T00:00:00.0001Z'])))], {
    ...USER,
    joined: '2020-01-01T00:00:00Z',
  }),
  'a weighted segment rule': world([flag(inSegment)], USER, [
    segment({ rules: [{ clauses: [clause('key', 'in', ['ann'])], weight: 1, rolloutContextKind: 'org' }] }),
  ]),
  'user keys among includedContexts': world([flag(inSegment)], USER, [
    segment({ includedContexts: [{ contextKind: 'user', values: ['ann'] }] }),
  ]),
  'user keys in contextTargets': world(
    [flag({ contextTargets: [{ contextKind: 'user', values: ['ann'], variation: 0 }] })],
    USER,
  ),
  'a malformed prerequisite': world(
    [flag({ prerequisites: [{ key: 'p', variation: 0 }], offVariation: 0 }), flag({ key: 'p', fallthrough: {} })],
    USER,
  ),
  'a reference that ends': world([flag(rule(clause('/a/', 'in', ['x'], { contextKind: 'user' })))], USER),
  'a malformed clause before': world([flag(rule(clause('', 'in', ['x']), clause('key', 'in', ['ann'])))], USER),
  'null among': world([flag(rule(clause('a', 'in', [null])))], { ...USER, a: [null] }),
  'a big segment': world([flag(inSegment)], USER, [segment({ unbounded: true, unboundedContextKind: 'org' })]),
};
