import type { Random } from './random.ts';

const LONG = 'x'.repeat(20_000);

/** Unexpected values as JSON text. */
const STRANGE_JSON = [
  'null',
  'true',
  '0',
  '-1',
  '1e999',
  '-1e-999',
  '123456789012345678901234567890',
  '""',
  '"\\u0000"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\ufeff"',
  '"__proto__"',
  '"constructor"',
  '"0001-01-01T00:00:00Z"',
  '"9999-12-31T23:59:59.999999999+23:59"',
  '"-271821-04-20T00:00:00Z"',
  '"2024-02-30T25:61:61Z"',
  '[]',
  '{}',
  '[null]',
  '[[]]',
  '{"__proto__":{"polluted":"yes"}}',
  '{"constructor":{"prototype":{"polluted":"yes"}}}',
  '{"__proto__":"x","constructor":"y","toString":"z","hasOwnProperty":"w"}',
  '{"length":1,"0":"x"}',
  `"${LONG}"`,
  `${'['.repeat(2000)}${']'.repeat(2000)}`,
  `${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}`,
  '['.repeat(100_000),
];

const STRANGE_KEYS = ['__proto__', 'constructor', 'toString', 'labels', 'id', '', ' ', 'é', '\u0000', '\ud800', LONG];

const MARK = 'strange value';

function mutateItems(random: Random, items: readonly unknown[]): unknown[] {
  if (items.length === 0) return [MARK];
  const at = random.int(0, items.length - 1);
  return random.weighted<() => unknown[]>([
    [6, () => items.with(at, mutateValue(random, items[at]))],
    [2, () => [...items, MARK]],
    [1, () => [...items, ...items]],
    [1, () => items.toSpliced(at, 1)],
  ])();
}

type Entry = [string, unknown];

function mutateEntries(random: Random, entries: readonly Entry[]): Entry[] {
  const strange: Entry = [random.pick(STRANGE_KEYS), MARK];
  const at = random.int(0, entries.length - 1);
  const entry = entries[at];
  if (!entry) return [strange];
  const [key, item] = entry;
  return random.weighted<() => Entry[]>([
    [6, () => entries.with(at, [key, mutateValue(random, item)])],
    [1, () => [...entries, strange]],
    [1, () => entries.toSpliced(at, 1)],
    [1, () => entries.with(at, [strange[0], item])],
  ])();
}

/** Changes one random place of a JSON value: a value, a key or the number of items. */
function mutateValue(random: Random, value: unknown): unknown {
  if (random.chance(0.25) || typeof value !== 'object' || value === null) return MARK;
  if (Array.isArray(value)) return mutateItems(random, value);
  // Not assignments: a key may be __proto__.
  return Object.fromEntries(mutateEntries(random, Object.entries(value)));
}

/** The JSON text of a value with one to three random changes. */
export function mutateJson(random: Random, value: unknown): string {
  let changed = value;
  for (let left = random.int(1, 3); left > 0; left--) changed = mutateValue(random, changed);
  return JSON.stringify(changed).replaceAll(JSON.stringify(MARK), () => random.pick(STRANGE_JSON));
}

/** Corrupts bytes at a random place: inserts, duplicates, removes or re-encodes them. */
export function mutateBytes(random: Random, bytes: Buffer): Buffer {
  const at = random.int(0, bytes.length);
  const end = Math.min(bytes.length, at + random.int(0, 64));
  const junk = Buffer.from(Array.from({ length: random.int(1, 8) }, () => random.int(0, 255)));
  const [before, within, after] = [bytes.subarray(0, at), bytes.subarray(at, end), bytes.subarray(end)];
  return random.pick([
    () => Buffer.concat([before, junk, after]),
    () => Buffer.concat([before, within, within, after]),
    () => Buffer.concat([before, after]),
    () => Buffer.from(before),
    () => Buffer.concat([before, Buffer.from([0xff, 0xfe, 0xc0, 0x80]), within, after]),
    () => Buffer.concat([Buffer.from('\ufeff'), bytes]),
    () => Buffer.concat([bytes, junk]),
    () => Buffer.from(bytes.toString('utf8'), 'utf16le'),
  ])();
}

/** Corrupts text at a random place: duplicates, removes or inserts special characters. */
export function mutateText(random: Random, text: string): string {
  const at = random.int(0, text.length);
  const end = Math.min(text.length, at + random.int(0, 8));
  const sign = random.pick([
    '"',
    '\\',
    '{',
    '}',
    ',',
    '=',
    '~',
    '!',
    '(',
    ')*',
    '+',
    '%',
    '%zz',
    '%00',
    '&',
    ';',
    '#',
    '\n',
    'é',
    '😀',
    '\u0000',
  ]);
  return random.pick([
    () => text.slice(0, at) + sign + text.slice(at),
    () => text.slice(0, at) + text.slice(end),
    () => text.slice(0, end) + text.slice(at),
    () => text.slice(0, at),
    () => sign.repeat(random.int(1, 400)),
  ])();
}
