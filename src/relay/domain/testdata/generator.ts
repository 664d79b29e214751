import type { Random } from '../../../testing/random.ts';
import type { Json } from '../json.ts';

type JsonObject = { readonly [name: string]: Json };

/** Flags and segments that refer to each other, and contexts to evaluate them for, as JSON. */
export interface World {
  readonly flags: readonly (JsonObject & { readonly key: string })[];
  readonly segments: readonly (JsonObject & { readonly key: string })[];
  readonly contexts: readonly JsonObject[];
}

const KEYS = ['ann', 'bob', 'cyd', 'dee', 'eve', 'fay:%', 'gus', 'héloïse 😀'];
const KINDS = ['user', 'org', 'device'];
const FLAGS = 30;
const SEGMENTS = 12;

const TEXTS = ['a@x.com', 'b@x.com', 'a@y.org', 'Ab', 'abc', '', 'x.com', 'aaa', 'a.b', 'ÄÖ😀', '10'];
const NUMBERS = [0, 1, -1, 1.5, 10, 99.9, 100, 1e15, 2 ** 53 + 2, 1e18, 1e-7];
const VERSIONS = [
  '1',
  '1.2',
  '1.2.3',
  '2.0-rc.1',
  '2.0.0-rc.2',
  '2.0.0-rc.10',
  '2.0.0',
  '2.0.0+b1',
  '1.2.3-alpha',
  '01.2',
];
const STRICT_DATES = [
  '2020-01-01T00:00:00Z',
  '2020-01-01T00:00:00.500Z',
  '2019-12-31T23:00:00-01:00',
  '2024-02-29T12:30:00+05:30',
];
/** Dates that JavaScript and Go parse differently. */
export const OWN_DATES = [
  '2020-01-01',
  '2020-01-01t00:00:00z',
  '2020-01-01T0:00:00Z',
  '2020-01-01T00:00:00.0001Z',
  '2021-02-31T00:00:00Z',
];
const DATES: readonly Json[] = [
  ...STRICT_DATES,
  ...OWN_DATES,
  1577836800000,
  1577836800000.7,
  1577840400000,
  'yesterday',
];
const PATTERNS = ['^a', 'b$', '@x\\.com$', 'a+', '[0-9]+', '(x|y)\\.', '', 'A'];
/** Patterns supported by only one of RE2 and JavaScript. */
export const OWN_PATTERNS = ['(?i)^AB', '\\Aa', 'a(?=b)', '\\Qa.b\\E', '(?P<n>abc)', '(a)\\1', '('];

const OPERATORS: readonly (readonly [op: string, attributes: readonly string[], values: readonly Json[]])[] = [
  [
    'in',
    ['email', 'age', 'beta', 'tags', 'key', 'name', 'anonymous', 'kind'],
    [...TEXTS, ...NUMBERS, ...KEYS, true, false, null, 'org', 'user', ['a'], {}],
  ],
  ['startsWith', ['email', 'tags', 'key', 'name', 'age', 'kind'], [...TEXTS, 'u', 'o', 10]],
  ['endsWith', ['email', 'tags', 'key', 'name'], TEXTS],
  ['contains', ['email', 'tags', 'name', 'kind'], [...TEXTS, 'er']],
  ['matches', ['email', 'tags', 'name', 'age'], [...PATTERNS, ...OWN_PATTERNS, 1]],
  ['lessThan', ['age', 'tags', 'email'], [...NUMBERS, '10']],
  ['lessThanOrEqual', ['age', 'tags'], NUMBERS],
  ['greaterThan', ['age', 'tags'], NUMBERS],
  ['greaterThanOrEqual', ['age', 'tags'], NUMBERS],
  ['before', ['joined', 'dates', 'email'], DATES],
  ['after', ['joined', 'dates', 'age'], DATES],
  ['semVerEqual', ['version', 'versions', 'age'], VERSIONS],
  ['semVerLessThan', ['version', 'versions'], VERSIONS],
  ['semVerGreaterThan', ['version', 'versions'], VERSIONS],
  ['nearly', ['email'], TEXTS],
];

const PATHS = [
  '/address/city',
  '/address/zip',
  '/email',
  '/key',
  '/kind',
  '/a~1b',
  '/address/deep/1',
  '/tags/0',
  '/anonymous',
  '/none',
];
const LITERALS = ['/address/city', '/odd', 'a/b', 'none', 'empty', 'address'];
const MALFORMED = ['', '/', '//', '/a//b', '/a/', '/a~2'];

const flagKey = (index: number): string => `flag-${index}`;
const segmentKey = (index: number): string => `segment-${index}`;

function attributes(random: Random): JsonObject {
  const choices: Record<string, () => Json> = {
    name: () => random.pick(TEXTS),
    email: () => random.pick(TEXTS),
    age: () => random.pick(NUMBERS),
    beta: () => random.chance(0.5),
    tags: () => random.some([...TEXTS, ...NUMBERS, true, null], 4),
    joined: () => random.pick(DATES),
    dates: () => random.some(DATES, 3),
    version: () => random.pick(VERSIONS),
    versions: () => random.some(VERSIONS, 3),
    address: () => ({
      city: random.pick(TEXTS),
      zip: random.pick(NUMBERS),
      deep: { 1: random.pick(TEXTS), nil: null },
    }),
    '/odd': () => random.pick(TEXTS),
    '/address/city': () => random.pick(TEXTS),
    'a/b': () => random.pick(TEXTS),
    empty: () => null,
  };
  return Object.fromEntries(random.some(Object.keys(choices), 14).map((name) => [name, choices[name]?.() ?? null]));
}

function individual(random: Random): JsonObject {
  const anonymous = random.chance(0.2) ? { anonymous: random.chance(0.5) } : {};
  return { key: random.pick(KEYS), ...attributes(random), ...anonymous };
}

function user(random: Random): JsonObject {
  const { name, email, ...custom } = attributes(random);
  return {
    key: random.pick(KEYS),
    ...(name === undefined ? {} : { name }),
    ...(email === undefined ? {} : { email }),
    ...(random.chance(0.3) ? { anonymous: random.chance(0.5) } : {}),
    ...(random.chance(0.3) ? { secondary: random.pick(TEXTS) } : {}),
    custom: random.chance(0.2) ? { ...custom, anonymous: true } : custom,
  };
}

function context(random: Random): JsonObject {
  return random.weighted<() => JsonObject>([
    [4, () => ({ kind: 'user', ...individual(random) })],
    [2, () => ({ kind: random.pick(['org', 'device']), ...individual(random) })],
    [
      3,
      () => ({
        kind: 'multi',
        ...Object.fromEntries(['user', ...random.some(KINDS, 3)].map((kind) => [kind, individual(random)])),
      }),
    ],
    [3, () => user(random)],
  ])();
}

function clause(random: Random): JsonObject {
  const negate = random.chance(0.2);
  if (random.chance(0.2)) {
    const keys = random.some([...Array.from({ length: SEGMENTS + 1 }, (_, index) => segmentKey(index))], 2);
    return { attribute: '', op: 'segmentMatch', values: random.chance(0.1) ? [...keys, 3] : keys, negate };
  }
  const [op, names, values] = random.pick(OPERATORS);
  const contextKind = random.chance(0.5) ? { contextKind: random.pick(KINDS) } : {};
  const attribute = random.weighted([
    [15, random.pick(names)],
    [4, random.pick(contextKind.contextKind ? PATHS : LITERALS)],
    [0.15, random.pick(MALFORMED)],
  ]);
  return { ...contextKind, attribute, op, values: [random.pick(values), ...random.some(values, 6)], negate };
}

const clauses = (random: Random): readonly JsonObject[] =>
  Array.from(
    {
      length: random.weighted([
        [4, 1],
        [1, 2],
      ]),
    },
    () => clause(random),
  );

function weights(random: Random, variations: number): readonly JsonObject[] {
  const count = random.int(1, 3);
  return Array.from({ length: count }, () => ({
    variation: random.chance(0.03) ? variations : random.int(0, variations - 1),
    weight: random.pick([0, 1, 25_000, 33_333, 50_000, 60_000, 99_999, 100_000]),
    ...(random.chance(0.2) ? { untracked: true } : {}),
  }));
}

function bucketBy(random: Random, withKind: boolean): JsonObject {
  if (random.chance(0.5)) return {};
  const names = withKind ? ['/address/city', '/address/zip', 'email', '/key'] : ['email', 'age', '/odd', 'none'];
  return { bucketBy: random.chance(0.03) && withKind ? random.pick(MALFORMED) : random.pick(names) };
}

function rollout(random: Random, variations: number): JsonObject {
  const contextKind = random.chance(0.5) ? { contextKind: random.pick(KINDS) } : {};
  return {
    ...(random.chance(0.4) ? { kind: random.pick(['experiment', 'experiment', 'rollout']) } : {}),
    ...contextKind,
    ...bucketBy(random, contextKind.contextKind !== undefined),
    ...(random.chance(0.3) ? { seed: random.pick([61, 2147483647, -5, 0]) } : {}),
    variations: random.chance(0.02) ? [] : weights(random, variations),
  };
}

function serving(random: Random, variations: number): JsonObject {
  return random.weighted<() => JsonObject>([
    [5, () => ({ variation: random.int(0, variations - 1) })],
    [5, () => ({ rollout: rollout(random, variations) })],
    [0.15, () => ({ variation: random.pick([-1, variations]) })],
    [0.1, () => ({})],
  ])();
}

function target(random: Random, variations: number): JsonObject {
  return { values: random.some(KEYS, 2), variation: random.int(0, variations - 1) };
}

function contextTarget(random: Random, variations: number): JsonObject {
  const contextKind = random.pick(KINDS);
  const values = contextKind === 'user' && random.chance(0.9) ? [] : random.some(KEYS, 2);
  return { contextKind, values, variation: random.int(0, variations - 1) };
}

function prerequisites(random: Random, index: number): readonly JsonObject[] {
  if (random.chance(0.75)) return [];
  const nearby = () => (random.chance(0.05) ? random.int(0, FLAGS) : random.int(0, Math.max(0, index - 1)));
  return Array.from({ length: random.int(1, 2) }, () => ({ key: flagKey(nearby()), variation: random.int(0, 1) }));
}

function flag(random: Random, index: number): World['flags'][number] {
  const variations = random.pick<readonly Json[]>([
    [true, false],
    ['a', 'b', 'c'],
    [1, 2.5],
    [{ a: [1] }, null],
    ['only'],
  ]);
  const of = <T>(most: number, make: (index: number) => T): readonly T[] =>
    Array.from({ length: random.int(0, most) }, (_, at) => make(at));
  return {
    key: flagKey(index),
    version: random.int(1, 99),
    on: random.chance(0.9),
    salt: `salt${index}`,
    variations,
    ...(random.chance(0.85) ? { offVariation: random.chance(0.03) ? 9 : random.int(0, variations.length - 1) } : {}),
    fallthrough: serving(random, variations.length),
    prerequisites: prerequisites(random, index),
    targets: random.chance(0.3) ? of(2, () => target(random, variations.length)) : [],
    contextTargets: random.chance(0.2) ? of(3, () => contextTarget(random, variations.length)) : [],
    rules: of(5, (at) => ({
      ...(random.chance(0.9) ? { id: `rule${at}` } : {}),
      clauses: clauses(random),
      ...serving(random, variations.length),
      ...(random.chance(0.2) ? { trackEvents: true } : {}),
    })),
    ...(random.chance(0.2) ? { trackEvents: true } : {}),
    ...(random.chance(0.2) ? { trackEventsFallthrough: true } : {}),
    ...(random.chance(0.2) ? { clientSide: random.chance(0.5) } : {}),
    ...(random.chance(0.2) ? { debugEventsUntilDate: 1_700_000_000_000 } : {}),
    ...(random.chance(0.02) ? { deleted: true } : {}),
  };
}

function segmentRule(random: Random): JsonObject {
  const contextKind = random.chance(0.5) ? { rolloutContextKind: random.pick(KINDS) } : {};
  const weight = { weight: random.pick([0, 1, 30_000, 70_000, 100_000]) };
  return {
    ...(random.chance(0.1) ? {} : { clauses: clauses(random) }),
    ...(random.chance(0.5)
      ? { ...weight, ...contextKind, ...bucketBy(random, contextKind.rolloutContextKind !== undefined) }
      : {}),
  };
}

function segment(random: Random, index: number): World['segments'][number] {
  const targets = () =>
    Array.from({ length: random.int(0, 2) }, () => ({ contextKind: random.pick(KINDS), values: random.some(KEYS, 3) }));
  const unbounded = random.chance(0.1)
    ? { unbounded: true, unboundedContextKind: random.pick(KINDS), ...(random.chance(0.7) ? { generation: 2 } : {}) }
    : {};
  return {
    key: segmentKey(index),
    version: random.int(1, 99),
    salt: `salt${index}`,
    included: random.some(KEYS, 1),
    excluded: random.some(KEYS, 1),
    includedContexts: targets(),
    excludedContexts: targets(),
    rules: Array.from({ length: random.int(0, 2) }, () => segmentRule(random)),
    ...unbounded,
  };
}

export function makeWorld(random: Random, contexts: number): World {
  return {
    flags: Array.from({ length: FLAGS }, (_, index) => flag(random, index)),
    segments: Array.from({ length: SEGMENTS }, (_, index) => segment(random, index)),
    contexts: Array.from({ length: contexts }, () => context(random)),
  };
}
