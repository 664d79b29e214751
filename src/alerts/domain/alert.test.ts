import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../../testing/random.ts';
import { alertOf, MINUTE, postedAlert, START } from '../testing/parts.ts';
import { type Alert, type AlertRules, acceptAlert, isResolvedAt, mergeAlerts } from './alert.ts';
import { labelsJson } from './label-set.ts';

const RULES: AlertRules = { resolveTimeoutMs: 5 * MINUTE, classicNames: false };
const NOW = START;

test('an alert without times starts now and fires until it is not repeated', () => {
  const cases: readonly (readonly [
    posted: readonly [start: number | undefined, end: number | undefined],
    expected: readonly [start: number, end: number, timeout: boolean],
  ])[] = [
    [
      [undefined, undefined],
      [NOW, NOW + 5 * MINUTE, true],
    ],
    [
      [NOW - MINUTE, undefined],
      [NOW - MINUTE, NOW + 5 * MINUTE, true],
    ],
    [
      [undefined, NOW + MINUTE],
      [NOW + MINUTE, NOW + MINUTE, false],
    ],
    [
      [undefined, NOW - MINUTE],
      [NOW - MINUTE, NOW - MINUTE, false],
    ],
    [
      [NOW - MINUTE, NOW + MINUTE],
      [NOW - MINUTE, NOW + MINUTE, false],
    ],
    [
      [0, 0],
      [0, 0, false],
    ],
  ];
  for (const [[startsAt, endsAt], [start, end, timeout]] of cases) {
    const outcome = acceptAlert(postedAlert({ a: 'b' }, { startsAt, endsAt }), NOW, RULES);
    assert.ok(outcome.ok);
    const { value } = outcome;
    assert.deepEqual([value.startsAt, value.endsAt, value.timeout], [start, end, timeout], `${startsAt} ${endsAt}`);
    assert.equal(value.updatedAt, NOW);
  }
});

test('labels lose their empty values, annotations keep them, and both are sorted by their bytes', () => {
  const labels = { '😀': '1', b: '', '\uffee': '2', a: '"' };
  const annotations = { '😀': '', '\uffee': 'x', __proto__x: 'y', 10: 'z', 9: 'w' };
  const outcome = acceptAlert(postedAlert(labels, { annotations, generatorURL: 'http://p/' }), NOW, RULES);
  assert.ok(outcome.ok);
  assert.equal(labelsJson(outcome.value.labels), '{"a":"\\"","\uffee":"2","😀":"1"}');
  assert.equal(outcome.value.annotationsJson, '{"10":"z","9":"w","__proto__x":"y","\uffee":"x","😀":""}');
  assert.equal(outcome.value.generatorURL, 'http://p/');
});

test("an alert is refused in Alertmanager's words, the times first", () => {
  const late = { startsAt: NOW, endsAt: NOW - 1 };
  const cases: readonly (readonly [Parameters<typeof postedAlert>, string])[] = [
    [[{}], 'at least one label pair required'],
    [[{ a: '', b: '' }], 'at least one label pair required'],
    [[{ a: 'b' }, late], 'start time must be before end time'],
    [[{}, late], 'start time must be before end time'],
    // The start is after the end: a missing start does not default to now.
    [[{ a: 'b' }, { startsAt: NOW + 6 * MINUTE }], 'start time must be before end time'],
    [[{ '': 'x' }], 'invalid label set: invalid name ""'],
    [[{ a: 'b', '': 'x' }], 'invalid label set: invalid name ""'],
    [[{ a: 'b' }, { annotations: { '': 'x' } }], 'invalid annotations: invalid name ""'],
    [[{ '': 'x' }, { annotations: { '': 'x' } }], 'invalid label set: invalid name ""'],
  ];
  for (const [posted, reason] of cases) {
    assert.deepEqual(acceptAlert(postedAlert(...posted), NOW, RULES), { ok: false, reason }, JSON.stringify(posted));
  }
});

test('classic names are letters, digits and underscores; UTF-8 names are any text', () => {
  const classic: AlertRules = { ...RULES, classicNames: true };
  for (const name of ['a', 'A_1', '_', '__proto__', 'constructor']) {
    assert.ok(acceptAlert(postedAlert({ [name]: 'x' }), NOW, classic).ok, name);
  }
  for (const name of ['1a', 'a-b', 'a.b', 'a:b', 'été', ' ', '😀', 'a\n', 'a"b']) {
    const reason = `invalid label set: invalid name ${JSON.stringify(name)}`;
    assert.deepEqual(acceptAlert(postedAlert({ [name]: 'x' }), NOW, classic), { ok: false, reason });
    assert.ok(acceptAlert(postedAlert({ [name]: 'x' }), NOW, RULES).ok, name);
    const annotated = postedAlert({ a: 'b' }, { annotations: { [name]: 'x' } });
    assert.deepEqual(acceptAlert(annotated, NOW, classic), {
      ok: false,
      reason: `invalid annotations: invalid name ${JSON.stringify(name)}`,
    });
  }
});

test('an alert is resolved from the instant of its end on', () => {
  const alert = alertOf({ a: 'b' }, { endsAt: 100 });
  assert.deepEqual(
    [99, 100, 101].map((now) => isResolvedAt(alert, now)),
    [false, true, true],
  );
});

/** Start and end in minutes after START; an end with `t` was assumed, not given. */
type Span = `${number}-${number}${'' | 't'}`;

function spanning(span: Span, rest: Partial<Alert> = {}): Alert {
  const [, start, end, assumed] = /^(\d+)-(\d+)(t?)$/.exec(span) ?? [];
  const at = (minutes: string | undefined) => START + Number(minutes) * MINUTE;
  return alertOf({ a: 'b' }, { startsAt: at(start), endsAt: at(end), timeout: assumed === 't', ...rest });
}

test('a post merges with the stored alert where their times overlap, and otherwise replaces it', () => {
  // Posted at minute 100.
  const cases: readonly (readonly [known: Span, posted: Span, merged: Span, why: string])[] = [
    ['0-10', '20-200', '20-200', 'it begins after the known one ended'],
    ['0-20', '20-200', '20-200', 'it begins where the known one ended'],
    ['50-90', '0-50', '0-50', 'it ends where the known one begins'],
    ['0-10', '10-10', '10-10', 'it is over where the known one ended'],
    ['50-150t', '0-200t', '0-200t', 'it covers the known one'],
    ['0-110t', '0-120t', '0-120t', 'it goes on from the same start'],
    ['0-110t', '0-110t', '0-110t', 'it repeats the known one'],
    ['0-110t', '50-150t', '0-150t', 'it goes on'],
    ['0-200', '50-150t', '0-200t', 'a given end takes precedence over an assumed one'],
    ['0-200t', '50-150t', '0-150t', 'an assumed end takes precedence over none'],
    ['0-200t', '50-150', '0-150', 'not even over an earlier given one'],
    ['0-200', '50-150', '0-200', 'of two given ends the later one counts'],
    ['50-200', '0-150', '0-200', 'the earlier start counts in either order'],
    ['0-200t', '50-90', '0-90', 'it is resolved'],
    ['0-200', '50-90', '0-90', 'it is resolved before the given end'],
    ['0-200t', '50-100', '0-100', 'it is resolved at this instant'],
    ['0-95', '50-90', '0-95', 'both are resolved: the later end counts'],
    ['0-95t', '50-90', '0-95', 'also where that was assumed'],
    ['0-90', '50-95', '0-95', 'both are resolved, the post later'],
  ];
  for (const [known, posted, merged, why] of cases) {
    const at = { updatedAt: START + 100 * MINUTE };
    assert.deepEqual(mergeAlerts(spanning(known), spanning(posted, at)), spanning(merged, at), why);
  }
});

test('texts come from the later post, also by a clock that was set back', () => {
  const known = spanning('0-110t', {
    annotationsJson: '{"a":"old"}',
    generatorURL: 'http://old/',
    updatedAt: START + 9,
  });
  const posted = spanning('50-150t', { annotationsJson: '{"a":"new"}', generatorURL: 'http://new/', updatedAt: START });
  const { annotationsJson, generatorURL, updatedAt } = mergeAlerts(known, posted);
  assert.deepEqual([annotationsJson, generatorURL, updatedAt], ['{"a":"new"}', 'http://new/', START]);
});

function randomSpan(random: Random, timeout: boolean): Alert {
  const start = random.int(0, 18);
  const end = random.int(start + 1, 19);
  return alertOf({ a: 'b' }, { startsAt: start, endsAt: end, updatedAt: random.int(0, 20), timeout });
}

test('a start never grows, and the same post twice is the same as once', () => {
  const random = new Random(5);
  for (let round = 0; round < 3_000; round++) {
    const known = randomSpan(random, random.chance(0.5));
    const posted = randomSpan(random, false);
    const once = mergeAlerts(known, posted);
    const place = JSON.stringify([known, posted]);
    assert.ok(once.startsAt <= posted.startsAt, place);
    assert.ok(once.startsAt === posted.startsAt || once.startsAt === known.startsAt, place);
    assert.ok(once.endsAt === posted.endsAt || once.endsAt === known.endsAt, place);
    assert.deepEqual(mergeAlerts(known, known), known, place);
    assert.deepEqual(mergeAlerts(once, posted), once, place);
  }
});
